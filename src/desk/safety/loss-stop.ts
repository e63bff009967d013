/**
 * Halts trading when the day's loss reaches the limit, where the policy says so: once an order is denied for it, and in between in a
 * process that stays.
 *
 * Invariant: what cannot be counted halts nothing; orders are denied for it all the same.
 * Source: policy.md#day-loss.
 */
import { formatAmount } from "../../decimal/index.ts";
import { settingName } from "../../policy/index.ts";
import { attempt } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";
import type { DayLoss } from "../portfolio/day-loss.ts";
import type { KillSwitch } from "./kill-switch.ts";

export class LossStop {
  readonly #context: DeskContext;
  readonly #dayLoss: DayLoss;
  readonly #killSwitch: Pick<KillSwitch, "halt">;

  constructor(context: DeskContext, dayLoss: DayLoss, killSwitch: Pick<KillSwitch, "halt">) {
    this.#context = context;
    this.#dayLoss = dayLoss;
    this.#killSwitch = killSwitch;
  }

  /** @returns what to tell of it where it has halted */
  async check(): Promise<string | undefined> {
    const { policy: source, killSwitch } = this.#context.parts;
    const policy = source.read();
    if (!policy.ok || policy.value.maxDayLoss === "off" || policy.value.dayLossAction !== "halt") return undefined;
    const { value: engaged } = await attempt(() => killSwitch.state());
    if ((engaged ?? this.#context.localKillSwitch) !== undefined) return undefined;
    const { value: loss } = await attempt(() => this.#dayLoss.read());
    const limit = policy.value.maxDayLoss;
    if (loss === undefined || loss.lt(limit)) return undefined;
    const { unit } = policy.value;
    const [lost, most] = [formatAmount(loss, unit), formatAmount(limit, unit)];
    const why = `${lost} were lost today, and ${settingName("max_day_loss", unit)} is ${most}.`;
    await this.#killSwitch.halt(why, "hoga");
    return `Trading was halted: ${why} What was open is canceled.`;
  }
}
