/**
 * What waits for a person: what it is, why it is asked, what the book says now, and a yes or a no.
 *
 * Invariant: a yes carries the digest of the question that was on the screen when it was given; where the question has changed since,
 * the server refuses it.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import type { ApprovalView } from "../../../src/serve/console/console-api.ts";
import { signedPercentage } from "../../../src/words/index.ts";
import { assetsOf, countdown, directionOf, drawn, priceText, shareOf } from "../figures.ts";
import { Dialog } from "../parts/dialog.tsx";
import { AtExchange } from "../parts/exchange.tsx";
import { Average, Value } from "../parts/figure.tsx";
import { Notice } from "../parts/notice.tsx";
import { ProofForm } from "../parts/proof.tsx";
import { useConsole } from "../state/console.ts";
import { useReading } from "../state/reading.ts";
import { hashOf } from "../state/route.ts";
import { answersTo, approvalTitle, failureText, writeNote } from "../words/said.ts";
import { PlanQuestion, usePlanLines } from "./plan-question.tsx";

export function ApprovalsView() {
  const { live, words, route } = useConsole();
  const { say } = words.value;
  const approvals = live.approvals.value;
  const { of: named } = route.value;
  const isGone = named !== undefined && approvals?.waiting.every(({ id }) => id !== named) === true;
  return (
    <>
      <h1>{say("nav.approvals")}</h1>
      {isGone && <Notice tone="plain">{say("approvals.gone")}</Notice>}
      {approvals === undefined && <p class="hint loading">{say("page.loading")}</p>}
      {approvals?.waiting.length === 0 && (
        <div class="panel nothing">
          <p>{say("approvals.none")}</p>
          <p class="hint">{say("approvals.none_more")}</p>
        </div>
      )}
      {approvals?.waiting.map((each) => (
        <Approval key={each.id} of={each} isNamed={each.id === named} />
      ))}
    </>
  );
}

/** @param isNamed by the address: an assistant has sent the person to this one */
function Approval({ of, isNamed }: { readonly of: ApprovalView; readonly isNamed: boolean }) {
  const { words, now, write, notes, isCutOff } = useConsole();
  const { say, shared } = words.value;
  /** The question as it was when the person said that they want to say yes. */
  const [asked, setAsked] = useState<ApprovalView>();
  const [isBusy, setBusy] = useState(false);
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isNamed) place.current?.focus();
  }, [isNamed]);
  const leftMs = Date.parse(of.expires_at) - now.value;
  const hasLapsed = leftMs <= 0;
  const isShut = hasLapsed || isBusy || isCutOff.value;
  const title = approvalTitle(of, words.value);
  const answers = answersTo(of, words.value);
  const deny = async (): Promise<void> => {
    setBusy(true);
    const answer = await write("deny", { id: of.id });
    notes.tell(
      answer.ok
        ? { ...writeNote(answer.value, words.value), about: title }
        : { tone: "bad", title: shared.say("deny.not"), lines: [failureText(answer, words.value, true)] },
    );
    setBusy(false);
  };
  return (
    <article class={isNamed ? "panel approval named" : "panel approval"} aria-label={title} tabIndex={-1} ref={place}>
      <header>
        <h2>
          {title} <AtExchange />
        </h2>
        {of.kind !== "plan_change" && (
          <p class="approval-value">
            <Value of={of.value} />
          </p>
        )}
      </header>
      <p class="why">
        <span class="hint">{say("approvals.why")}</span> {shared.reason(of.why)}
      </p>
      {of.order !== undefined && <Outlook of={of} order={of.order} />}
      {of.plan !== undefined && <PlanQuestion of={of} plan={of.plan} />}
      <Countdown of={of} leftMs={leftMs} />
      <div class="answers">
        <button type="button" class={`primary ${answers.tone}`} disabled={isShut} onClick={() => setAsked(of)}>
          {answers.yes} …
        </button>
        <button type="button" class="primary no" disabled={isShut} onClick={() => void deny()}>
          {answers.no}
        </button>
      </div>
      {asked !== undefined && <YesDialog of={asked} onClose={() => setAsked(undefined)} />}
    </article>
  );
}

function YesDialog({ of, onClose }: { readonly of: ApprovalView; readonly onClose: () => void }) {
  const { words, write, notes } = useConsole();
  const { say } = words.value;
  const answers = answersTo(of, words.value);
  const lines = usePlanLines(of);
  return (
    <Dialog title={say("approvals.confirm")} onClose={onClose}>
      <p class="question">{lines === undefined ? of.question : lines.join("\n")}</p>
      {answers.does !== undefined && <p class="hint">{answers.does}</p>}
      <ProofForm
        challenge={{ purpose: "approve", id: of.id, digest: of.digest }}
        action={answers.yes}
        tone={answers.tone}
        onCancel={onClose}
        onProof={async (proof) => {
          const answer = await write("approve", { id: of.id, digest: of.digest, proof });
          if (!answer.ok) return answer;
          notes.tell({ ...writeNote(answer.value, words.value), about: approvalTitle(of, words.value) });
          onClose();
          return undefined;
        }}
      />
    </Dialog>
  );
}

