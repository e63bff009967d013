import { expectTypeOf, it } from "vitest";
import type { IntentBody, IntentState } from "../../src/desk/index.ts";
import type { Store } from "../../src/store/index.ts";
import type { Lane } from "../../src/transport/request/ports.ts";

it("the store's lane fits the port of the client, which it never imports", () => {
  expectTypeOf<ReturnType<Store<IntentState, IntentBody>["lane"]>>().toExtend<Lane>();
});
