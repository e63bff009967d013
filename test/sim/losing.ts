/** Schedules in which the policy limits what may be lost in a day. */
import type { OrderRequest } from "../../src/desk/index.ts";
import type { Draw } from "./draw.ts";
import type { Plan } from "./plan.ts";

/** The loss of a day has a limit in some; a fee alone may reach the smallest. */
export function withLossLimit(draw: Draw, plan: Plan): Plan {
  if (!draw.chance(0.08)) return plan;
  const { setting, wishes } = plan;
  const policy = { ...setting.policy, maxDayLoss: draw.of(["1", "100", "2000"]) };
  // What executes at once loses at once.
  return {
    ...plan,
    setting: { ...setting, policy },
    wishes: wishes.map((wish) => (draw.chance(0.5) ? eager(wish) : wish)),
  };
}

/** At a price that what is in the book has. */
function eager(wish: OrderRequest): OrderRequest {
  if (wish.type === "market" || wish.symbol !== "BTC/KRW" || wish.post_only === true) return wish;
  return { ...wish, price: wish.side === "buy" ? "151500000" : "148500000" };
}
