/** Who asks for plans, answers for them, and changes them; and what they were told. */
import type { Desk, PlanDesk, PlanWriteReport } from "../../src/desk/index.ts";
import type { Action, Waiting } from "./plan.ts";
import type { SimProcess } from "./process.ts";

type OfPlans = Extract<Action, { readonly type: "wait" | "answer" | "change" }>;

export class PlanScript {
  readonly #waiting: Waiting | undefined;
  /** By the number of the request; the last one that was made of it. */
  readonly #ids = new Map<number, string>();

  constructor(waiting: Waiting | undefined) {
    this.#waiting = waiting;
  }

  async take({ plans }: Desk, process: SimProcess, action: OfPlans): Promise<string> {
    if (plans === undefined) throw new Error("the desk keeps no plans");
    switch (action.type) {
      case "wait": {
        const request = this.#waiting?.requests[action.plan];
        if (request === undefined) return "nothing: it is no plan";
        const report = await plans.create(request, "assistant");
        const id = report.plan?.plan_id;
        if (process.alive && typeof id === "string") this.#ids.set(action.plan, id);
        return worded(report);
      }
      case "answer":
        return answered(plans, action.says);
      case "change": {
        const id = this.#ids.get(action.plan);
        return id === undefined ? "nothing: it was not made" : worded(await plans.change(id, action.action, action.by));
      }
      default:
        return action satisfies never;
    }
  }
}

/** A person reads what is asked about plans, one by one. */
async function answered(plans: PlanDesk, says: "yes" | "no"): Promise<string> {
  const waiting = await plans.pending();
  if (!waiting.ok) return waiting.fault.code;
  const said: string[] = [];
  for (const { asked, digest } of waiting.value) {
    const { id } = asked;
    if (says === "yes") said.push(worded(await plans.approve(id, "pin", digest)));
    else {
      const denied = await plans.deny(id);
      said.push(denied.ok ? worded(denied.value) : denied.fault.code);
    }
  }
  return said.length === 0 ? "nothing waits" : said.join("; ");
}

function worded({ outcome, state, plan, error }: PlanWriteReport): string {
  const why = error === undefined ? "" : `${error.code}: ${error.message}`;
  return `${outcome} ${state} ${plan?.plan_id ?? "-"} ${why}`.trimEnd();
}
