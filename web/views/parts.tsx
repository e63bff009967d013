/** What several views have. */
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

/** A call that failed: its text, which says what to do. */
export function Failure({ result: { content = [] } }: ViewProps) {
  return (
    <p class="box bad" role="alert" lang="en">
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
  readonly time: string;
  readonly onRefresh: () => void;
}

export function Refresh({ words: { say, shared }, state, time, onRefresh }: RefreshProps) {
  return (
    <p class="press">
      <button type="button" disabled={state === "refreshing"} onClick={onRefresh}>
        {say(state === "refreshing" ? "view.refreshing" : "view.refresh")}
      </button>
      <span class="faint" role="status">
        {state === "failed" ? say("view.not_refreshed") : say("view.as_of", { time: shared.when(time) })}
      </span>
    </p>
  );
}

/** A computed amount: where there are hundreds of won, what is smaller than one says nothing. */
export function money(text: string, asset: string): string {
  return shortAmount(asset === "KRW" ? text.replace(/^(-?\d{3,})\..*$/, "$1") : text, asset);
}
