/** What goes wrong between the processes and the server of their store, and with the server. */
import type { Draw } from "./draw.ts";
import { isFencedIn, lengthOf, type Plan, type ServerPoint, type Trouble } from "./plan.ts";

/** Of a seat, in a schedule: a commit is one of about twenty statements. */
const MOST: Readonly<Record<ServerPoint, number>> = { commit: 40, statement: 500 };

export function withServerTroubles(draw: Draw, plan: Plan): Plan {
  const { setting, troubles } = plan;
  const isFenced = isFencedIn(plan);
  const place = () => {
    const at = draw.by({ commit: 2, statement: 1 });
    const nth = Math.floor(draw.fraction() ** 2 * MOST[at]);
    return { seat: draw.between(0, setting.keys.length - 1), nth, at, when: draw.of(["before", "after"] as const) };
  };
  const more: Trouble[] = [];
  const cuts = Number(draw.by({ 0: 25, 1: 35, 2: 25, 4: 15 })); // not money: a count
  for (let index = 0; index < cuts; index++)
    more.push({ type: "cut", ...place(), noticedMs: draw.of([0, 0, 20, 900, 2_900, 60_000]) });
  if (draw.chance(0.25)) {
    const { at: point, ...where } = place();
    more.push({ type: "crash", ...where, point, downMs: draw.of([0, 100, 2_000, 40_000]) });
  }
  if (draw.chance(0.25)) {
    const { at: point, ...where } = place();
    more.push({ type: "stall", ...where, point, ms: draw.of(isFenced ? [300, 2_900, 5_000, 90_000] : [300]) });
  }
  if (draw.chance(0.25))
    more.push({
      type: "server",
      atMs: draw.between(0, lengthOf(plan)),
      forMs: draw.of([20, 300, 1_500, 8_000, 30_000]),
      kind: draw.of(["restart", "crash", "silence"]),
    });
  return { ...plan, troubles: [...troubles, ...more] };
}
