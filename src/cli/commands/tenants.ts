/**
 * `hoga tenants`: who is served over HTTP beside the operator, each with an account, a store, a policy and a log of its own.
 *
 * Invariants: a key is read from a terminal or a pipe, never from an argument, and is sealed before it is kept; one that has something open
 * or without an answer is not removed.
 *
 * Source: tenants.md, decision 0040.
 */
import {
  type Credentials,
  digestOf,
  givenCredentials,
  homeOf,
  httpIn,
  isTenantName,
  loadProfile,
  masterKeysIn,
  prepareHome,
  Secret,
  sealKey,
  tenantHome,
  unsealKey,
} from "../../config/index.ts";
import { quoted } from "../../contract/index.ts";
import { ordersOfOtherAccounts, unsettledIn } from "../../desk/index.ts";
import { type KeptTenant, TENANTS_MAX, type Tenants } from "../../store/index.ts";
import { noTenant, resolveTenant, withOperatorStore } from "../composition/tenants.ts";
import { ExplainedError, NotFoundError, UsageError, unwrap } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { table } from "../text/table.ts";
import { withComposition } from "./look.ts";
import { atTerminal } from "./pin-prompt.ts";

export interface TenantOptions {
  readonly json?: boolean;
}

export async function createTenant(
  name: string,
  { profile, json }: TenantOptions & { readonly profile: string },
  run: Invocation,
): Promise<void> {
  if (!isTenantName(name))
    throw new UsageError(
      `${quoted(name, 80)} cannot be the name of a tenant.`,
      "Use up to 32 of a to z, digits and hyphens, the first a letter, such as alice or desk-2.",
    );
  const home = tenantHome(homeOf(run.env), { name, profile });
  const { baseUrl } = loadProfile(home, run.env);
  const created = await withOperatorStore(run, async ({ tenants }) =>
    unwrap(await tenants.create({ name, profile, createdAtMs: Date.now() })),
  );
  if (created === "taken")
    throw new ExplainedError(
      `There is a tenant named ${name}, or was: what it has left lies under its name.`,
      "Choose another name.",
    );
  if (created === "too_many")
    throw new ExplainedError(`There are ${TENANTS_MAX} tenants.`, "Remove one that nobody needs: hoga tenants list");
  prepareHome(home);
  if (json === true) return run.out.printJson({ name, profile, directory: home.dir, policy: home.policy });
  run.out.print(
    [
      `The tenant ${name} trades by the profile ${profile}. Its policy is ${home.policy}; without that file the default.`,
      ...(baseUrl === undefined ? [] : [`Its key:    hoga tenants key ${name}`]),
      `Its PIN:    hoga pin --tenant ${name}`,
      `Its tokens: hoga tokens create NAME --tenant ${name}`,
    ].join("\n"),
  );
}

export async function listTenants({ json }: TenantOptions, run: Invocation): Promise<void> {
  const tenants = await withOperatorStore(run, async (store) => {
    const kept = unwrap(await store.tenants.list());
    const subjectsOf = async ({ name }: KeptTenant) => unwrap(await store.tenants.subjects(name));
    return Promise.all(kept.map(async (tenant) => ({ ...tenant, subjects: await subjectsOf(tenant) })));
  });
  const shown = tenants.map(({ name, profile, createdAtMs, key, subjects }) => ({
    ...{ name, profile, created_at: new Date(createdAtMs).toISOString() },
    master_key: key?.masterKeyId ?? null,
    subjects: subjects.map(({ subject }) => subject),
  }));
  if (json === true) return run.out.printJson({ tenants: shown });
  if (tenants.length === 0) return run.out.print("There are no tenants: everybody who is let in is served as you.");
  const { when } = run.words;
  const cells = tenants.map(({ name, profile, createdAtMs, key }) => [
    ...[name, profile, when(createdAtMs)],
    key === undefined ? "none" : `under ${key.masterKeyId}`,
  ]);
  run.out.print(table(["name", "profile", "created", "key"], cells));
}

export async function keyTenant(name: string, { json }: TenantOptions, run: Invocation): Promise<void> {
  const operator = homeOf(run.env);
  await withOperatorStore(run, async ({ tenants }) => {
    const { profile } = await found(tenants, name);
    if (loadProfile(tenantHome(operator, { name, profile }), run.env).baseUrl === undefined)
      throw new ExplainedError(
        `The tenant ${name} trades on the embedded paper exchange, which hands out its own key.`,
        "Nothing is needed.",
      );
    const master = await masterKeysIn(operator, run.env).current();
    const credentials = await readCredentials(run);
    const key = {
      digest: digestOf(credentials.apiKey.reveal()),
      ...sealKey(credentials, { tenant: name, profile }, master),
    };
    const set = unwrap(await tenants.setKey(name, key, Date.now()));
    if (set === "no_tenant") throw noTenant(name);
    if (set === "in_use")
      throw new ExplainedError(
        "This key is another tenant's: the two would take each other's nonces, and have two budgets for one account.",
        "Make a key of its own at the exchange.",
      );
    if (json === true) run.out.printJson({ name, master_key: key.masterKeyId });
    else run.out.print(`The key of the tenant ${name} is sealed under the master key ${key.masterKeyId}.`);
  });
}

export interface SubjectOptions extends TenantOptions {
  readonly subject: string;
}

