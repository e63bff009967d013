/** A view in the chat: what the chat says of itself and of the result, shown by the view that the page names. */
import { render } from "preact";
import type { ViewMeta } from "../../src/mcp/person/view-data.ts";
import { Bridge, type HostContext, type ToolResult } from "./bridge.ts";
import { OrderTicket } from "./order-ticket.tsx";
import { Orderbook } from "./orderbook.tsx";
import { Plan } from "./plan.tsx";
import { Portfolio } from "./portfolio.tsx";
import type { ViewProps } from "./view-props.ts";
import { viewWords } from "./words/view-words.ts";

const VIEWS = { "order-ticket": OrderTicket, orderbook: Orderbook, plan: Plan, portfolio: Portfolio };

const root = document.documentElement;
const place = document.getElementById("view");
let context: HostContext = {};
let given: ViewProps["given"] = {};
let result: ToolResult | undefined;
let isCanceled = false;

const bridge = new Bridge(window.parent, {
  onContext(changed) {
    context = { ...context, ...changed };
    show();
  },
  onArguments(args) {
    given = args;
  },
  onResult(now) {
    result = now;
    show();
  },
  onCanceled() {
    isCanceled = true;
    show();
  },
});

/** Whoever set Korean, in hoga or in the chat, reads Korean. */
function words() {
  const reader = (result?._meta as ViewMeta | undefined)?.["hoga/reader"];
  const locale = reader?.locale === "ko" || context.locale?.startsWith("ko") === true ? "ko" : "en";
  return viewWords(locale, context.timeZone ?? reader?.timeZone ?? "UTC");
}

function show(): void {
  if (place === null) return;
  const said = words();
  root.lang = said.shared.locale;
  root.style.colorScheme = context.theme ?? "light dark";
  // No fonts of the chat's: they would be loaded from elsewhere.
  for (const [name, value] of Object.entries(context.styles?.variables ?? {}))
    if (value !== undefined && name.startsWith("--")) root.style.setProperty(name, value);
  const View = VIEWS[document.body.dataset["view"] as keyof typeof VIEWS];
  if (result === undefined) {
    render(<p class="faint">{said.say(isCanceled ? "view.canceled" : "view.waiting")}</p>, place);
    return;
  }
  render(<View words={said} given={given} result={result} bridge={bridge} />, place);
}

show();
await bridge.begin();
