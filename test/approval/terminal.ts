/**
 * A person's terminal: `hoga` on a pseudo terminal of its own, by `script` of util-linux, with echo on as in any terminal. What
 * the program prints and what the terminal shows of the keys pressed come as one text, the screen.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { eventually } from "../fixture/command.ts";
import type { Place } from "../fixture/data-dir.ts";
import { CLI, environment } from "../fixture/program.ts";

export interface Terminal {
  /** All that was ever shown. */
  screen(): string;
  /** Waits until the screen shows it behind what was waited for before. */
  see(text: string): Promise<void>;
  /** Presses keys; "\r" is Enter. */
  type(keys: string): void;
  /** The terminal itself goes, as when its window is closed. */
  close(): void;
  readonly ended: Promise<{ readonly code: number | null; readonly screen: string }>;
}

/** Of util-linux, on every Linux. Quietly, with the program's own exit code, and showing keys as a terminal does. */
const PSEUDO_TERMINAL = { command: "script", options: ["-q", "-e", "-E", "always"] } as const;

export function openTerminal(args: readonly string[], place: Place): Terminal {
  const words = [process.execPath, CLI, ...args].map((word) => `'${word}'`).join(" ");
  const { command, options } = PSEUDO_TERMINAL;
  // The shell is replaced, so that nothing stands between the terminal and hoga.
  const child = spawn(command, [...options, "-c", `exec ${words}`, "/dev/null"], {
    env: { ...environment(place), SHELL: "/bin/sh", TERM: "dumb" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  let screen = "";
  let seen = 0;
  let over = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
  });
  child.stdin.on("error", () => undefined);
  const timer = setTimeout(() => child.kill("SIGKILL"), 25_000);
  const ended = once(child, "close").then(([code]) => {
    clearTimeout(timer);
    over = true;
    return { code: code as number | null, screen };
  });
  return {
    screen: () => screen,
    see: async (text) => {
      await eventually(() => {
        const at = screen.indexOf(text, seen);
        if (at >= 0) seen = at + text.length;
        else if (over) throw new Error(`ended without ${JSON.stringify(text)}: ${screen}`);
        return at >= 0 || undefined;
      });
    },
    type: (keys) => child.stdin.write(keys),
    close: () => child.kill("SIGKILL"),
    ended,
  };
}

/** Runs a command that asks: answers its questions one after the other, each when it is asked. */
export async function runTerminal(
  args: readonly string[],
  place: Place,
  answers: readonly (readonly [question: string, answer: string])[],
): Promise<{ readonly code: number | null; readonly screen: string }> {
  const terminal = openTerminal(args, place);
  for (const [question, answer] of answers) {
    await terminal.see(question);
    terminal.type(`${answer}\r`);
  }
  return terminal.ended;
}

export const PIN = "correct horse 7";

/** A person sets the PIN, as everybody has to once. */
export async function setPin(home: string, pin = PIN): Promise<void> {
  const set = await runTerminal(["pin"], { home }, [
    ["New PIN (6 to 64 characters): ", pin],
    ["New PIN again: ", pin],
  ]);
  if (set.code !== 0) throw new Error(`hoga pin: ${set.code} ${set.screen}`);
}