export async function admitSubject(name: string, { subject, json }: SubjectOptions, run: Invocation): Promise<void> {
  const who = { issuer: issuerOf(run), subject };
  const admitted = await withOperatorStore(run, async ({ tenants }) =>
    unwrap(await tenants.admit(name, who, Date.now())),
  );
  if (admitted === "no_tenant") throw noTenant(name);
  if (admitted === "taken")
    throw new ExplainedError(
      "They are admitted as another tenant.",
      `Dismiss them there first: hoga tenants dismiss --subject ${quoted(subject, 255)}`,
    );
  if (json === true) return run.out.printJson({ name, ...who });
  run.out.print(`Whom ${who.issuer} calls ${quoted(subject, 255)} is served as the tenant ${name}.`);
}

export async function dismissSubject({ subject, json }: SubjectOptions, run: Invocation): Promise<void> {
  const who = { issuer: issuerOf(run), subject };
  const name = await withOperatorStore(run, async ({ tenants }) => unwrap(await tenants.dismiss(who, Date.now())));
  if (name === undefined)
    throw new NotFoundError(`${quoted(subject, 80)} is admitted as no tenant.`, "See hoga tenants list --json.");
  if (json === true) return run.out.printJson({ dismissed: subject, name });
  run.out.print(`${quoted(subject, 255)} is not let in any more; what they had open is closed within a second.`);
}

function issuerOf(run: Invocation): string {
  const { oauth } = httpIn(homeOf(run.env));
  if (oauth !== undefined) return oauth.issuer;
  throw new ExplainedError(
    "No authorization server says who calls here, so there are no subjects.",
    'Set [http] auth = "oauth" in config.toml, or make a token: hoga tokens create NAME --tenant TENANT',
  );
}

export async function rotateKeys({ json }: TenantOptions, run: Invocation): Promise<void> {
  const keys = masterKeysIn(homeOf(run.env), run.env);
  const master = await keys.current();
  let [resealed, already] = [0, 0];
  await withOperatorStore(run, async ({ tenants }) => {
    // Each in a transaction of its own: what breaks off goes on where it was.
    for (const { name, profile, key } of unwrap(await tenants.list())) {
      if (key === undefined) continue;
      if (key.masterKeyId === master.id) already += 1;
      else {
        const owner = { tenant: name, profile };
        const next = sealKey(await unsealKey(key, owner, keys), owner, master);
        // One that was given a new key meanwhile has it under this master key.
        if (unwrap(await tenants.reseal(name, key, { digest: key.digest, ...next }, Date.now()))) resealed += 1;
      }
    }
  });
  if (json === true) return run.out.printJson({ master_key: master.id, resealed, already });
  run.out.print(
    `${resealed} keys were sealed under the master key ${master.id}; ${already} were already. The one before is not needed any more.`,
  );
}

export async function removeTenant(name: string, { json }: TenantOptions, run: Invocation): Promise<void> {
  await resolveTenant(run, name);
  await refuseUnlessOver(name, run);
  await withOperatorStore(run, async ({ tenants }) => {
    if (!unwrap(await tenants.remove(name, Date.now()))) throw noTenant(name);
  });
  const { dir } = run.home;
  if (json === true) return run.out.printJson({ removed: name, kept: dir });
  run.out.print(
    `The tenant ${name} is removed, with its key and its tokens. Its store stays for your records, in ${dir} or its schema, and its name is not given again.`,
  );
}

async function refuseUnlessOver(name: string, run: Invocation): Promise<void> {
  const first = `Halt it first, which cancels and shows what is left: hoga halt --tenant ${name}`;
  await withComposition(run, undefined, async (composition) => {
    const store = await composition.store();
    const { journal, killSwitch } = store;
    // So that nothing begins meanwhile.
    if (unwrap(await killSwitch.state()) === undefined)
      throw new ExplainedError(`The tenant ${name} may trade.`, first);
    const orders = unwrap(await ordersOfOtherAccounts(journal, ""));
    const moves = unwrap(await unsettledIn(store));
    const isReachable =
      run.home.tenant?.credentials !== undefined || loadProfile(run.home, run.env).baseUrl === undefined;
    const open = isReachable ? unwrap(await composition.desk.openOrders({ limit: 1 })).orders : [];
    if (orders.length + moves.length + open.length > 0)
      throw new ExplainedError(`The tenant ${name} has orders or transfers that are not over.`, first);
  });
}

async function found(tenants: Tenants, name: string): Promise<KeptTenant> {
  const kept = isTenantName(name) ? unwrap(await tenants.find(name)) : undefined;
  if (kept === undefined) throw noTenant(name);
  return kept;
}

/** Two lines: the key and the secret. */
async function readCredentials(run: Invocation): Promise<Credentials> {
  const lines: Secret[] = [];
  if (run.io.stdin.isTTY === true)
    await atTerminal(run, "key", async (ask) => {
      for (const question of ["API key", "API secret"]) lines.push(new Secret((await ask(question)).trim()));
    });
  else lines.push(...(await pipedLines(run)));
  const [apiKey, apiSecret, ...more] = lines;
  if (apiKey === undefined || apiSecret === undefined || more.length > 0)
    throw new UsageError("Two lines are wanted on stdin, the key and the secret.", "Pipe in both, each on its line.");
  return givenCredentials(apiKey, apiSecret, "stdin");
}

const INPUT_MAX = 4 * 1024;

async function pipedLines({ io }: Invocation): Promise<readonly Secret[]> {
  let text = "";
  for await (const chunk of io.stdin.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > INPUT_MAX) throw new UsageError("Far more than a key came in on stdin.", "Pipe in two lines.");
  }
  return text
    .split(/\r?\n/)
    .filter((line) => line !== "")
    .map((line) => new Secret(line));
}
