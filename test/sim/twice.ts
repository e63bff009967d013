/**
 * Schedules in which a network delivers an order twice, and what comes back is the answer to the second delivery: that its id is known, or that its nonce
 * was used. Right after, nobody can look for a while.
 */
import type { Draw } from "./draw.ts";
import type { Plan, Trouble } from "./plan.ts";

const SHARE = 0.12;
const BLIND = ["reset", "busy", "html", "garbled_after"] as const;

export function withDuplicate(draw: Draw, plan: Plan): Plan {
  if (!draw.chance(SHARE)) return plan;
  const twice: Trouble = {
    ...{ type: "fault", endpoint: "createOrder", nth: draw.between(0, 1), times: 1, kind: "twice_second" },
    ms: draw.of([5, 60, 200]),
  };
  // A first look may come before anything is sent.
  const blind: Trouble = {
    ...{
      type: "fault",
      endpoint: "orders",
      nth: draw.of([0, 1, 1, 2]),
      times: draw.between(4, 14),
      kind: draw.of(BLIND),
    },
    ms: 0,
  };
  return { ...plan, troubles: [...(draw.chance(0.4) ? plan.troubles : []), twice, blind] };
}
