import { expectTypeOf, it } from "vitest";
import type { OrderType } from "../../src/contract/index.ts";
import type { Rate, Value } from "../../src/decimal/index.ts";
import type { ApprovalWay } from "../../src/desk/model/submission.ts";
import type { Policy, ShownSettings } from "../../src/policy/index.ts";

it("the policy has the types of its rows, and no others", () => {
  expectTypeOf<Policy["mode"]>().toEqualTypeOf<"read-only" | "confirm" | "bounded">();
  expectTypeOf<Policy["orderTypes"]>().toEqualTypeOf<readonly OrderType[]>();
  expectTypeOf<Policy["maxOrder"]>().toEqualTypeOf<Value>();
  expectTypeOf<Policy["priceCollar"]>().toEqualTypeOf<Rate | "off">();
  expectTypeOf<Policy["approveBy"]>().toEqualTypeOf<readonly ApprovalWay[]>();
  expectTypeOf<ShownSettings["approval_ttl_s"]>().toEqualTypeOf<number>();
  expectTypeOf<ShownSettings["price_collar_pct"]>().toEqualTypeOf<string>();
});
