/**
 * What a person does with a plan: pauses it, starts it again, cancels it. Taking a protection away is asked about; where money may be real that, and a
 * start, take a proof.
 */
import { useState } from "preact/hooks";
import type { Proof } from "../../../src/serve/console/console-api.ts";
import { changeQuestion, guardedBy, planFiguresLine } from "../../../src/words/index.ts";
import { Dialog } from "../parts/dialog.tsx";
import { useUnit } from "../parts/figure.tsx";
import { ProofForm } from "../parts/proof.tsx";
import type { Failed } from "../request.ts";
import { useConsole } from "../state/console.ts";
import type { PageWords } from "../words/page-words.ts";
import { planName, planNote } from "../words/plan-said.ts";
import { failureText } from "../words/said.ts";
import { actsOn, type Plan, type PlanAct, removesProtection } from "./plan-levels.ts";

export function PlanActs({ plan }: { readonly plan: Plan }) {
  const { words, session, isCutOff } = useConsole();
  const { say } = words.value;
  const [asked, setAsked] = useState<PlanAct>();
  const [isBusy, setBusy] = useState(false);
  const send = useSend(plan);
  const name = planName(plan, words.value);
  const press = async (act: PlanAct): Promise<void> => {
    const isAsked = removesProtection(plan, act) || (act === "resume" && !session.value.is_practice);
    if (isAsked) return setAsked(act);
    setBusy(true);
    await send(act, undefined);
    setBusy(false);
  };
  const acts = actsOn(plan);
  if (acts.length === 0) return null;
  return (
    <p class="plan-acts">
      {acts.map((act) => (
        <button
          key={act}
          type="button"
          disabled={isBusy || isCutOff.value}
          aria-label={say("plans.act_on", { action: say(`plans.${act}`), plan: name })}
          onClick={() => void press(act)}
        >
          {say(`plans.${act}`)}
          {removesProtection(plan, act) && " …"}
        </button>
      ))}
      {asked !== undefined && <ActDialog plan={plan} act={asked} onClose={() => setAsked(undefined)} />}
    </p>
  );
}

/** Tells what became of it. @returns why a proof was not enough */
function useSend(plan: Plan): (act: PlanAct, proof: Proof | undefined) => Promise<Failed | undefined> {
  const { write, notes, words } = useConsole();
  return async (act, proof) => {
    const about = planName(plan, words.value);
    const answer = await write("plan", {
      ...{ plan_id: plan.plan_id ?? "", action: act },
      ...(proof !== undefined && { proof }),
    });
    if (!answer.ok && proof !== undefined) return answer;
    notes.tell(
      answer.ok
        ? { ...planNote(answer.value, words.value), about }
        : {
            ...{ tone: "bad", title: words.value.say("outcome.failed"), about },
            lines: [failureText(answer, words.value, true)],
          },
    );
    return undefined;
  };
}

interface ActDialogProps {
  readonly plan: Plan;
  readonly act: PlanAct;
  readonly onClose: () => void;
}

function ActDialog({ plan, act, onClose }: ActDialogProps) {
  const { words, session } = useConsole();
  const { say, shared } = words.value;
  const unit = useUnit();
  const send = useSend(plan);
  const [isBusy, setBusy] = useState(false);
  const { environment, is_practice } = session.value;
  const id = plan.plan_id ?? "";
  const isStart = act === "resume";
  const done = async (proof: Proof | undefined): Promise<Failed | undefined> => {
    setBusy(true);
    const failed = await send(act, proof);
    setBusy(false);
    if (failed === undefined) onClose();
    return failed;
  };
  const isLive = environment === "live";
  const tone = isStart ? "good" : "danger";
  return (
    <Dialog
      title={say(isStart ? "plans.resume_title" : "plans.remove_title")}
      tone={isStart ? undefined : "danger"}
      onClose={onClose}
    >
      <p class="question">
        {isStart
          ? changeQuestion({ action: "resume", planId: id, volume: "0", asset: "", isLive }, shared)
          : removalText(plan, act, words.value)}
      </p>
      <p class="hint">{planFiguresLine(plan, unit, shared)}</p>
      {is_practice ? (
        <p class="answers">
          <button type="button" class={`primary ${tone}`} disabled={isBusy} onClick={() => void done(undefined)}>
            {say(`plans.${act}`)}
          </button>
          <button type="button" onClick={onClose}>
            {say("act.back")}
          </button>
        </p>
      ) : (
        <ProofForm
          challenge={{ purpose: "plan", plan_id: id, action: act }}
          action={say(`plans.${act}`)}
          tone={tone}
          onCancel={onClose}
          onProof={done}
        />
      )}
    </Dialog>
  );
}

function removalText(plan: Plan, act: PlanAct, words: PageWords): string {
  const { volume, asset } = guardedBy(plan);
  const filling = { plan: planName(plan, words), volume: words.shared.amount(volume, asset) };
  return words.say(act === "pause" ? "plans.remove_pause" : "plans.remove_cancel", filling);
}
