/**
 * Owns that a process opens the store which its data directory is known to have, and no other: a command without `HOGA_STORE_URL` beside a server that
 * has it would begin an empty store, and a halt in the place of the real one.
 *
 * Entry points: `expectedStore` before the opening, `keepMark` after it.
 * Invariant: a mark is written by what serves or trades, and by a person's word; one that cannot be written only notices less.
 *
 * Source: decision 0067.
 */
import { createHash } from "node:crypto";
import { type Home, readStoreMark, type StoreMark, StoreUrl, writeStoreMark } from "../../config/index.ts";
import { defined, type Fault, localFault } from "../../contract/index.ts";
import type { StoreLocation } from "../../store/index.ts";
import { UsageError } from "../failure.ts";

/** The settings lead to another store than the data directory has. */
class AnotherStoreError extends UsageError {
  toFault(): Fault {
    return localFault("ELocal:Store unavailable", { message: this.message, nextAction: this.fix });
  }
}

export interface ExpectedStore {
  readonly mark: StoreMark | undefined;
  /** The id of the only one that may be opened there: the address is another than it was. */
  readonly only: string | undefined;
  readonly here: StoreMark;
  readonly another: () => Error;
}

/** @throws an error with exit code 2 where the settings certainly lead to another store; nothing was opened */
export async function expectedStore(home: Home): Promise<ExpectedStore> {
  const mark = readStoreMark(home.storeMark);
  const here = await ledTo(home);
  const another = (): Error => anotherStore(home, mark ?? here, here);
  const isElsewhere = mark !== undefined && mark.standsAt !== here.standsAt;
  if (mark !== undefined && (mark.kind !== here.kind || (isElsewhere && mark.storeId === undefined))) throw another();
  return { mark, only: isElsewhere ? mark.storeId : undefined, here, another };
}

/** Follows the settings to their store. @throws an error for the person where they lead nowhere */
export async function ledTo(home: Home): Promise<StoreMark> {
  const server = StoreUrl.of(home.storeUrl());
  if (server === undefined) return { kind: "file" };
  const { serverPlace } = await import("../../store/index.ts");
  const { shown, standsAt } = await serverPlace(server.reveal(), home.tenant?.name);
  return { kind: "server", shown, standsAt: createHash("sha256").update(standsAt).digest("hex").slice(0, 32) };
}

/** Where the store of a data directory is, for whoever looks at it and leaves it as it is. */
export async function storeToLookAt(home: Home): Promise<Exclude<StoreLocation, { readonly memory: true }>> {
  const server = StoreUrl.of(home.storeUrl());
  if (server === undefined) return { path: home.database };
  const { haltPathOf } = await import("../../store/index.ts");
  const halt = { url: server.reveal(), haltPath: haltPathOf(home.database) };
  return { ...halt, ...defined({ tenant: home.tenant?.name }) };
}

export function keepMark(home: Home, mark: StoreMark): void {
  try {
    const before = readStoreMark(home.storeMark);
    const isSame = before?.kind === mark.kind && before.storeId === mark.storeId && before.standsAt === mark.standsAt;
    if (!isSame) writeStoreMark(home.storeMark, mark);
  } catch {
    // A full disk, or a directory that cannot be written: the next process that serves writes it.
  }
}

/** Tells whether the store is on a server that other processes share, as far as that can be known. */
export function isShared(home: Home): boolean {
  try {
    return home.storeUrl() !== undefined || readStoreMark(home.storeMark)?.kind === "server";
  } catch {
    return true;
  }
}

/** Names a store for people. */
export function storeText({ database }: Home, { kind, shown = "" }: StoreMark): string {
  return kind === "file" ? `the file ${database}` : `on a server, ${shown}`;
}

function anotherStore(home: Home, mark: StoreMark, here: StoreMark): AnotherStoreError {
  const [was, is] = [storeText(home, mark), storeText(home, here)];
  const why = here.kind === "file" ? "HOGA_STORE_URL is not set" : `HOGA_STORE_URL leads to another: ${is}`;
  const right = mark.kind === "file" ? "Unset HOGA_STORE_URL" : "Set HOGA_STORE_URL to that one";
  const move = mark.kind === "file" ? ", or move the store there with hoga store migrate" : "";
  const whose = home.tenant === undefined ? "" : ` --tenant ${home.tenant.name}`;
  return new AnotherStoreError(
    `The store was not reached: that of the data directory ${home.dir} is ${was}, and ${why}. Nothing was opened.`,
    `${right}${move}. If it is to be another from now on, a person says so on a terminal: hoga store use${whose}`,
  );
}
