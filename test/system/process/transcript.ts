/**
 * A document's `console` blocks, as commands with what they print, and a shell that runs them one after another. What differs from run to
 * run (numbers, ids, times) is compared by its form alone; `…` stands for any text.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";

export interface Exchange {
  readonly command: string;
  /** What is printed by the command, and until the next one by what runs in the background. */
  readonly printed: string;
}

/** Files that the document says were written before, by a comment above a block: `<!-- written to policy.toml -->`. */
const WRITTEN = /<!-- written to ([\w.-]+) -->\n+```\w+\n([\s\S]*?)```/g;

export function filesIn(document: string): readonly { readonly name: string; readonly text: string }[] {
  return [...document.matchAll(WRITTEN)].map(([, name = "", text = ""]) => ({ name, text }));
}

export function exchangesIn(document: string): readonly Exchange[] {
  const blocks = [...document.matchAll(/```console\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const [command = "", ...printed] = text.split("\n");
        return { command, printed: printed.join("\n").trim() };
      }),
  );
}

const FORMS: readonly (readonly [RegExp, string])[] = [
  // What the server had just sent, for a plan, when the command began.
  [/^hoga: settled \d+ orders and transfers .*\n/gm, ""],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>"],
  [/\bhg[a-z0-9]{16}\b/g, "<userref>"],
  [/\bwh_[0-9a-f]+\b/g, "<webhook>"],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d{3}Z)?/g, "<time>"],
  [/\d+(?:,\d{3})*(?:\.\d+)?/g, "#"],
];

/** A text without what differs from run to run. */
function formOf(text: string): string {
  return FORMS.reduce((form, [pattern, name]) => form.replaceAll(pattern, name), text.trim());
}

export function looksLike(printed: string, expected: string): boolean {
  const parts = formOf(expected)
    .split("…")
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[\\s\\S]*?")}$`).test(formOf(printed));
}

/** How long a command may take, and what runs in the background to speak. */
const PATIENCE_MS = 30_000;

export class Shell {
  readonly #bash: ChildProcessWithoutNullStreams;
  #printed = "";
  #count = 0;

  constructor(cwd: string, env: Readonly<Record<string, string>>) {
    this.#bash = spawn("bash", ["--noprofile", "--norc"], { cwd, env: { ...env }, stdio: "pipe", detached: true });
    for (const stream of [this.#bash.stdout, this.#bash.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#printed += text;
      });
  }

  /** @returns what was printed: what looks as expected as soon as it does, else all there is when the time is over */
  async run({ command, printed: expected }: Exchange): Promise<string> {
    const mark = `<done ${++this.#count}>`;
    this.#bash.stdin.write(`${command}\necho '${mark}'\n`);
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const printed = this.#printed.replace(`${mark}\n`, "");
      const isDone = printed !== this.#printed;
      if ((isDone && looksLike(printed, expected)) || performance.now() > end) {
        this.#printed = "";
        return printed;
      }
      await pause(20);
    }
  }

  /** Ends the shell and everything that it started. */
  async close(): Promise<void> {
    const { pid } = this.#bash;
    if (pid === undefined) return;
    for (const end = performance.now() + 10_000; signalGroup(pid, performance.now() < end ? "SIGTERM" : "SIGKILL"); )
      await pause(50);
  }
}

/** @returns whether a process of the group is still there */
function signalGroup(leader: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}
