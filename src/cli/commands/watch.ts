/**
 * `hoga watch`: the market as it changes. The stream says when there is something new; where it does not, the exchange is asked every second.
 *
 * Invariants: a terminal is left as it was, however the watch ends; a reading that fails is said, and the next one is tried.
 *
 * Source: commands.md#watch.
 */
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { ok, type Result, type Ticker } from "../../contract/index.ts";
import { type BookView, type Desk, reportError, type StreamTopic } from "../../desk/index.ts";
import { faultLines, unwrap } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { untilStopped } from "../shutdown.ts";
import { bookText, tickerText } from "../text/market-text.ts";
import { paintOf } from "../text/paint.ts";
import { type LookOptions, look } from "./look.ts";

/** Between two pictures, however much changes: nobody reads faster. */
const PICTURE_MS = 500;
/** Asks this often where the stream does not tell. */
const POLL_MS = 1_000;
/** Asks this often where it does, for what it may not carry. */
const QUIET_MS = 15_000;
/** A price beside a book is this old at most. */
const TICKER_MS = 2_000;
/** A part of what one connection of the stream takes. */
const TOPICS_MAX = 50;
/** Levels a side, where a terminal has the lines for them. */
const DEPTH = 10;
/** Lines of a picture of one market that are no levels. */
const OTHER_LINES = 7;

interface View {
  readonly topics: readonly StreamTopic[];
  readonly read: () => Promise<Result<Picture>>;
}

interface Picture {
  readonly text: string;
  readonly content: object;
}

type Show = (read: Result<Picture>) => void;

export async function watch(symbol: string | undefined, options: LookOptions, run: Invocation): Promise<void> {
  const isJson = options.json === true;
  const isFollowed = isJson || run.io.stdout.isTTY === true;
  await look(run, { ...options, follows: isFollowed }, async (desk) => {
    const view = symbol === undefined ? await allMarkets(run, desk) : await oneMarket(run, desk, symbol);
    const first = unwrap(await view.read());
    if (!isFollowed) return run.out.print(`${run.words.say(`money.${desk.environment}`)} ${first.text}`);
    if (isJson) return follow(run, desk, { ...view, first, show: lines(run, desk) });
    const screen = new LiveScreen(run);
    try {
      await follow(run, desk, { ...view, first, show: pictures(run, desk, screen) });
    } finally {
      screen.close();
    }
  });
}

/** All of a market's book that fits, and its price. */
async function oneMarket(run: Invocation, desk: Desk, typed: string): Promise<View> {
  const { symbol } = unwrap(await desk.market(typed));
  const paint = paintOf(run);
  let [tickers, readAtMs]: [readonly Ticker[], number] = [[], 0];
  return {
    topics: [{ channel: "orderbook", symbol }],
    read: async () => {
      const book = await desk.orderbook(symbol, DEPTH, "followed");
      if (!book.ok) return book;
      if (Date.now() - readAtMs > TICKER_MS) {
        const read = await desk.tickers([symbol]);
        if (!read.ok) return read;
        [tickers, readAtMs] = [read.value, Date.now()];
      }
      const text = [tickerText(tickers, run.words, paint), bookText(fitting(book.value, run), run.words, paint)].join(
        "\n\n",
      );
      return ok({ text, content: { ticker: tickers[0], orderbook: book.value } });
    },
  };
}

/** Keeps as many levels as the terminal shows. */
function fitting(book: BookView, { io: { stdout } }: Invocation): BookView {
  const { rows = OTHER_LINES + 2 * DEPTH } = stdout;
  const depth = Math.max(1, Math.min(DEPTH, Math.floor((rows - OTHER_LINES) / 2)));
  return { ...book, tick: { buys: book.tick.buys.slice(0, depth), asks: book.tick.asks.slice(0, depth) } };
}

