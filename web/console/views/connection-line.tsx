/** Says so when what is shown may be old: since when nothing has come, or that the session has ended and how to sign in again. */
import { useConsole } from "../state/console.ts";

/** The server is heard of at least this often while all is well. */
const SILENT_MS = 20_000;

export function ConnectionLine() {
  const { stream, words, now } = useConsole();
  const { say } = words.value;
  const { state, heardAt } = stream.connection.value;
  // Moved on by the second, as `now` is.
  const silentMs = now.value >= 0 ? Date.now() - heardAt : 0;
  const isOld =
    state === "lost" || (state === "live" && silentMs > SILENT_MS) || (state === "connecting" && silentMs > 5_000);
  return (
    <div role="status" class="connection-line">
      {state === "ended" && <p class="notice bad">{say("failure.ended")}</p>}
      {isOld && (
        <p class="notice warn">
          <strong>{say("connection.lost")}</strong> {say("connection.age", { seconds: Math.round(silentMs / 1_000) })}
        </p>
      )}
    </div>
  );
}
