import { expectTypeOf, it } from "vitest";
import type { Lane } from "../../src/client/ports.ts";
import type { IntentState } from "../../src/desk/intent.ts";
import type { AuditLog, IntentBody, Journal } from "../../src/desk/ports.ts";
import type { Store } from "../../src/store/index.ts";

type DeskStore = Store<IntentState, IntentBody>;

it("the store fits the ports of desk and client, which it never imports", () => {
  expectTypeOf<DeskStore["journal"]>().toExtend<Journal>();
  expectTypeOf<DeskStore["audit"]>().toExtend<AuditLog>();
  expectTypeOf<ReturnType<DeskStore["lane"]>>().toExtend<Lane>();
});
