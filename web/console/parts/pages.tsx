/** The way from one page of a long list to the next, and back. */
import { useState } from "preact/hooks";
import { useConsole } from "../state/console.ts";

/** The pages that were passed on the way to this one, so that there is a way back. */
export function usePages(): {
  readonly cursor: string | undefined;
  readonly turner: (next: string | null | undefined) => preact.JSX.Element;
} {
  const { say } = useConsole().words.value;
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const turner = (next: string | null | undefined) => (
    <p class="pages">
      <button type="button" disabled={cursors.length === 0} onClick={() => setCursors(cursors.slice(0, -1))}>
        {say("act.newer")}
      </button>
      <button
        type="button"
        disabled={next === null || next === undefined}
        onClick={() => next && setCursors([...cursors, next])}
      >
        {say("act.older")}
      </button>
    </p>
  );
  return { cursor: cursors.at(-1), turner };
}
