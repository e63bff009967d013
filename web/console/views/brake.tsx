/** The brake: one press halts trading at once. Lifting it takes a person, and so a proof. */
import { useEffect, useState } from "preact/hooks";
import type { ConsoleSinceCopy, Proof } from "../../../src/serve/console/console-api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Time } from "../parts/figure.tsx";
import { NoteText, Notice } from "../parts/notice.tsx";
import { ProofForm } from "../parts/proof.tsx";
import { Table } from "../parts/table.tsx";
import type { Failed } from "../request.ts";
import { useConsole } from "../state/console.ts";
import { faultText, type Note } from "../words/note.ts";
import { failureText, haltNote, stateText } from "../words/said.ts";
import { useOrderColumns } from "./open-orders.tsx";

type SinceCopy = NonNullable<ConsoleSinceCopy["since_copy"]>;

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
  const { live, words, isCutOff } = useConsole();
  const { say } = words.value;
  const [isResuming, setResuming] = useState(false);
  const brake = live.status.value?.brake;
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
      {isResuming && <ResumeDialog onClose={() => setResuming(false)} />}
    </div>
  );
}

/** In a store that was put back from a copy a person sees first which orders of the account are not in it, and resumes for exactly those. */
function ResumeDialog({ onClose }: { readonly onClose: () => void }) {
  const { words, read, write, notes } = useConsole();
  const { say, shared } = words.value;
  const [list, setList] = useState<SinceCopy | null>();
  const [failed, setFailed] = useState<Failed>();
  const look = async (): Promise<void> => {
    const answer = await read("since-copy", {});
    if (answer.ok) setList(answer.value.since_copy);
    setFailed(answer.ok ? undefined : answer);
  };
  useEffect(() => void look(), []);
  const shown = list?.digest;
  const resume = async (proof: Proof): Promise<Failed | undefined> => {
    const answer = await write("resume", { proof, ...(shown !== undefined && { shown }) });
    if (!answer.ok) {
      if (answer.kind === "refused" && answer.failure.error.code === "another_list") await look();
      return answer;
    }
    const { resumed, error } = answer.value;
    const why = error === undefined ? "" : faultText(error, words.value);
    notes.tell(
      resumed
        ? { tone: "good", title: shared.say("resume.done"), lines: [] }
        : { tone: "bad", title: shared.say("resume.not", { why }), lines: [] },
    );
    onClose();
    return undefined;
  };
  return (
    <Dialog title={say("resume.title")} onClose={onClose}>
      <p>{say("resume.more")}</p>
      {failed !== undefined && <Unlisted failed={failed} />}
      {failed === undefined && list === undefined && <p>{say("page.loading")}</p>}
      {list && <LackedOrders list={list} />}
      {failed === undefined && list !== undefined && (
        <ProofForm
          challenge={{ purpose: "resume", ...(shown !== undefined && { shown }) }}
          action={say("resume.act")}
          onCancel={onClose}
          onProof={resume}
        />
      )}
    </Dialog>
  );
}

function Unlisted({ failed }: { readonly failed: Failed }) {
  const { words } = useConsole();
  const { shared } = words.value;
  return (
    <Notice tone="bad">
      {failureText(failed, words.value)}{" "}
      {failed.kind === "refused" && shared.say("resume.unseen_with", { command: "hoga resume --unseen" })}
    </Notice>
  );
}

function LackedOrders({ list }: { readonly list: SinceCopy }) {
  const { words } = useConsole();
  const { shared } = words.value;
  const columns = useOrderColumns();
  const { put_back_at, since, orders, complete, ended_since, environment, account } = list;
  const at = shared.when(put_back_at);
  const whose = { money: shared.say(`money.${environment}`), account };
  return (
    <div class="lacked">
      <p>
        {since === null
          ? shared.say("resume.put_back_empty", { at })
          : shared.say("resume.put_back", { at, since: shared.when(since) })}
      </p>
      {orders.length === 0 ? (
        <p>{shared.say("resume.lacked_none", whose)}</p>
      ) : (
        <Table
          caption={shared.say("resume.lacked", { ...whose, count: orders.length })}
          columns={[
            ...columns,
            { head: shared.say("column.state"), cell: ({ state }) => stateText(state, words.value) },
            { head: shared.say("column.created"), cell: ({ created_at }) => <Time at={created_at} /> },
            { head: shared.say("column.order_id"), cell: ({ orderId }) => <code>{orderId}</code> },
            { head: shared.say("column.userref"), cell: ({ userref }) => <code>{userref ?? "-"}</code> },
          ]}
          rows={orders}
          keyOf={({ orderId }) => orderId}
          none=""
        />
      )}
      {!complete && <p>{shared.say("resume.lacked_more")}</p>}
      {ended_since !== null && <p>{shared.say("resume.ended_since", { time: shared.when(ended_since) })}</p>}
      <p class="hint">{shared.say("resume.one_account")}</p>
    </div>
  );
}
