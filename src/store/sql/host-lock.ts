/**
 * Owns the lock that elects one process of a machine, for example the one that hosts the paper exchange.
 *
 * Invariant: it is the kernel's lock on an open file, so it ends with the process however that dies. The file holds nothing.
 */
import { openConnection } from "./driver.ts";

export interface HeldLock {
  readonly path: string;
  /** Gives the lock up; a second call does nothing. */
  release(): void;
}

/** Takes the lock without waiting. @returns undefined when another process, or another holder in this one, has it. */
export async function tryHoldLock(path: string): Promise<HeldLock | undefined> {
  const connection = await openConnection(path, { journal: "delete", durability: "normal", random: () => 0 });
  if (!connection.holdLock()) {
    connection.close();
    return;
  }
  return { path, release: () => connection.close() };
}
