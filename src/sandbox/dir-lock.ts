/**
 * Owns that a directory belongs to one running sandbox: two would write two histories into one journal.
 *
 * Invariants: the lock is the kernel's, taken through SQLite on a file that holds nothing. It ends with its process however that
 * ends, so a crash blocks nobody, and of several processes that start at the same moment one gets it.
 */
import { join } from "node:path";
import { claimFile } from "./private-files.ts";
import { SandboxStartError, systemCode } from "./start-error.ts";

const FILE = "exchange.lock";

/**
 * Takes the lock of a directory that exists, without waiting.
 * @returns gives it back.
 * @throws SandboxStartError while another sandbox runs there; the system's error, or SQLite's, where no file can be locked.
 */
export async function lockDir(dir: string): Promise<() => Promise<void>> {
  const path = join(dir, FILE);
  const { default: Database } = await import("libsql");
  claimFile(path);
  const database = new Database(path);
  try {
    // IMMEDIATE, as two that ask for EXCLUSIVE at the same moment can both be refused.
    database.exec("PRAGMA busy_timeout=0; BEGIN IMMEDIATE");
  } catch (error) {
    database.close();
    throw systemCode(error)?.startsWith("SQLITE_BUSY") === true ? inUse(dir) : error;
  }
  return async () => {
    // libsql may close the file later, when it collects garbage: the lock has to go now.
    database.exec("ROLLBACK");
    database.close();
  };
}

function inUse(dir: string): SandboxStartError {
  return new SandboxStartError(
    "dir_in_use",
    `another sandbox is running on ${dir}`,
    "use that one, stop it, or choose another directory",
  );
}
