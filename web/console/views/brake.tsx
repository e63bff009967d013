/** The brake: one press halts trading at once. Lifting it takes a person, and so a proof. */
import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.tsx";
import { Time } from "../parts/figure.tsx";
import { NoteText } from "../parts/notice.tsx";
import { ProofForm } from "../parts/proof.tsx";
import { useConsole } from "../state/console.ts";
import { failureText, faultText, haltNote, type Note } from "../words/said.ts";

export function Brake() {
  const { words, write } = useConsole();
  const { say } = words.value;
  const [report, setReport] = useState<Note>();
  const [isBusy, setBusy] = useState(false);
  const [isReasoning, setReasoning] = useState(false);
  const halt = async (reason: string): Promise<void> => {
    setReasoning(false);
    setBusy(true);
    const answer = await write("halt", reason === "" ? {} : { reason });
    setBusy(false);
    setReport(
      answer.ok
        ? haltNote(answer.value, words.value)
        : { tone: "bad", title: say("halt.failed"), lines: [failureText(answer, words.value, true), say("halt.else")] },
    );
  };
  return (
    <div class="brake">
      <button type="button" class="halt" disabled={isBusy} onClick={() => void halt("")}>
        {say(isBusy ? "halt.going" : "halt.act")}
      </button>
      <button
        type="button"
        class="halt more"
        disabled={isBusy}
        aria-label={say("halt.with_reason")}
        title={say("halt.with_reason")}
        onClick={() => setReasoning(true)}
      >
        …
      </button>
      {isReasoning && <ReasonDialog onClose={() => setReasoning(false)} onHalt={(reason) => void halt(reason)} />}
      {report !== undefined && (
        <Dialog title={say("halt.report")} tone="danger" onClose={() => setReport(undefined)}>
          <p class={`notice ${report.tone}`} role="alert">
            <NoteText note={report} />
          </p>
          <button type="button" class="primary" onClick={() => setReport(undefined)}>
            {say("act.close")}
          </button>
        </Dialog>
      )}
    </div>
  );
}

function ReasonDialog({
  onClose,
  onHalt,
}: {
  readonly onClose: () => void;
  readonly onHalt: (reason: string) => void;
}) {
  const { say } = useConsole().words.value;
  const [reason, setReason] = useState("");
  return (
    <Dialog title={say("halt.with_reason")} tone="danger" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onHalt(reason.trim());
        }}
      >
        <label>
          {say("halt.reason")}
          <input value={reason} maxLength={200} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
        </label>
        <button type="submit" class="primary danger">
          {say("halt.act")}
        </button>
      </form>
    </Dialog>
  );
}

/** While trading is halted, on every view: since when, by whom, why, and the way back. */
export function HaltedLine() {
  const { live, words, write, notes, isCutOff } = useConsole();
  const { say, shared } = words.value;
  const [isResuming, setResuming] = useState(false);
  const brake = live.status.value?.brake;
  const close = (): void => setResuming(false);
  return (
    <div role="status" class="halted-line">
      {brake !== undefined && (
        <p>
          <strong>{say("halt.is")}</strong>{" "}
          {brake.reason === ""
            ? say("halt.by", { by: brake.by })
            : say("halt.by_for", { by: brake.by, reason: brake.reason })}{" "}
          <Time at={brake.since} />{" "}
          <button type="button" disabled={isCutOff.value} onClick={() => setResuming(true)}>
            {say("resume.act")}
          </button>
        </p>
      )}
      {isResuming && (
        <Dialog title={say("resume.title")} onClose={close}>
          <p>{say("resume.more")}</p>
          <ProofForm
            challenge={{ purpose: "resume" }}
            action={say("resume.act")}
            onCancel={close}
            onProof={async (proof) => {
              const answer = await write("resume", { proof });
              if (!answer.ok) return answer;
              const { resumed, error } = answer.value;
              const why = error === undefined ? "" : faultText(error, words.value);
              notes.tell(
                resumed
                  ? { tone: "good", title: shared.say("resume.done"), lines: [] }
                  : { tone: "bad", title: shared.say("resume.not", { why }), lines: [] },
              );
              close();
              return undefined;
            }}
          />
        </Dialog>
      )}
    </div>
  );
}
