/** Tells what was found out about an order, or a movement of money, without an answer, for whoever has to decide. */
import type { Words } from "./words.ts";

/** Field names are public, as in the desk's reports. */
interface Shown {
  readonly lookups: number;
  readonly since: string;
  readonly last_at: string;
  /** Belongs to an order alone. */
  readonly in_open_list?: boolean | null;
  readonly in_closed_list?: boolean | null;
  readonly locked_explained?: boolean | null;
}

export function evidenceWords(shown: Shown, { say, when }: Pick<Words, "say" | "when">): string {
  const { lookups, since, last_at, in_open_list, in_closed_list, locked_explained } = shown;
  return [
    say("evidence.looked", { lookups, since: when(since), last: when(last_at) }),
    ...(in_open_list === undefined ? [] : [say(OPEN[answerOf(in_open_list)])]),
    ...(in_closed_list === undefined ? [] : [say(CLOSED[answerOf(in_closed_list)])]),
    ...(locked_explained === undefined ? [] : [say(LOCKED[answerOf(locked_explained)])]),
  ].join(" ");
}

const OPEN = { yes: "evidence.open.yes", no: "evidence.open.no", unread: "evidence.open.unread" } as const;
const CLOSED = { yes: "evidence.closed.yes", no: "evidence.closed.no", unread: "evidence.closed.unread" } as const;
const LOCKED = { yes: "evidence.locked.yes", no: "evidence.locked.no", unread: "evidence.locked.unread" } as const;

function answerOf(said: boolean | null): "yes" | "no" | "unread" {
  return said === null ? "unread" : said ? "yes" : "no";
}
