/** A market with protections of the account in it, and somebody who looks after them. Entry point: `openProtected`. */
import type { Market } from "../../../src/contract/index.ts";
import type { NewPlan, PlanRecord, PlanRequest } from "../../../src/desk/index.ts";
import type { OrderRecord } from "../../../src/sandbox/model/index.ts";
import type { SeatOptions } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";
import { openPlanWorld, type PlanWorld, type Process } from "./plan-world.ts";
import { protecting } from "./protecting-plan.ts";
import { won } from "./sandbox-market.ts";

export const STOP: PlanRequest = { kind: "stop", base_volume: "0.5", stop_price: won(100) };
export const TAKE: PlanRequest = { kind: "take_profit", base_volume: "0.5", take_price: won(110) };
export const OCO: PlanRequest = { kind: "oco", base_volume: "0.5", stop_price: won(100), take_price: won(110) };
export const TRAIL: PlanRequest = { kind: "trailing_stop", base_volume: "0.5", trail: "5%" };

const UNIT = 100_000_000;

/** An order as it is at the exchange, its sums in coins and in the shapes' prices: 100 is 100 000 000 won. */
export interface SentOrder {
  readonly step: number;
  readonly at: number;
  readonly volume: number;
  readonly executed: number;
  readonly state: OrderRecord["state"];
}

export class Protected {
  readonly market: PlanWorld;
  readonly server: Process;
  readonly #rules: Market;

  constructor(market: PlanWorld, server: Process, rules: Market) {
    this.market = market;
    this.server = server;
    this.#rules = rules;
  }

  /** A plan is begun, and looked after. */
  async begun(request: PlanRequest, more: Partial<NewPlan> = {}): Promise<PlanRecord> {
    const plan = await protecting(this.market.world, this.#rules, request, more);
    await this.pass(2_000);
    return plan;
  }

  async now({ planId }: Pick<PlanRecord, "planId">): Promise<PlanRecord> {
    const plan = await unwrap(this.market.world.store.plans.byId(planId));
    if (plan === undefined) throw new Error("the plan is gone");
    return plan;
  }

  /** What of plans left for the exchange, oldest first. */
  sent(): readonly SentOrder[] {
    return this.market.world
      .orders()
      .flatMap(({ userref, price, volume, executedVolume, state }) => {
        const [, step] = /^p-.{12}-(\d{4})$/.exec(userref ?? "") ?? [];
        if (step === undefined) return [];
        return [
          {
            ...{ step: Number(step), at: Number(price) / UNIT / 1_000_000, volume: Number(volume) / UNIT },
            ...{ executed: Number(executedVolume) / UNIT, state },
          },
        ];
      })
      .reverse();
  }

  async told(...types: readonly string[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const all = await this.market.notices();
    return all.filter(({ type }) => types.includes(type)).map(({ type, body }) => ({ type, ...body }));
  }

  async steps({ planId }: PlanRecord): Promise<number> {
    return (await unwrap(this.market.world.store.plans.steps(planId, 100))).length;
  }

  /** The market is there, and somebody trades there every second. */
  async stands(bid: number | undefined, ask: number | undefined, at: number, seconds: number): Promise<void> {
    this.market.quotes(bid, ask);
    for (let passed = 0; passed < seconds; passed++) {
      this.market.print(at);
      await this.pass(1_000);
    }
  }

  /** Nobody but one small bid is there, anew every second. */
  async thin(bid: number, volume: string, ask: number, at: number, seconds: number): Promise<void> {
    this.market.quotes(undefined, ask);
    for (let passed = 0; passed < seconds; passed++) {
      this.market.print(at);
      this.market.rest("buy", bid, volume);
      await this.pass(1_000);
    }
  }

  async pass(ms: number): Promise<void> {
    await this.market.pass(ms);
  }
}

export async function openProtected(
  options: { readonly file?: boolean } = {},
  seat: SeatOptions = {},
): Promise<Protected> {
  const market = await openPlanWorld(options);
  const server = await market.process(seat);
  return new Protected(market, server, await unwrap(server.desk.market("BTC/KRW")));
}
