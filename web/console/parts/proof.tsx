/**
 * How a person shows to be one: the PIN, or a passkey where one is there. What is typed goes to the server once and is kept nowhere.
 */
import { useState } from "preact/hooks";
import type { ChallengeRequest, Proof } from "../../../src/serve/console/console-api.ts";
import { signWithPasskey, waysOf } from "../passkey.ts";
import type { Failed } from "../request.ts";
import { useConsole } from "../state/console.ts";
import { failureText } from "../words/said.ts";
import { Notice } from "./notice.tsx";

interface ProofFormProps {
  /** What a passkey would sign. */
  readonly challenge: ChallengeRequest;
  /** What the button does, in a word. */
  readonly action: string;
  readonly tone?: "danger" | "good";
  /** @returns why it was not enough; undefined where it was */
  readonly onProof: (proof: Proof) => Promise<Failed | undefined>;
  readonly onCancel: () => void;
}

export function ProofForm({ challenge, action, tone = "good", onProof, onCancel }: ProofFormProps) {
  const console = useConsole();
  const words = console.words.value;
  const { say, shared } = words;
  const session = console.session.value;
  const [isShowing, setBusy] = useState(false);
  const isBusy = isShowing || console.isCutOff.value;
  const [problem, setProblem] = useState<string>();

  const show = async (proof: () => Promise<Proof | Failed | "dismissed">): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    const shown = await proof();
    if (shown === "dismissed") setProblem(say("proof.dismissed"));
    else {
      const failed = "ok" in shown ? shown : await onProof(shown);
      if (failed !== undefined) setProblem(failureText(failed, words, true));
    }
    setBusy(false);
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const pin = (form.elements.namedItem("pin") as HTMLInputElement).value;
    form.reset();
    void show(async () => ({ pin }));
  };
  const ways = waysOf(session, challenge);
  return (
    <div class="proof">
      {ways.passkey && (
        <button
          type="button"
          class={`primary ${tone}`}
          disabled={isBusy}
          onClick={() => void show(() => signWithPasskey(console, challenge))}
        >
          {say("proof.passkey", { action })}
        </button>
      )}
      {ways.pin && (
        <form onSubmit={submit}>
          <label>
            {say("proof.pin")}
            <input name="pin" type="password" autocomplete="off" required minLength={6} maxLength={64} autofocus />
          </label>
          <button type="submit" class={`primary ${tone}`} disabled={isBusy}>
            {action}
          </button>
        </form>
      )}
      {!ways.pin && !ways.passkey && (
        <Notice tone="warn">
          {shared.say("pin.unset")} {shared.say("pin.set_with", { command: "hoga pin" })}
        </Notice>
      )}
      <Elsewhere />
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <button type="button" class="quiet" onClick={onCancel}>
        {say("act.back")}
      </button>
    </div>
  );
}

/** There are passkeys, and the browser offers them at another address of this page. */
function Elsewhere() {
  const { session, words } = useConsole();
  const { passkey_origin, passkeys } = session.value;
  if (passkey_origin === null || passkey_origin === location.origin || passkeys.length === 0) return null;
  return (
    <p class="hint">
      {words.value.say("proof.elsewhere")} <a href={passkey_origin}>{passkey_origin}</a>
    </p>
  );
}
