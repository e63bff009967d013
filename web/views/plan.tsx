/**
 * A plan, and where one waits for a person the whole of what they are asked, as the desk says it.
 *
 * Invariant: it only shows. Its one button looks again; a person says yes elsewhere.
 */
import { useMemo } from "preact/hooks";
import type { PlanSheet, ViewMeta } from "../../src/mcp/person/view-data.ts";
import { Badge, Failure, HowToApprove, Line, Refresh, useFresh } from "./parts.tsx";
import type { ViewProps } from "./view-props.ts";

/** A result with a sheet in it; a call that failed has none. */
export function Plan(props: ViewProps) {
  const meta = props.result._meta as ViewMeta | undefined;
  const sheet = meta?.["hoga/plan"];
  return sheet === undefined ? <Failure {...props} /> : <Sheet {...props} sheet={sheet} />;
}

function Sheet({ sheet: first, ...props }: ViewProps & { readonly sheet: PlanSheet }) {
  const { words, result } = props;
  const { say, shared } = words;
  const { planId } = first;
  const { shown, refresh, state } = useFresh({ ...props, given: { plan_id: planId } }, "list_plans");
  const time = useMemo(() => (shown === result ? undefined : Date.now()), [shown]);
  const { environment, next_action } = result.structuredContent as {
    environment: "sandbox" | "live";
    next_action?: string;
  };
  const { symbol, isAsked, [shared.locale]: card } = (shown._meta as ViewMeta | undefined)?.["hoga/plan"] ?? first;
  return (
    <article aria-label={card.kind}>
      <header>
        <h1>{card.kind}</h1>
        <Badge words={words} environment={environment} />
      </header>
      <p class="lead">
        <strong>{symbol}</strong> <span class="faint">{card.state}</span>
      </p>
      <dl>
        {card.figures.map(([name, value]) => (
          <Line key={name} name={name}>
            {value}
          </Line>
        ))}
      </dl>
      <section class={isAsked ? "box warn" : "box"}>
        {card.lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </section>
      {isAsked && (
        <footer>
          <p class="faint">{say("plan.no_yes")}</p>
          {next_action !== undefined && <HowToApprove say={say} told={next_action} />}
        </footer>
      )}
      {planId !== null && <Refresh words={words} state={state} time={time} onRefresh={() => void refresh()} />}
    </article>
  );
}
