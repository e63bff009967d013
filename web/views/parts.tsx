/** What several views have. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { shortAmount } from "../../src/words/index.ts";
import type { ToolResult } from "./bridge.ts";
import type { ViewProps } from "./view-props.ts";
import type { ViewWords } from "./words/view-words.ts";

/** Which money is at stake; never by colour alone. */
export function Badge({
  words: { say, shared },
  environment,
}: {
  readonly words: ViewWords;
  readonly environment: "sandbox" | "live";
}) {
  return (
    <span class={`badge ${environment}`}>
      {shared.locale === "ko" ? "" : `${environment === "live" ? "LIVE" : "sandbox"} · `}
      {say(`money.${environment}`)}
    </span>
  );
}

export function Line({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Where a person says yes. @param told by the desk, in English; what it names of a page and a command stands alone */
export function HowToApprove({
  say,
  told = "",
}: {
  readonly say: ViewWords["say"];
  readonly told: string | undefined;
}) {
  const [, page] = /console at ([^\s,]+)/.exec(told) ?? [];
  const [, command] = /`([^`]*\bapprove\b[^`]*)`/.exec(told) ?? [];
  if (command === undefined) return <p lang="en">{told}</p>;
  return (
    <>
      {page !== undefined && (
        <p>
          {say("view.on_page")} <code>{page}</code>
        </p>
      )}
      <p>
        {say("view.on_terminal")} <code>{command}</code>
      </p>
    </>
  );
}

/** A call that failed, or came without what its view shows: its text, which says what to do. */
export function Failure({ result: { content = [], isError = false } }: ViewProps) {
  return (
    <p class={isError ? "box bad" : "box"} role="alert" lang="en">
      {content.map(({ text = "" }) => text).join("\n")}
    </p>
  );
}

/** The result of the call, and of those that the view made since. */
export function useFresh({ given, result, bridge }: ViewProps, tool: string) {
  const [fresh, setFresh] = useState<ToolResult | undefined>();
  const [state, setState] = useState<"still" | "refreshing" | "failed">("still");
  const refresh = async (changed: Readonly<Record<string, unknown>> = {}): Promise<void> => {
    setState("refreshing");
    // A picture is for those that show no view.
    const { chart: _, ...args } = { ...given, ...changed };
    const answer = await bridge.call({ name: tool, arguments: args }).catch(() => undefined);
    const isGood = answer?.structuredContent !== undefined && answer.isError !== true;
    if (isGood) setFresh(answer);
    setState(isGood ? "still" : "failed");
  };
  return { shown: fresh ?? result, refresh, state };
}

interface RefreshProps {
  readonly words: ViewWords;
  readonly state: "still" | "refreshing" | "failed";
  /** Absent where it is not known. */
  readonly time?: string | number | undefined;
  readonly onRefresh: () => void;
}

export function Refresh({ words: { say, shared }, state, time, onRefresh }: RefreshProps) {
  return (
    <p class="press">
      <button type="button" disabled={state === "refreshing"} onClick={onRefresh}>
        {say(state === "refreshing" ? "view.refreshing" : "view.refresh")}
      </button>
      <span class="faint" role="status">
        {state === "failed"
          ? say("view.not_refreshed")
          : time !== undefined && say("view.as_of", { time: shared.when(time) })}
      </span>
    </p>
  );
}

/** A computed amount: where there are hundreds of won, what is smaller than one says nothing. */
export function money(text: string, asset: string): string {
  return shortAmount(asset === "KRW" ? text.replace(/^(-?\d{3,})\..*$/, "$1") : text, asset);
}