/** How long the question still holds: as a bar, and in figures that are read out only when asked for. */
function Countdown({ of, leftMs }: { readonly of: ApprovalView; readonly leftMs: number }) {
  const { say } = useConsole().words.value;
  const wholeMs = Date.parse(of.expires_at) - Date.parse(of.asked_at);
  if (leftMs <= 0) return <Notice tone="warn">{say("approvals.lapsed")}</Notice>;
  const left = countdown(leftMs);
  return (
    <div
      class={leftMs < 60_000 ? "countdown soon" : "countdown"}
      role="timer"
      aria-label={say("approvals.left", { left })}
    >
      <span class="countdown-bar" style={{ "--share": String(shareOf(String(leftMs), String(wholeMs))) }} />
      <span>{say("approvals.left", { left })}</span>
    </div>
  );
}

function Outlook({
  of,
  order: { order, price_seen, replaces },
}: {
  readonly of: ApprovalView;
  readonly order: NonNullable<ApprovalView["order"]>;
}) {
  const { words } = useConsole();
  const { say, shared } = words.value;
  const policy = useReading("policy", {}, ["policy"]).value;
  const { base, quote } = assetsOf(order.symbol);
  const now = of.now ?? null;
  const limit = policy?.approval_drift_pct;
  const drift = now?.drift_pct ?? null;
  const isFar = drift !== null && limit !== undefined && Math.abs(drawn(drift)) > drawn(limit);
  const facts = [
    [shared.say("column.side"), `${shared.say(`side.${order.side}`)} · ${shared.say(`type.${order.type}`)}`],
    [
      shared.say("column.size"),
      order.volume === undefined ? (
        <Value key="size" of={order.amount} asset={quote} />
      ) : (
        <Value key="size" of={order.volume} asset={base} />
      ),
    ],
    [shared.say("column.price"), order.price === undefined ? shared.say("type.market") : priceText(order.price, quote)],
    [say("outlook.expected"), <Average key="expected" of={now?.expected_avg_price} asset={quote} />],
    [say("outlook.fee"), <Value key="fee" of={now?.expected_fee} asset={now?.fee_currency ?? quote} />],
    [say("outlook.worst"), <Value key="worst" of={now?.worst_case} asset={now?.worst_case_asset ?? quote} />],
    [say("outlook.quotes"), `${priceText(now?.best_bid, quote)} / ${priceText(now?.best_ask, quote)}`],
    [say("outlook.seen"), `${priceText(price_seen, quote)} → ${priceText(now?.mid, quote)}`],
  ] as const;
  return (
    <>
      <dl class="facts grid">
        {facts.map(([head, shown]) => (
          <div key={head}>
            <dt>{head}</dt>
            <dd>{shown}</dd>
          </div>
        ))}
        <div class={isFar ? "far" : ""}>
          <dt>{say("outlook.drift")}</dt>
          <dd>
            <span class={directionOf(drift)}>{drift === null ? "–" : signedPercentage(drift)}</span>
            {limit !== undefined && <small> {say("outlook.drift_limit", { limit })}</small>}
          </dd>
        </div>
        {now?.slippage_pct != null && (
          <div>
            <dt>{say("outlook.slippage")}</dt>
            <dd>{signedPercentage(now.slippage_pct)}</dd>
          </div>
        )}
      </dl>
      {now === null && <Notice tone="warn">{say("outlook.none")}</Notice>}
      {replaces !== undefined && (
        <Notice tone="plain">
          {shared.say("approval.replaces", {
            id: replaces.order_id,
            size: `${replaces.open_volume} ${base}`,
            price: priceText(replaces.price, quote),
          })}
        </Notice>
      )}
    </>
  );
}

/** Tells, wherever one is, that something waits; and what lapsed without an answer. Draws the line at the top of every view. */
export function WaitingLine() {
  const { live, words, now, notes, preferences, route } = useConsole();
  const { say } = words.value;
  const waiting = live.approvals.value?.waiting;
  const [known, setKnown] = useState<readonly ApprovalView[]>();
  useEffect(() => {
    if (waiting === undefined) return;
    const added = waiting.filter(({ id }) => !(known ?? []).some((each) => each.id === id));
    const gone = (known ?? []).filter(({ id }) => !waiting.some((each) => each.id === id));
    for (const each of gone) {
      if (Date.parse(each.expires_at) > now.peek()) continue;
      notes.tell({ tone: "warn", title: say("approvals.lapsed"), lines: [approvalTitle(each, words.value)] });
    }
    if (known !== undefined && preferences.peek().notify && document.hidden) {
      for (const each of added) notifyOf(say("approvals.notify"), approvalTitle(each, words.value), each.id);
    }
    setKnown(waiting);
  }, [waiting]);
  const count = waiting?.length ?? 0;
  const first = waiting?.[0];
  return (
    <div role="status" class="waiting-line">
      {count > 0 && route.value.view !== "approvals" && (
        <a href="#/approvals">
          {count === 1
            ? say("approvals.one_waits", { summary: first === undefined ? "" : approvalTitle(first, words.value) })
            : say("approvals.wait", { count })}
        </a>
      )}
    </div>
  );
}

/** A press on it leads to what it tells of. Some browsers of phones have notifications, and none of a page's own. */
function notifyOf(title: string, body: string, id: string): void {
  try {
    const shown = new Notification(title, { body, tag: id });
    shown.addEventListener("click", () => {
      focus();
      location.hash = hashOf({ view: "approvals", of: id });
      shown.close();
    });
  } catch {
    // It stands on the page, and in its title.
  }
}
