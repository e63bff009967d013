/**
 * The order ticket: everything that a preview says of an order, and a button that places just that draft.
 *
 * Invariants: the button is there for a valid draft alone and while that lasts; it sends the draft's id and, where no model sees or writes
 * it, the ticket; a second press leads to the order of the first, as a draft is used once.
 */
import { useEffect, useState } from "preact/hooks";
import type { Estimate, Preview, ReportedError, ViewMeta, WriteReport } from "../../src/mcp/person/view-data.ts";
import { assetsOf, orderWords } from "../../src/words/index.ts";
import type { ToolResult } from "./bridge.ts";
import { Badge, Failure, HowToApprove, Line, money } from "./parts.tsx";
import type { ViewProps } from "./view-props.ts";
import type { ViewWords } from "./words/view-words.ts";

/** A result with a preview in it; a call that failed has none. */
export function OrderTicket(props: ViewProps) {
  const preview = props.result.structuredContent as (Preview & { readonly error?: ReportedError }) | undefined;
  if (preview?.order === undefined) return <Failure {...props} />;
  return <Ticket {...props} preview={preview} />;
}

function Ticket({ words, result, bridge, preview }: ViewProps & { readonly preview: Preview }) {
  const { say, shared } = words;
  const { order, estimate, policy, problems, proposals, warnings, valid } = preview;
  const { base, quote } = assetsOf(order.symbol);
  const size =
    order.base_volume === undefined
      ? say("ticket.for", { amount: shared.amount(order.quote_amount ?? "", quote) })
      : shared.amount(order.base_volume, base);
  const price =
    order.price === undefined
      ? say("ticket.at_market")
      : say("ticket.at", { price: shared.amount(order.price, quote) });
  const lifetime = order.time_in_force === undefined ? [] : [shared.say(`lifetime.${order.time_in_force}`)];
  const how = [
    ...(order.type === "market" ? [] : [shared.say(`type.${order.type}`)]),
    ...lifetime,
    ...(order.post_only ? [shared.say("lifetime.post_only")] : []),
  ];
  return (
    <article aria-label={say("ticket.name")}>
      <header>
        <h1>
          <span class={order.side}>{shared.say(`side.${order.side}`)}</span> {size}
        </h1>
        <Badge words={words} environment={preview.environment} />
      </header>
      <p class="lead">
        <strong>{order.symbol}</strong> {price} {how.length > 0 && <span class="faint">({how.join(", ")})</span>}
      </p>
      <dl>
        {estimate && <Expected words={words} estimate={estimate} base={base} quote={quote} />}
        {policy && <Line name={say("ticket.counts")}>{shared.amount(policy.value, preview.unit)}</Line>}
        {policy && <Line name={say("ticket.policy")}>{policyText(policy, words)}</Line>}
      </dl>
      {problems.length > 0 && (
        <section class="box bad">
          <h2>{say("ticket.problems")}</h2>
          <ul>
            {problems.map((problem) => (
              <li key={problem.message}>{faultText(problem, words)}</li>
            ))}
            {proposals.map(({ field, proposed }) => (
              <li key={field}>{say("ticket.proposal", { field, proposed })}</li>
            ))}
          </ul>
        </section>
      )}
      {warnings.length > 0 && (
        <section class="box warn">
          <h2>{say("ticket.warnings")}</h2>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{shared.told(warning)}</li>
            ))}
          </ul>
        </section>
      )}
      {valid && <Press key={preview.draft_id} words={words} result={result} bridge={bridge} preview={preview} />}
    </article>
  );
}

interface ExpectedProps {
  readonly words: ViewWords;
  readonly estimate: Estimate;
  readonly base: string;
  readonly quote: string;
}

function Expected({ words: { say, shared }, estimate, base, quote }: ExpectedProps) {
  const { expected_avg_price: average, slippage_pct: slippage, resting_volume: rests } = estimate;
  const { needed, needed_asset: asset, available, total, proceeds, break_even_price: even } = estimate;
  return (
    <>
      <Line name={say("ticket.expected")}>
        {average === null
          ? say("ticket.nothing")
          : say("ticket.average", {
              volume: shared.amount(estimate.expected_volume, base),
              price: money(average, quote),
            })}
      </Line>
      {average !== null && <Line name={say("ticket.slippage")}>{slippage ?? "0"}%</Line>}
      <Line name={say("ticket.fee")}>
        {money(average === null ? estimate.maker_fee : estimate.taker_fee, estimate.fee_currency)}
      </Line>
      {total !== null && <Line name={say("ticket.total")}>{money(total, quote)}</Line>}
      {proceeds !== null && <Line name={say("ticket.proceeds")}>{money(proceeds, quote)}</Line>}
      {even !== null && <Line name={say("ticket.even")}>{money(even, quote)}</Line>}
      {/[1-9]/.test(rests) && <Line name={say("ticket.rests")}>{shared.amount(rests, base)}</Line>}
      <Line name={say("ticket.worst")}>
        {available === null
          ? shared.amount(needed, asset)
          : say("ticket.of", { needed: shared.amount(needed, asset), available: shared.amount(available, asset) })}
      </Line>
    </>
  );
}

