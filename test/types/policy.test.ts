import { expectTypeOf, it } from "vitest";
import type { GivenSettings, PolicySettings } from "../../src/config/index.ts";
import type { defaultPolicy, Policy } from "../../src/desk/risk/policy-decision.ts";

it("what config reads is the desk's policy, which it never imports", () => {
  expectTypeOf<PolicySettings>().toExtend<Policy>();
  expectTypeOf<Policy>().toHaveProperty("mode").toEqualTypeOf<PolicySettings["mode"]>();
  expectTypeOf<keyof Policy>().toEqualTypeOf<keyof PolicySettings>();
  expectTypeOf<GivenSettings>().toExtend<Partial<Policy>>();
  expectTypeOf<GivenSettings>().toExtend<NonNullable<Parameters<typeof defaultPolicy>[1]>>();
});
