import { expectTypeOf, it } from "vitest";
import type { Lane } from "../../src/client/request/ports.ts";
import type { Result } from "../../src/contract/index.ts";
import type * as desk from "../../src/desk/model/account-usage.ts";
import type { IntentBody } from "../../src/desk/model/intent.ts";
import type { IntentState } from "../../src/desk/model/intent-state.ts";
import type { AuditLog } from "../../src/desk/ports/audit.ts";
import type { Journal } from "../../src/desk/ports/journal.ts";
import type { CancelTimers, KillSwitchStore, Seal } from "../../src/desk/ports/safeguards.ts";
import type { AccountUsage, KillSwitchRecord, Store } from "../../src/store/index.ts";

type DeskStore = Store<IntentState, IntentBody>;

it("the store fits the ports of desk and client, which it never imports", () => {
  expectTypeOf<DeskStore["journal"]>().toExtend<Journal>();
  expectTypeOf<DeskStore["audit"]>().toExtend<AuditLog>();
  expectTypeOf<DeskStore["killSwitch"]>().toExtend<KillSwitchStore>();
  expectTypeOf<DeskStore["timers"]>().toExtend<CancelTimers>();
  expectTypeOf<DeskStore["seal"]>().toExtend<Seal>();
  expectTypeOf<ReturnType<DeskStore["lane"]>>().toExtend<Lane>();
});

it("says how an account stands in the words of the desk", () => {
  expectTypeOf<AccountUsage>().toEqualTypeOf<desk.AccountUsage>();
  expectTypeOf<KillSwitchRecord>().toEqualTypeOf<desk.KillSwitchRecord>();
});

it("refuses an order in the words of whoever admits it", () => {
  interface Refusal {
    readonly rule: "brake";
  }
  interface Port {
    begin(
      intentId: string,
      send: { readonly from: readonly IntentState[]; readonly to: IntentState; nonce: string; heldKrw: string },
      admit: (standing: desk.AccountUsage) => Refusal | undefined,
      now: () => number,
    ): Promise<Result<{ readonly intent: object } | { readonly refused: Refusal } | undefined>>;
  }
  expectTypeOf<DeskStore["journal"]>().toExtend<Port>();
});
