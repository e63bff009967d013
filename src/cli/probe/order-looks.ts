/** Looks for an order that was just placed, or canceled, until the exchange shows it, and measures how long that takes. */
import { setTimeout as pause } from "node:timers/promises";
import type { Order } from "../../contract/index.ts";
import { quantity } from "../../decimal/index.ts";
import { systemClock } from "../../transport/index.ts";
import type { ProbedVenue } from "./probed-venue.ts";
import type { Finding } from "./read-steps.ts";

export interface Placed {
  readonly userref: string;
  readonly symbol: string;
  /** As the exchange calls it; undefined where its answer was lost. */
  readonly orderId: string | undefined;
  /** On the steady clock. */
  readonly answeredAtMs: number;
}

/** Between two looks, each of three calls: far from what any exchange takes a second. */
const LOOK_EVERY_MS = 300;
/** Longer than any card assumes. */
const LOOK_FOR_MS = 20_000;

type Way = "found_by_client_id" | "found_by_order_id" | "listed";

interface Seen {
  readonly ms: number;
  readonly looks: number;
}

/** By both ids and in the list of open orders. @param stop ends the looking early */
export async function visibleLooks(
  venue: ProbedVenue,
  placed: Placed,
  stop: AbortSignal,
): Promise<readonly { readonly step: Way; readonly finding: Finding }[]> {
  const { symbol, userref, answeredAtMs } = placed;
  const sinceMs = (): number => Math.round(systemClock.rising() - answeredAtMs);
  let { orderId } = placed;
  const ways: Readonly<Record<Way, () => Promise<boolean>>> = {
    found_by_client_id: async () => {
      const order = await byClientId(venue, placed);
      orderId ??= order?.orderId;
      return order !== undefined;
    },
    found_by_order_id: async () => orderId !== undefined && (await venue.order(symbol, orderId)).ok,
    listed: async () => {
      const page = await venue.orders({ state: "open", symbol });
      return page.ok && page.value.orders.some((each) => each.orderId === orderId || each.userref === userref);
    },
  };
  const names = Object.keys(ways) as Way[];
  const seen = new Map<Way, Seen>();
  for (let looks = 1; seen.size < names.length && sinceMs() < LOOK_FOR_MS && !stop.aborted; looks++) {
    const left = names.filter((name) => !seen.has(name));
    await Promise.all(
      left.map(async (name) => {
        if (await ways[name]()) seen.set(name, { ms: sinceMs(), looks });
      }),
    );
    if (seen.size < names.length) await pause(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
  const cardMs = venue.card.visible_after_ms;
  return names.map((step) => ({
    step,
    finding: visibleFinding(step, seen.get(step), { lookedMs: sinceMs(), cardMs }),
  }));
}

function visibleFinding(
  step: Way,
  seen: Seen | undefined,
  { lookedMs, cardMs }: { readonly lookedMs: number; readonly cardMs: number },
): Finding {
  if (seen === undefined) return { result: "failed", note: (say) => say("probe.not_found", { ms: String(lookedMs) }) };
  const { ms, looks } = seen;
  // What the card says is zero is an exchange that shows an order with its answer: a look takes some time too.
  const isSlow = ms > Math.max(cardMs, LOOK_EVERY_MS) && looks > 1;
  return {
    result: isSlow ? "differs" : "ok",
    ms,
    note: (say) =>
      [
        say("probe.found", { ms: String(ms), looks: String(looks) }),
        ...(step === "found_by_client_id" ? [say("probe.measured", { ms: String(ms), card: String(cardMs) })] : []),
        ...(isSlow ? [say("probe.slower")] : []),
      ].join(" "),
  };
}

async function byClientId(venue: ProbedVenue, { userref, symbol }: Placed): Promise<Order | undefined> {
  const found = await venue.lookup({ userref, symbol });
  return found.ok && found.value.kind === "found" ? found.value.item[0] : undefined;
}

/** @returns what is said of it, given how a volume is shown */
export async function canceledLooks(
  venue: ProbedVenue,
  placed: Placed,
  settleMs: number,
): Promise<(shown: (volume: string) => string) => Finding> {
  const begunMs = systemClock.rising();
  let order: Order | undefined;
  do {
    order = (await byClientId(venue, placed)) ?? (await byOrderId(venue, placed)) ?? order;
    if (order !== undefined && order.state !== "open") break;
    await pause(LOOK_EVERY_MS);
  } while (systemClock.rising() - begunMs < Math.max(settleMs, LOOK_FOR_MS / 4));
  const state = order?.state ?? "not found";
  if (order === undefined || (state !== "canceled" && state !== "filled"))
    return () => ({ result: "failed", note: (say) => say("probe.not_canceled", { state }) });
  const { executed_volume: volume } = order;
  if (quantity(volume).isZero()) return () => ({ result: "ok", note: (say) => say("probe.canceled") });
  return (shown) => ({ result: "differs", note: (say) => say("probe.executed", { volume: shown(volume) }) });
}

async function byOrderId(venue: ProbedVenue, { symbol, orderId }: Placed): Promise<Order | undefined> {
  if (orderId === undefined) return undefined;
  const found = await venue.order(symbol, orderId);
  return found.ok ? found.value : undefined;
}
