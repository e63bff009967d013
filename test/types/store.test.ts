import { expectTypeOf, it } from "vitest";
import type { Lane } from "../../src/client/request/ports.ts";
import type { IntentBody, IntentState } from "../../src/desk/index.ts";
import type { Store } from "../../src/store/index.ts";

it("the store's lane fits the port of the client, which it never imports", () => {
  expectTypeOf<ReturnType<Store<IntentState, IntentBody>["lane"]>>().toExtend<Lane>();
});
