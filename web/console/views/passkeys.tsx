/** The passkeys that may say yes: those that are there, another one, one fewer. Each change takes a proof. */
import { useState } from "preact/hooks";
import type { ConsoleSession, Proof } from "../../../src/serve/console/console-api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Time } from "../parts/figure.tsx";
import { Notice } from "../parts/notice.tsx";
import { ProofForm } from "../parts/proof.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { enrolPasskey, isPasskeyOrigin } from "../passkey.ts";
import type { Failed } from "../request.ts";
import { useConsole } from "../state/console.ts";
import { failureText } from "../words/said.ts";

type Passkey = ConsoleSession["passkeys"][number];

export function Passkeys() {
  const { session, words, isCutOff } = useConsole();
  const { say } = words.value;
  const [leaving, setLeaving] = useState<Passkey>();
  const [isEnrolling, setEnrolling] = useState(false);
  const { passkeys, passkey_origin } = session.value;
  const columns: readonly Column<Passkey>[] = [
    { head: say("passkeys.name"), isName: true, cell: ({ name }) => name },
    { head: say("passkeys.created"), isWide: true, cell: ({ created_at }) => <Time at={created_at} /> },
    { head: say("passkeys.counts"), cell: ({ proven }) => say(proven ? "passkeys.proven" : "passkeys.practice") },
    { head: say("passkeys.used"), cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    {
      head: say("column.act"),
      cell: (passkey) => (
        <button
          type="button"
          class="small"
          disabled={isCutOff.value}
          aria-label={say("passkeys.remove_named", { name: passkey.name })}
          onClick={() => setLeaving(passkey)}
        >
          {say("passkeys.remove")}
        </button>
      ),
    },
  ];
  return (
    <section class="panel">
      <Table
        caption={say("passkeys.title")}
        columns={columns}
        rows={passkeys}
        keyOf={({ id }) => id}
        none={say("passkeys.none")}
      />
      <p class="hint">{say("passkeys.what")}</p>
      {passkeys.some(({ proven }) => !proven) && <p class="hint">{say("passkeys.practice_more")}</p>}
      {isPasskeyOrigin(session.value) ? (
        <button type="button" disabled={isCutOff.value} onClick={() => setEnrolling(true)}>
          {say("passkeys.add")}
        </button>
      ) : (
        <Notice tone="plain">
          {passkey_origin === null ? say("passkeys.nowhere") : say("proof.elsewhere")}{" "}
          {passkey_origin !== null && <a href={passkey_origin}>{passkey_origin}</a>}
        </Notice>
      )}
      {isEnrolling && <EnrolDialog onClose={() => setEnrolling(false)} />}
      {leaving !== undefined && <RemoveDialog passkey={leaving} onClose={() => setLeaving(undefined)} />}
    </section>
  );
}

/** Where neither a PIN nor a passkey is there yet, there is nothing to prove it by. */
function EnrolDialog({ onClose }: { readonly onClose: () => void }) {
  const console = useConsole();
  const words = console.words.value;
  const { say } = words;
  const { pin_set, passkeys } = console.session.value;
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  const enrol = async (proof?: Proof): Promise<Failed | undefined> => {
    const failed = await enrolPasskey(console, name.trim() === "" ? say("passkeys.unnamed") : name.trim(), proof);
    if (failed === "dismissed") setProblem(say("proof.dismissed"));
    else if (failed !== undefined) return failed;
    else {
      console.notes.tell({ tone: "good", title: say("passkeys.added"), lines: [] });
      onClose();
    }
    return undefined;
  };
  const needsProof = pin_set !== false || passkeys.length > 0;
  return (
    <Dialog title={say("passkeys.add")} onClose={onClose}>
      <label>
        {say("passkeys.name")}
        <input value={name} maxLength={64} onInput={({ currentTarget }) => setName(currentTarget.value)} />
      </label>
      {needsProof ? (
        <ProofForm challenge={{ purpose: "enrol" }} action={say("passkeys.add")} onProof={enrol} onCancel={onClose} />
      ) : (
        <button
          type="button"
          class="primary good"
          disabled={console.isCutOff.value}
          onClick={() =>
            void enrol().then((failed) => {
              if (failed !== undefined) setProblem(failureText(failed, words, true));
            })
          }
        >
          {say("passkeys.add")}
        </button>
      )}
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  );
}

function RemoveDialog({ passkey: { id, name }, onClose }: { readonly passkey: Passkey; readonly onClose: () => void }) {
  const { words, write, notes } = useConsole();
  const { say } = words.value;
  return (
    <Dialog title={say("passkeys.remove_named", { name })} onClose={onClose}>
      <ProofForm
        challenge={{ purpose: "remove", passkey_id: id }}
        action={say("passkeys.remove")}
        tone="danger"
        onCancel={onClose}
        onProof={async (proof) => {
          const answer = await write("passkeys/remove", { id, proof });
          if (!answer.ok) return answer;
          notes.tell({ tone: "plain", title: say("passkeys.removed", { name }), lines: [] });
          onClose();
          return undefined;
        }}
      />
    </Dialog>
  );
}