function policyText({ verdict, why = "" }: NonNullable<Preview["policy"]>, { say, shared }: ViewWords): string {
  switch (verdict) {
    case "allowed":
      return say("ticket.allowed");
    case "needs_approval":
      return say("ticket.asks", { why: shared.reason(why) });
    case "denied":
      return say("ticket.refuses");
    default:
      return verdict satisfies never;
  }
}

/** The desk says it in English; in Korean what is known of the code comes first. */
function faultText({ code, message }: ReportedError, { shared }: ViewWords): string {
  return shared.locale === "ko" ? `${shared.korean(code, message).meaning} (${message})` : message;
}

/** What became of a press. */
type Pressed =
  | { readonly kind: "not" | "sending" }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "reported"; readonly report: WriteReport };

function Press({ words, result, bridge, preview }: Omit<ViewProps, "given"> & { readonly preview: Preview }) {
  const { say } = words;
  const { draft_id = "", expires_at = "", order } = preview;
  const [pressed, setPressed] = useState<Pressed>({ kind: "not" });
  const left = useSecondsUntil(Date.parse(expires_at));
  const place = async (): Promise<void> => {
    setPressed({ kind: "sending" });
    const ticket = (result._meta as ViewMeta | undefined)?.["hoga/ticket"];
    try {
      const answer = await bridge.call({
        name: "place_order",
        arguments: { draft_id },
        ...(ticket !== undefined && { _meta: { "hoga/ticket": ticket } satisfies ViewMeta }),
      });
      setPressed(pressedOf(answer));
      await bridge.tell(`The user pressed the button of the order ticket. place_order answered: ${textOf(answer)}`);
    } catch (error) {
      setPressed({ kind: "failed", why: error instanceof Error ? error.message : String(error) });
    }
  };
  const isOpen = pressed.kind !== "reported" && left > 0;
  return (
    <footer>
      {pressed.kind !== "reported" && (
        <p class="press">
          <button
            type="button"
            class={order.side}
            disabled={!isOpen || pressed.kind === "sending"}
            onClick={() => void place()}
          >
            {say(pressed.kind === "sending" ? "ticket.placing" : `place.${order.side}`)}
          </button>
          <span class="faint" role="timer" aria-live="off">
            {left > 0 ? say("ticket.left", { time: clockText(left) }) : say("ticket.over")}
          </span>
        </p>
      )}
      <div role="status">
        {pressed.kind === "failed" && <p class="box warn">{say("ticket.no_answer", { why: pressed.why })}</p>}
        {pressed.kind === "reported" && <Report words={words} report={pressed.report} />}
      </div>
      {isOpen && <p class="faint">{say("ticket.once")}</p>}
    </footer>
  );
}

function pressedOf(answer: ToolResult): Pressed {
  const report = answer.structuredContent as WriteReport | undefined;
  return report?.outcome === undefined ? { kind: "failed", why: textOf(answer) } : { kind: "reported", report };
}

function textOf({ content = [] }: ToolResult): string {
  return content.map(({ text = "" }) => text).join("\n");
}

function Report({ words, report }: { readonly words: ViewWords; readonly report: WriteReport }) {
  const { say, shared } = words;
  const { outcome, state, order, error } = report;
  if (outcome === "accepted")
    return (
      <div class="box good">
        <p>
          <strong>{say("ticket.done", { state: shared.state(state) })}</strong>
        </p>
        {order && (
          <p>
            {say("ticket.executed", {
              executed: order.executed_volume,
              volume: order.volume ?? "?",
              id: order.orderId,
            })}
          </p>
        )}
      </div>
    );
  if (outcome === "unknown") return <p class="box warn">{say("ticket.unknown")}</p>;
  if (state === "awaiting_approval") return <Waiting words={words} report={report} />;
  const why = error === undefined ? shared.state(state) : faultText(error, words);
  return <p class="box bad">{say("ticket.not_placed", { why })}</p>;
}

function Waiting({ words: { say, shared }, report }: { readonly words: ViewWords; readonly report: WriteReport }) {
  const { approval, next_action, error } = report;
  return (
    <div class="box warn">
      <p>
        <strong>{say("ticket.waits")}</strong>
      </p>
      {approval && <p>{orderWords(approval.order, shared)}</p>}
      {error && <p>{faultText(error, { say, shared })}</p>}
      <HowToApprove say={say} told={next_action} />
    </div>
  );
}

const SECOND_MS = 1_000;

function useSecondsUntil(endMs: number): number {
  const [nowMs, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((endMs - nowMs) / SECOND_MS));
}

/** "9:58" */
function clockText(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
