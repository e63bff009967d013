/** Says so when what is shown may be old: since when nothing has come, or that the session has ended and how to sign in again. */
import { Time } from "../parts/figure.tsx";
import { useConsole } from "../state/console.ts";

export function ConnectionLine() {
  const { stream, words, now, isCutOff } = useConsole();
  const { say } = words.value;
  const { state, heardAt } = stream.connection.value;
  // Moved on by the second, as `now` is.
  const silentMs = now.value >= 0 ? Date.now() - heardAt : 0;
  return (
    <div role="status" class="connection-line">
      {state === "ended" && <p class="notice bad">{say("failure.ended")}</p>}
      {isCutOff.value && (
        <p class="notice warn">
          <strong>{say("connection.lost")}</strong> {say("connection.since")}{" "}
          <Time at={new Date(now.value - silentMs).toISOString()} />.{" "}
          {say("connection.age", { seconds: Math.round(silentMs / 1_000) })}
        </p>
      )}
    </div>
  );
}
