/**
 * Owns a copy of a store in a file, taken while others use it: whole, of one moment, and read through before it counts.
 *
 * Source: back-up.md#backup.
 */

import { readHead } from "../audit/audit-chain.ts";
import { verifyChain } from "../audit/audit-check.ts";
import { WHOLE } from "../sql/connection.ts";
import { type FileConnection, openConnection } from "../sql/driver.ts";
import { storeError } from "../sql/store-error.ts";

export interface StoreCopy {
  /** Ends the audit log in it, which others may go on with meanwhile. */
  readonly head: { readonly count: number; readonly hash: string };
  /** Tells whether the log in it is whole; one that was put back from a copy is not, and is copied all the same. */
  readonly isWhole: boolean;
}

/** @param path an empty file @throws StoreError where the copy cannot be written, or is not a sound store */
export async function copyStore(source: FileConnection, path: string): Promise<StoreCopy> {
  await source.exec(`VACUUM INTO '${path.replaceAll("'", "''")}'`);
  const copy = await openConnection(path, {
    journal: "delete",
    durability: "full",
    isStore: true,
    random: Math.random,
  });
  try {
    const found = await copy.single(({ all }) => all(copy.catalog.check, []), WHOLE);
    if (found[0]?.["quick_check"] !== "ok") throw storeError("damaged", path);
    const { count, hash } = await copy.single(readHead);
    return { head: { count, hash }, isWhole: (await verifyChain(copy)).ok };
  } finally {
    copy.close();
  }
}
