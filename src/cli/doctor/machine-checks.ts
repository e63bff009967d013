/** This machine: the versions that run here, and the other processes that have the same store open. */
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../../config/index.ts";
import { VERSION } from "../version.ts";
import { type Check, fine } from "./check.ts";

export function versionsCheck(): Check {
  return fine("versions", (say) =>
    say("versions.are", { hoga: VERSION, node: process.version, system: `${process.platform} ${process.arch}` }),
  );
}

/** Only Linux tells who has a file open. */
export function processesCheck({ database }: Home, proc = "/proc"): Check {
  const others = process.platform === "linux" ? openersOf(database, proc) : undefined;
  if (others === undefined) return fine("processes", (say) => say("processes.untold"));
  if (others.length === 0) return fine("processes", (say) => say("processes.none"));
  return fine("processes", (say) => say("processes.others", { others: others.join(", ") }));
}

/** @returns numbers of processes; those of other users are not seen */
function openersOf(path: string, proc: string): readonly string[] {
  return namesIn(proc).filter(
    (pid) =>
      /^\d+$/.test(pid) &&
      pid !== String(process.pid) &&
      namesIn(join(proc, pid, "fd")).some((fd) => targetOf(join(proc, pid, "fd", fd)) === path),
  );
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}
