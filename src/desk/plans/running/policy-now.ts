/** The file of limits as plans read it when an order of one is due: it may be unreadable for a moment, as while it is being written, and no longer. */
import type { Fault } from "../../../contract/index.ts";
import type { ReadingParts } from "../../core/context.ts";
import type { Policy } from "../../model/policy.ts";

const UNREADABLE_MS = 60_000;
export const UNREADABLE_WHY = "The file of limits (policy.toml) cannot be read, so no order of it may leave.";

export class PolicyNow {
  readonly #parts: Pick<ReadingParts, "clock" | "policy">;
  /** By `Clock.rising`. */
  #unreadableSinceMs: number | undefined;

  constructor(parts: Pick<ReadingParts, "clock" | "policy">) {
    this.#parts = parts;
  }

  /** @returns `unreadable` where it has been for long; undefined while it is */
  read(): { readonly policy: Policy } | { readonly unreadable: Fault } | undefined {
    const { clock, policy: source } = this.#parts;
    const policy = source.read();
    if (policy.ok) {
      this.#unreadableSinceMs = undefined;
      return { policy: policy.value };
    }
    this.#unreadableSinceMs ??= clock.rising();
    return clock.rising() - this.#unreadableSinceMs >= UNREADABLE_MS ? { unreadable: policy.fault } : undefined;
  }
}
