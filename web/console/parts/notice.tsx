/** Short texts that stand out: notices, what failed while reading, what became of what a person did. */
import type { ComponentChildren } from "preact";
import { useConsole } from "../state/console.ts";
import type { Reading } from "../state/reading.ts";
import type { Note } from "../words/note.ts";
import { failureText } from "../words/said.ts";

export function Notice({ tone, children }: { readonly tone: Note["tone"]; readonly children: ComponentChildren }) {
  return <p class={`notice ${tone}`}>{children}</p>;
}

/** While nothing is there yet, or where it could not be read. */
export function ReadingNotice({ of }: { readonly of: Reading<unknown> }) {
  const words = useConsole().words.value;
  if (of.failed !== undefined) return <Notice tone="warn">{failureText(of.failed, words)}</Notice>;
  if (of.value === undefined) return <p class="hint loading">{words.say("page.loading")}</p>;
  return null;
}

export function NoteText({ note }: { readonly note: Note }) {
  return (
    <>
      <strong>{note.title}</strong>
      {note.about !== undefined && <span class="line">{note.about}</span>}
      {note.lines.map((line) => (
        <span class="line" key={line}>
          {line}
        </span>
      ))}
    </>
  );
}
