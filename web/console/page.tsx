/** The frame of the page: where one is and with what money, the way to each view, the brake, and what is told on every view. */

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { NoteText } from "./parts/notice.tsx";
import { useConsole } from "./state/console.ts";
import { hashOf, VIEWS, type View } from "./state/route.ts";
import { ApprovalsView, WaitingLine } from "./views/approvals.tsx";
import { AssistantsView } from "./views/assistants.tsx";
import { AuditView } from "./views/audit.tsx";
import { Brake, HaltedLine } from "./views/brake.tsx";
import { ConnectionLine } from "./views/connection-line.tsx";
import { OrdersView } from "./views/orders.tsx";
import { PlansView } from "./views/plans.tsx";
import { PlansLine } from "./views/plans-line.tsx";
import { PolicyView } from "./views/policy.tsx";
import { PortfolioView } from "./views/portfolio.tsx";
import { SettingsView } from "./views/settings.tsx";
import { StatusLines } from "./views/status-lines.tsx";
import { TradeView } from "./views/trade.tsx";

const SHOWN: Readonly<Record<View, () => JSX.Element>> = {
  trade: TradeView,
  portfolio: PortfolioView,
  orders: OrdersView,
  plans: PlansView,
  approvals: ApprovalsView,
  policy: PolicyView,
  audit: AuditView,
  assistants: AssistantsView,
  settings: SettingsView,
};

/** Those for which a phone has a place of their own at the bottom; the others stand behind "more". */
const NEAR: readonly View[] = ["trade", "portfolio", "orders", "approvals"];

export function Page() {
  const { route, words, session } = useConsole();
  const { say } = words.value;
  const { view, of } = route.value;
  usePageSetting();
  // Whoever has gone to another view begins at its top, also by the keyboard.
  // Of what waits the one that is named is brought into view.
  useEffect(() => {
    if (view !== "approvals" || of === undefined) scrollTo(0, 0);
  }, [view, of]);
  const Shown = view === "more" ? MoreView : SHOWN[view];
  return (
    <div class={session.value.environment === "live" ? "page live" : "page sandbox"}>
      <button type="button" class="skip" onClick={() => document.getElementById("content")?.focus()}>
        {say("page.skip")}
      </button>
      <Head />
      <Navigation />
      <main id="content" tabIndex={-1} class={`view-${view}`}>
        <ConnectionLine />
        <HaltedLine />
        <WaitingLine />
        <PlansLine />
        <StatusLines />
        <Shown />
      </main>
      <NotesTold />
    </div>
  );
}

/** Language, theme, title and icon belong to the document. */
function usePageSetting(): void {
  const { locale, preferences, session, route, words, live } = useConsole();
  const { say } = words.value;
  const { environment, is_practice } = session.value;
  const { view } = route.value;
  const count = live.approvals.value?.waiting.length ?? 0;
  const { theme } = preferences.value;
  useEffect(() => {
    const root = document.documentElement;
    root.lang = locale.value;
    root.dataset["theme"] = theme;
  }, [locale.value, theme]);
  useEffect(() => {
    const money = say(environment === "live" ? "page.live" : "page.sandbox");
    document.title = `${count > 0 ? `(${count}) ` : ""}[${money}] ${say(`nav.${view}`)} · hoga`;
  }, [locale.value, view, count, environment]);
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon === null) return;
    icon.href =
      environment === "live"
        ? new URL("./icon-live.svg", import.meta.url).href
        : new URL("./icon-sandbox.svg", import.meta.url).href;
  }, [environment, is_practice]);
}

function Head() {
  const { session, words, account: named, exchange: at } = useConsole();
  const { say } = words.value;
  const { environment, is_practice } = session.value;
  const [account, exchange] = [named.value, at.value];
  const live = environment === "live";
  const more = live ? "page.live_more" : is_practice ? "page.sandbox_more" : "page.sandbox_theirs";
  return (
    <header class="head">
      <span class="brand">hoga</span>
      <span class="money">
        <strong>{say(live ? "page.live" : "page.sandbox")}</strong> <span>{say(more)}</span>
      </span>
      <span class="account">
        {exchange === undefined ? say("page.account", { account }) : say("page.account_at", { exchange, account })}
      </span>
      <Brake />
    </header>
  );
}

function Navigation() {
  const { route, words, live } = useConsole();
  const { say } = words.value;
  const { view: open } = route.value;
  const waiting = live.approvals.value?.waiting.length ?? 0;
  const isBehind = open === "more" || !NEAR.includes(open);
  return (
    <nav aria-label={say("nav.title")}>
      <ul>
        {VIEWS.map((view) => (
          <li key={view} class={NEAR.includes(view) ? "" : "far"}>
            <a href={hashOf({ view })} aria-current={open === view ? "page" : undefined}>
              {say(`nav.${view}`)}
              {view === "approvals" && waiting > 0 && <span class="count">{waiting}</span>}
            </a>
          </li>
        ))}
        <li class="behind">
          <a href="#/more" aria-current={isBehind ? "page" : undefined}>
            {say("nav.more")}
          </a>
        </li>
      </ul>
    </nav>
  );
}

function MoreView() {
  const { say } = useConsole().words.value;
  return (
    <>
      <h1>{say("nav.more")}</h1>
      <ul class="panel links">
        {VIEWS.filter((view) => !NEAR.includes(view)).map((view) => (
          <li key={view}>
            <a href={hashOf({ view })}>{say(`nav.${view}`)}</a>
          </li>
        ))}
      </ul>
    </>
  );
}

function NotesTold() {
  const { notes, words } = useConsole();
  const { say } = words.value;
  return (
    <section class="notes" aria-label={say("notes.title")} aria-live="polite">
      {notes.kept.value.map((note) => (
        <div key={note.id} class={`note ${note.tone}`}>
          <p>
            <NoteText note={note} />
          </p>
          <button type="button" class="quiet" aria-label={say("act.close")} onClick={() => notes.putAway(note.id)}>
            ✕
          </button>
        </div>
      ))}
    </section>
  );
}