async function allMarkets(run: Invocation, desk: Desk): Promise<View> {
  const markets = unwrap(await desk.markets());
  const paint = paintOf(run);
  return {
    topics: markets.slice(0, TOPICS_MAX).map(({ symbol }) => ({ channel: "ticker", symbol })),
    read: async () => {
      const read = await desk.tickers();
      return read.ok ? ok({ text: tickerText(read.value, run.words, paint), content: { tickers: read.value } }) : read;
    },
  };
}

/** Until the person, or whoever reads the output, has had enough. */
async function follow(
  run: Invocation,
  desk: Desk,
  { topics, read, first, show }: View & { readonly first: Picture; readonly show: Show },
): Promise<void> {
  const stop = new AbortController();
  const bell = new Bell(stop.signal);
  const watches = await Promise.all(topics.map((topic) => desk.watch(topic, () => bell.ring())));
  const drawing = async (): Promise<void> => {
    show(ok(first));
    while (!stop.signal.aborted) {
      await pause(PICTURE_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      const isLive = watches.every((watched) => watched.ok && watched.value.live);
      await bell.heard(isLive ? QUIET_MS : POLL_MS);
      const next = await Promise.race([read(), bell.stopped]);
      if (next !== undefined) show(next);
    }
  };
  const drawn = drawing();
  // `hoga watch --json | head`: the reader has gone.
  const gone = once(run.io.stdout, "close", { signal: stop.signal });
  await untilStopped(
    run,
    async () => {
      stop.abort();
      await drawn;
    },
    Promise.race([drawn, gone]),
  );
  for (const watched of watches) if (watched.ok) watched.value.close();
}

/** Rung by what changes; heard once, or after some time. */
class Bell {
  /** Settles at the end. */
  readonly stopped: Promise<undefined>;
  #isRung = false;
  #wake = (): void => {};

  constructor(signal: AbortSignal) {
    this.stopped = new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));
  }

  ring(): void {
    this.#isRung = true;
    this.#wake();
  }

  async heard(withinMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const rung = new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, withinMs);
    });
    if (!this.#isRung) await Promise.race([rung, this.stopped]);
    this.#isRung = false;
    clearTimeout(timer);
  }
}

/** For people. What a reading that failed says stands below the last picture. */
function pictures(run: Invocation, { environment }: Desk, screen: LiveScreen): Show {
  const head = run.words.say("watch.head", { money: run.words.say(`money.${environment}`) });
  let last = "";
  return (read) => {
    if (read.ok) last = read.value.text;
    screen.show([read.ok ? head : `${head}. ${faultLines(read.fault, run.words)[0] ?? ""}`, last].join("\n"));
  };
}

/** For programs: a line for each change. When something was calculated is none. */
function lines({ out }: Invocation, { environment }: Desk): Show {
  let last = "";
  return (read) => {
    const content = read.ok ? read.value.content : { error: reportError(read.fault) };
    const said = JSON.stringify(content, (name, value: unknown) => (name === "time" ? undefined : value));
    if (said !== last) out.printJson({ environment, ...content });
    last = said;
  };
}

/** The second screen, without a cursor, and lines that are cut instead of broken. */
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";
const ROWS = 48;

/** A picture that is drawn over and over, on the second screen, which leaves what was there as it was. */
class LiveScreen {
  readonly #run: Invocation;
  #shown: string | undefined;

  constructor(run: Invocation) {
    this.#run = run;
  }

  show(text: string): void {
    const { io, out } = this.#run;
    const lines = text.split("\n").slice(0, io.stdout.rows ?? ROWS);
    const enter = this.#shown === undefined ? ENTER : "";
    this.#shown = text;
    out.write(`${enter}\u001b[H${lines.map((line) => `${line}\u001b[K`).join("\r\n")}\u001b[J`);
  }

  /** The last picture stays, on the screen that was there before. */
  close(): void {
    if (this.#shown === undefined) return;
    this.#run.out.write(LEAVE);
    this.#run.out.print(this.#shown);
    this.#shown = undefined;
  }
}
