/** Which process of which machine this is, and whether another of the same machine is gone. */
import { hostname } from "node:os";
import type { Presence } from "../../desk/index.ts";

/** @param startedAtMs tells this process from one before it with the same number */
export function presenceOf(startedAtMs: number): Presence {
  const id = `${hostname()}/${process.pid}/${startedAtMs}`;
  return { id, isGone: (other) => other !== id && isGone(other) };
}

function isGone(id: string): boolean {
  const [host, number] = id.split("/");
  // Of another machine nothing is known, so its lease decides.
  if (host !== hostname()) return false;
  const pid = Number(number); // not money: a process number
  return pid === process.pid || !isRunning(pid);
}

/** Takes one that may not be asked for running. A number that was given to another process keeps its lease. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
