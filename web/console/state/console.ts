/**
 * Owns what the page knows: the session, the newest of each topic, what was read, what this browser prefers. The views look at it
 * through `useConsole`.
 *
 * Invariant: what the views show of the account came from the server; nothing is guessed while an answer is outstanding.
 */
import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ConsoleEvents, ConsoleMarkets, ConsoleSession } from "../../../src/serve/console/console-api.ts";
import type { Writes } from "../../../src/serve/console/console-routes.ts";
import type { Locale } from "../../../src/words/index.ts";
import { type Answer, read, type Told, write } from "../request.ts";
import { type PageWords, pageWords } from "../words/page-words.ts";
import { type Clock, clockBy } from "./clock.ts";
import { openStream, type Stream } from "./connection.ts";
import { newestOf, type Soon } from "./newest.ts";
import { createNotes, type Notes } from "./notes.ts";
import { keepPreferences, type Preferences, readPreferences } from "./preferences.ts";
import { type Route, routeOf } from "./route.ts";

type Topics = Omit<ConsoleEvents, "changed">;
type Live = { readonly [Topic in keyof Topics]: Signal<Topics[Topic] | undefined> };
export type ChangedPart = ConsoleEvents["changed"]["what"][number];

const TOPICS = ["status", "approvals", "orders", "plans", "tickers", "book", "trades", "assistants"] as const;

export interface Console {
  readonly session: Signal<ConsoleSession>;
  readonly markets: Signal<ConsoleMarkets["markets"]>;
  readonly live: Live;
  /** Rises whenever the server says that this part is to be read anew. */
  readonly changes: { readonly [Part in ChangedPart]: Signal<number> };
  readonly stream: Stream;
  /** Whether nothing comes from the server: what is shown may be old, and nothing but a halt is to be sent. */
  readonly isCutOff: ReadonlySignal<boolean>;
  /** Of the newest status; until the first one, of the session. */
  readonly account: ReadonlySignal<string>;
  /** What people call the exchange; undefined for the one that hoga specifies, whose name stands on every page anyway. */
  readonly exchange: ReadonlySignal<string | undefined>;
  readonly clock: Clock;
  /** Unix milliseconds by `clock`, moved on every second. */
  readonly now: Signal<number>;
  readonly route: Signal<Route>;
  /** The market that is looked at. */
  readonly symbol: ReadonlySignal<string>;
  /** The same, with its rules; undefined until they are known. */
  readonly market: ReadonlySignal<ConsoleMarkets["markets"][number] | undefined>;
  readonly preferences: Signal<Preferences>;
  readonly locale: ReadonlySignal<Locale>;
  readonly words: ReadonlySignal<PageWords>;
  readonly notes: Notes;
  readonly prefer: (change: Partial<Preferences>) => void;
  readonly read: typeof read;
  readonly write: <Path extends keyof Writes>(path: Path, body: Writes[Path]["asked"]) => Promise<Answer<Told<Path>>>;
}

/** The server is heard of every other second while all is well. */
const SILENT_MS = 5_000;

/** Nobody reads faster; and the browser draws whatever else moves with the frames in between. */
const PICTURE_MS = 50;

/** With a frame, a few times a second; where nobody looks none is drawn, and what waits for a person is told all the same. */
function soonWithFrames(): Soon {
  let lastAt = 0;
  return (work) => {
    if (document.hidden) return void setTimeout(work, 250);
    const draw = (now: number): void => {
      lastAt = now;
      work();
    };
    const wait = lastAt + PICTURE_MS - performance.now();
    if (wait <= 0) requestAnimationFrame(draw);
    else setTimeout(() => requestAnimationFrame(draw), wait);
  };
}

function nothingYet(): Live {
  return {
    status: signal(undefined),
    approvals: signal(undefined),
    orders: signal(undefined),
    plans: signal(undefined),
    tickers: signal(undefined),
    book: signal(undefined),
    trades: signal(undefined),
    assistants: signal(undefined),
  };
}

export function openConsole(opened: ConsoleSession): Console {
  const session = signal(opened);
  const markets = signal<ConsoleMarkets["markets"]>([]);
  const live = nothingYet();
  const changes = {
    portfolio: signal(0),
    history: signal(0),
    fills: signal(0),
    audit: signal(0),
    policy: signal(0),
    session: signal(0),
  };
  const clock = clockBy();
  const now = signal(clock.now());
  const route = signal(routeOf(location.hash));
  const preferences = signal(readPreferences(localStorage));
  const locale = computed(() =>
    preferences.value.language === "auto" ? session.value.locale : preferences.value.language,
  );
  const symbol = symbolOf(route, markets);
  const newest = newestOf<Topics>(soonWithFrames(), (topic, value) => {
    if (topic === "status") clock.heard((value as Topics["status"]).now.utc);
    (live[topic] as Signal<unknown>).value = value;
  });
  const stream = openStream([...TOPICS, "changed"], (topic, text) => {
    if (topic === "changed") {
      const { what } = JSON.parse(text) as ConsoleEvents["changed"];
      batch(() => {
        for (const part of what) changes[part].value += 1;
      });
    } else newest.take(topic as keyof Topics, text);
  });
  const heeded = <Value>(answer: Answer<Value>): Answer<Value> => {
    if (!answer.ok && answer.kind === "ended") stream.end();
    return answer;
  };
  return {
    session,
    markets,
    live,
    changes,
    stream,
    isCutOff: cutOff(stream, now),
    account: computed(() => live.status.value?.account ?? session.value.account),
    exchange: computed(() => exchangeName(session.value, locale.value)),
    clock,
    now,
    route,
    symbol,
    market: computed(() => markets.value.find((each) => each.symbol === symbol.value)),
    preferences,
    locale,
    words: computed(() => pageWords(locale.value, session.value.timezone)),
    notes: createNotes(),
    prefer(change) {
      preferences.value = { ...preferences.value, ...change };
      keepPreferences(localStorage, preferences.value);
    },
    read: async (path, query) => heeded(await read(path, query)),
    write: async (path, body) => heeded(await write(session.value.csrf, path, body)),
  };
}

function exchangeName({ exchange: { name, title } }: ConsoleSession, locale: Locale): string | undefined {
  return name === "hoga" ? undefined : title[locale];
}

function cutOff({ connection }: Stream, now: ReadonlySignal<number>): ReadonlySignal<boolean> {
  return computed(() => {
    const { state, heardAt } = connection.value;
    // Moved on by the second, as `now` is.
    return state === "lost" || (now.value > 0 && state !== "ended" && Date.now() - heardAt >= SILENT_MS);
  });
}

/** The one in the address; the one of before, where another view is open; the first of all. */
function symbolOf(route: Signal<Route>, listed: Console["markets"]): ReadonlySignal<string> {
  let last = "";
  return computed(() => {
    const { view, of } = route.value;
    const markets = listed.value;
    if (last === "") last = (markets.find(({ symbol }) => symbol === "BTC/KRW") ?? markets[0])?.symbol ?? "";
    if (view === "trade" && markets.some(({ symbol }) => symbol === of)) last = of ?? last;
    return last;
  });
}

const Context = createContext<Console | undefined>(undefined);
export const ConsoleProvider = Context.Provider;

export function useConsole(): Console {
  const known = useContext(Context);
  if (known === undefined) throw new Error("a view stands outside of the page");
  return known;
}
