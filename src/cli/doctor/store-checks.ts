/** The store, looked at and left as it is: whether it can be read, its log is whole, trading is halted, and what waits or is not known. */
import type { Home } from "../../config/index.ts";
import type { StoreLook } from "../../store/index.ts";
import { expectedStore, storeToLookAt } from "../composition/home-mark.ts";
import { type Check, explained, fine, isCheck, warned, wrong } from "./check.ts";

type CommandLine = (...words: readonly string[]) => string;

interface Asked {
  readonly home: Home;
  /** Money may be real. */
  readonly isLive: boolean;
  readonly commandLine: CommandLine;
}

export async function storeChecks({ home, isLive, commandLine }: Asked): Promise<readonly Check[]> {
  const look = await explained("store", () => lookAtHome(home));
  if (isCheck(look)) return [look];
  const { is, path } = look;
  switch (is) {
    case "none":
      return [fine("store", (say) => say("store.none", { path })), ...pinCheck(false, isLive, commandLine)];
    case "older":
      return [fine("store", (say) => say("store.older", { path, version: look.version, current: look.current }))];
    case "current":
      return [
        fine("store", (say) => say("store.current", { path, version: look.version })),
        auditCheck(look, commandLine),
        haltCheck(look, commandLine),
        ...putBackCheck(look, commandLine),
        ...pinCheck(look.hasPin, isLive, commandLine),
        openCheck(look, commandLine),
        ...plansCheck(look, commandLine),
        ...parkedCheck(look, commandLine),
      ];
    default:
      return is satisfies never;
  }
}

async function lookAtHome(home: Home): Promise<StoreLook> {
  await expectedStore(home);
  const { lookAtStore } = await import("../../store/index.ts");
  return lookAtStore(await storeToLookAt(home));
}

type Current = Extract<StoreLook, { readonly is: "current" }>;

function auditCheck({ log }: Current, commandLine: CommandLine): Check {
  const { count } = log;
  if (log.ok) return fine("audit", (say) => say("audit.whole", { count }));
  const { seq, what } = log;
  return wrong(
    "audit",
    (say) => say("audit.broken", { seq, what, count }),
    (say) => say("audit.more", { command: commandLine("audit", "verify") }),
  );
}

function haltCheck({ halted }: Current, commandLine: CommandLine): Check {
  if (halted === undefined) return fine("halt", (say) => say("halt.none"));
  const { atMs, reason } = halted;
  return warned(
    "halt",
    (say) => say("halt.since", { time: new Date(atMs).toISOString(), reason }),
    (say) => say("halt.resume", { command: commandLine("resume") }),
  );
}

function putBackCheck({ putBack }: Current, commandLine: CommandLine): readonly Check[] {
  if (putBack === undefined) return [];
  const { resumed } = putBack;
  const time = new Date(putBack.atMs).toISOString();
  if (resumed === undefined)
    return [
      warned(
        "restore",
        (say) => say("restore.waits", { time }),
        (say) => say("restore.resume", { command: commandLine("resume") }),
      ),
    ];
  const { shown } = resumed;
  const times = { time, resumed: new Date(resumed.atMs).toISOString() };
  return [
    fine("restore", (say) =>
      shown === undefined ? say("restore.unlisted", times) : say("restore.listed", { ...times, count: String(shown) }),
    ),
  ];
}

/** Paper money needs none. */
function pinCheck(hasPin: boolean, isLive: boolean, commandLine: CommandLine): readonly Check[] {
  if (!isLive) return [];
  if (hasPin) return [fine("pin", (say) => say("pin.is"))];
  const set = warned(
    "pin",
    (say) => say("pin.none"),
    (say) => say("pin.set", { command: commandLine("pin") }),
  );
  return [set];
}

const SHOWN = 5;

function openCheck({ open }: Current, commandLine: CommandLine): Check {
  const unknown = open.filter(({ state }) => state === "unknown").map(({ id }) => id);
  const waiting = open.length - unknown.length;
  if (unknown.length === 0) return fine("orders", (say) => say("orders.answered", { waiting }));
  const named = `${unknown.slice(0, SHOWN).join(", ")}${unknown.length > SHOWN ? ", …" : ""}`;
  return warned(
    "orders",
    (say) => say("orders.unknown", { count: unknown.length, named, waiting }),
    (say) => say("orders.settle", { command: commandLine("settle", "ID", "placed") }),
  );
}

/** Whoever looks after plans does so twice a second. */
const WATCHED_MS = 15_000;

/** Nothing is said where there is none. What waits for a yes is listed by `hoga pending`. */
function plansCheck({ plans, watchedAtMs }: Current, commandLine: CommandLine): readonly Check[] {
  const active = plans.filter(({ state }) => state === "active").length;
  const still = plans.filter(({ state }) => state === "paused" || state === "attention").map(({ id }) => id);
  const isWatched = watchedAtMs !== undefined && Math.abs(Date.now() - watchedAtMs) < WATCHED_MS;
  const named = `${still.slice(0, SHOWN).join(", ")}${still.length > SHOWN ? ", …" : ""}`;
  const standing = warned(
    "plans",
    (say) => say("plans.still", { count: still.length, named }),
    (say) => say("plans.resume", { command: commandLine("plans", "resume", "ID") }),
  );
  const unwatched = warned(
    "plans",
    (say) => say("plans.unwatched", { active }),
    (say) => say("plans.start", { command: commandLine("start") }),
  );
  const watched = fine("plans", (say) => say("plans.watched", { active }));
  return [...(still.length === 0 ? [] : [standing]), ...(active === 0 ? [] : [isWatched ? watched : unwatched])];
}

/** What was written earlier is nobody's concern any more. */
const PARKED_MS = 7 * 86_400_000;

function parkedCheck({ parked }: Current, commandLine: CommandLine): readonly Check[] {
  const recent = parked.filter(({ atMs }) => atMs > Date.now() - PARKED_MS);
  if (recent.length === 0) return [];
  const named = `${recent
    .slice(0, SHOWN)
    .map(({ type, planId }) => `${type} (${planId})`)
    .join(", ")}${recent.length > SHOWN ? ", …" : ""}`;
  return [
    warned(
      "notices",
      (say) => say("notices.parked", { count: recent.length, named }),
      (say) => say("notices.look", { command: commandLine("plans", "list", "--all") }),
    ),
  ];
}
