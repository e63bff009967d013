/** What a process has cost so far, as the kernel counts it. Linux alone tells of another process; elsewhere nothing is known. */
import { readdirSync, readFileSync } from "node:fs";

export interface ProcessCost {
  /** User and system time of all threads. */
  readonly cpuMs: number;
  /** Resident memory. */
  readonly rssMb: number;
}

const NS_PER_MS = 1e6;
const KB_PER_MB = 1024;

/** @returns undefined where the kernel does not tell */
export function processCost(pid: number): ProcessCost | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const cpuNs = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ", 1)),
    );
    const rssKb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return { cpuMs: cpuNs.reduce((sum, ns) => sum + ns, 0) / NS_PER_MS, rssMb: Number(rssKb) / KB_PER_MB };
  } catch {
    return undefined;
  }
}
