/**
 * Owns how a command finds a tenant: in the operator's store by its name, and its own directory and key from there.
 *
 * Invariant: what is done for a tenant is done with its own home; a halt needs none of this to be in order.
 *
 * Source: decision 0040.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  type Home,
  homeOf,
  isTenantName,
  type MasterKeys,
  masterKeysIn,
  type Tenant,
  tenantHome,
  unsealKey,
} from "../../config/index.ts";
import { defined, quoted } from "../../contract/index.ts";
import { haltReason } from "../../desk/index.ts";
import type { KeptTenant } from "../../store/index.ts";
import { NotFoundError, unwrap } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { haltByFile, problemOf } from "./home-kill-switch.ts";
import { type DeskStore, openHomeStore } from "./home-store.ts";

export async function withOperatorStore<T>(
  run: Invocation,
  use: (store: DeskStore, home: Home) => Promise<T>,
): Promise<T> {
  const home = homeOf(run.env);
  const closers: (() => Promise<void> | void)[] = [];
  try {
    return await use(await openHomeStore(home, closers, (message) => run.out.notice(message)), home);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** From now on the command is about this tenant. @throws NotFoundError where there is none of this name */
export async function resolveTenant(run: Invocation, name: string): Promise<void> {
  await withOperatorStore(run, async ({ tenants }, operator) => {
    const kept = isTenantName(name) ? unwrap(await tenants.find(name)) : undefined;
    if (kept === undefined) throw noTenant(name);
    run.isFor(
      tenantHome(
        operator,
        tenantOf(kept, () => masterKeysIn(operator, run.env)),
      ),
    );
  });
}

export function noTenant(name: string): NotFoundError {
  return new NotFoundError(`There is no tenant ${quoted(name, 80)}.`, "See hoga tenants list.");
}

/** The same for a halt, which asks the store only afterwards where the tenant has been here. */
export async function nameTenant(run: Invocation, name: string): Promise<void> {
  const operator = homeOf(run.env);
  if (namesOnDisk(operator).includes(name)) run.isFor(unresolvedHome(operator, name));
  else await resolveTenant(run, name);
}

/** @param keys read when its key is needed first */
export function tenantOf({ name, profile, key }: KeptTenant, keys: () => MasterKeys): Tenant {
  const credentials = key && (async () => unsealKey(key, { tenant: name, profile }, keys()));
  return { name, profile, ...defined({ credentials }) };
}

/** Makes a run of every tenant that there is, as far as that can be known. */
export async function tenantRuns(run: Invocation): Promise<readonly (readonly [string, Invocation])[]> {
  const operator = homeOf(run.env);
  let names: readonly string[] | undefined;
  await problemOf(() =>
    withOperatorStore(run, async ({ tenants }) => {
      names = unwrap(await tenants.list()).map(({ name }) => name);
    }),
  );
  return (names ?? namesOnDisk(operator)).map((name) => [name, run.of(unresolvedHome(operator, name))]);
}

/** Before any store is opened. */
export async function haltTenantFiles(operator: Home, reason: string, by: string): Promise<void> {
  const record = { reason: haltReason(reason), by, atMs: Date.now() };
  for (const name of namesOnDisk(operator)) await haltByFile(unresolvedHome(operator, name), record);
}

function namesOnDisk({ dir }: Home): readonly string[] {
  try {
    const found = readdirSync(join(dir, "tenants"), { withFileTypes: true });
    return found.filter((each) => each.isDirectory() && isTenantName(each.name)).map(({ name }) => name);
  } catch {
    // There are none, or they cannot be seen: the store knows them.
    return [];
  }
}

function unresolvedHome(operator: Home, name: string): Home {
  return tenantHome(operator, { name, profile: "" });
}
