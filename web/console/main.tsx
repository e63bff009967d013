/** Starts the console's page: who is here, what may be traded, then everything that the server tells. */
import { effect } from "@preact/signals";
import { render } from "preact";
import { Page } from "./page.tsx";
import { type Failed, read } from "./request.ts";
import { type Console, ConsoleProvider, openConsole } from "./state/console.ts";
import { routeOf } from "./state/route.ts";
import { takeWanted } from "./state/wanted.ts";
import { pageWords } from "./words/page-words.ts";
import { failureText } from "./words/said.ts";

async function start(root: HTMLElement): Promise<void> {
  const session = await read("session", {});
  if (!session.ok) return fail(root, session);
  const wanted = takeWanted(localStorage, Date.now());
  if (wanted !== undefined && location.hash === "") history.replaceState(null, "", wanted);
  const console = openConsole(session.value);
  keepGoing(console);
  render(
    <ConsoleProvider value={console}>
      <Page />
    </ConsoleProvider>,
    root,
  );
  await readMarkets(console);
}

const AGAIN_MS = 5_000;

/** Where the exchange does not answer, the brake and what waits are there all the same. */
async function readMarkets(console: Console): Promise<void> {
  const answer = await console.read("markets", {});
  if (!answer.ok) return void setTimeout(() => void readMarkets(console), AGAIN_MS);
  console.markets.value = answer.value.markets;
  console.live.tickers.value ??= answer.value.tickers;
}

function keepGoing(console: Console): void {
  const { clock, now, route, stream, symbol, changes, session } = console;
  setInterval(() => {
    now.value = clock.now();
  }, 1_000);
  addEventListener("hashchange", () => {
    route.value = routeOf(location.hash);
  });
  effect(() => stream.follow(symbol.value === "" ? undefined : symbol.value));
  effect(() => {
    if (changes.session.value === 0) return;
    void console.read("session", {}).then((answer) => {
      if (answer.ok) session.value = answer.value;
    });
  });
}

/** Nothing is known of whoever looks but the language of their browser. */
function fail(root: HTMLElement, failed: Failed): void {
  const locale = navigator.language.startsWith("ko") ? "ko" : "en";
  document.documentElement.lang = locale;
  const words = pageWords(locale, "UTC");
  render(
    <main class="failed">
      <h1>hoga</h1>
      <p role="alert">{failureText(failed, words)}</p>
      <button type="button" onClick={() => location.reload()}>
        {words.say("act.again")}
      </button>
    </main>,
    root,
  );
}

const root = document.getElementById("page");
if (root === null) throw new Error("the page has no place to be");
await start(root);
