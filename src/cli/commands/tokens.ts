/**
 * `hoga tokens`: who may call over HTTP, and what each may do. They belong to the data directory, whatever the profile.
 *
 * Invariant: a token is shown once, when it is made; nothing can show it again.
 *
 * Source: commands.md#tokens, decision 0035.
 */
import { randomBytes } from "node:crypto";
import { digestOf, newAccessToken, TOKENLESS } from "../../config/index.ts";
import { defined, quoted } from "../../contract/index.ts";
import { SCOPES, type Scope, scopesAmong } from "../../mcp/index.ts";
import { type AccessToken, type AccessTokens, TOKENS_MAX } from "../../store/index.ts";
import { noTenant, withOperatorStore } from "../composition/tenants.ts";
import { ExplainedError, NotFoundError, UsageError, unwrap } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { table } from "../text/table.ts";

export interface TokenOptions {
  readonly json?: boolean;
}

export interface CreateOptions extends TokenOptions {
  readonly scopes?: string;
  /** Whose it is, if not the operator's. */
  readonly tenant?: string;
  readonly expires: string;
}

/** Reads only, where nothing is said of writing. */
const READS: readonly Scope[] = ["market:read", "account:read"];
const NAME = /^[A-Za-z0-9][\w.-]{0,62}$/;
const HOUR_MS = 3_600_000;
const UNITS_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS };

export async function createToken(name: string, options: CreateOptions, run: Invocation): Promise<void> {
  const scopes = scopesIn(options.scopes);
  const lifeMs = lifeIn(options.expires);
  if (!NAME.test(name))
    throw new UsageError(
      `${quoted(name, 80)} cannot be the name of a token.`,
      "Use up to 63 letters, digits, dots, hyphens and underscores, the first a letter or digit, such as laptop or claude-code.",
    );
  // The log names callers, and these two are there already.
  if (Object.values<string>(TOKENLESS).includes(name))
    throw new UsageError(`${name} is what the log calls a caller without a token of its own.`, "Choose another name.");
  const token = newAccessToken(randomBytes);
  const createdAtMs = Date.now();
  const made: AccessToken = {
    ...{ name, scopes, createdAtMs, digest: digestOf(token.reveal()) },
    ...defined({ tenant: options.tenant, expiresAtMs: lifeMs === undefined ? undefined : createdAtMs + lifeMs }),
  };
  await withTokens(run, async (tokens) => {
    const created = unwrap(await tokens.create(made));
    if (created === "taken")
      throw new ExplainedError(
        `There is a token named ${name} already.`,
        `Choose another name, or end it first: hoga tokens revoke ${name}`,
      );
    if (created === "no_tenant") throw noTenant(options.tenant ?? "");
    if (created === "too_many")
      throw new ExplainedError(
        `There are ${TOKENS_MAX} tokens${options.tenant === undefined ? "" : ` of the tenant ${options.tenant}`}.`,
        "Revoke one that nobody uses: hoga tokens list",
      );
  });
  run.out.printHandingOut(token, (shown) => {
    const about = shownToken(made, createdAtMs);
    if (options.json === true) return { token: shown, ...about };
    const until =
      about.expires_at === null ? "It never expires." : `It expires at ${run.words.when(createdAtMs + (lifeMs ?? 0))}.`;
    return [
      `The token ${name}, for Authorization: Bearer. Keep it now: it is not shown again.`,
      "",
      `  ${shown}`,
      "",
      ...(options.tenant === undefined ? [] : [`It is served as the tenant ${options.tenant}.`]),
      `It may: ${scopes.join(" ")}. ${until}`,
      `hoga tokens revoke ${name} ends it.`,
    ].join("\n");
  });
}

export async function listTokens({ json }: TokenOptions, run: Invocation): Promise<void> {
  const tokens = await withTokens(run, async (kept) => unwrap(await kept.list()));
  const now = Date.now();
  if (json === true) return run.out.printJson({ tokens: tokens.map((token) => shownToken(token, now)) });
  if (tokens.length === 0) return run.out.print("There are no tokens but the one in http-token.");
  const { when } = run.words;
  const hasTenants = tokens.some(({ tenant }) => tenant !== undefined);
  const cells = tokens.map(({ name, tenant = "", scopes, createdAtMs, expiresAtMs, usedAtMs }) => [
    name,
    ...(hasTenants ? [tenant] : []),
    scopes.join(" "),
    when(createdAtMs),
    expiresAtMs === undefined ? "never" : `${when(expiresAtMs)}${expiresAtMs <= now ? " (expired)" : ""}`,
    usedAtMs === undefined ? "never" : when(usedAtMs),
  ]);
  run.out.print(
    table(["name", ...(hasTenants ? ["tenant"] : []), "scopes", "created", "expires", "last used (hour)"], cells),
  );
}

export async function revokeToken(name: string, { json }: TokenOptions, run: Invocation): Promise<void> {
  const revoked = await withTokens(run, async (tokens) => unwrap(await tokens.revoke(name, Date.now())));
  if (!revoked) throw new NotFoundError(`There is no token named ${quoted(name, 80)}.`, "See hoga tokens list.");
  if (json === true) run.out.printJson({ revoked: name });
  else run.out.print(`The token ${name} is revoked; what it had open is closed within a second.`);
}

function withTokens<T>(run: Invocation, use: (tokens: AccessTokens) => Promise<T>): Promise<T> {
  return withOperatorStore(run, ({ tokens }) => use(tokens));
}

/** For programs: in UTC. */
function shownToken({ name, tenant, scopes, createdAtMs, expiresAtMs, usedAtMs }: AccessToken, nowMs: number) {
  const time = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());
  return {
    name,
    ...defined({ tenant }),
    scopes,
    created_at: time(createdAtMs),
    expires_at: time(expiresAtMs),
    expired: expiresAtMs !== undefined && expiresAtMs <= nowMs,
    last_used_hour: time(usedAtMs),
  };
}

function scopesIn(text: string | undefined): readonly Scope[] {
  if (text === undefined) return READS;
  if (text === "all") return SCOPES;
  const named = text.split(/[\s,]+/).filter((word) => word !== "");
  const unknown = named.find((word) => !SCOPES.some((scope) => scope === word));
  if (unknown === undefined && named.length > 0) return scopesAmong(named);
  throw new UsageError(
    `--scopes: ${unknown === undefined ? "no scope is named" : `${quoted(unknown, 40)} is no scope`}.`,
    `Name one or more of ${SCOPES.join(", ")}, with commas between them; or all.`,
  );
}

/** @returns undefined where it never expires */
function lifeIn(text: string): number | undefined {
  if (text === "never") return undefined;
  const [, count = "", unit = ""] = /^([1-9]\d{0,3})([hd])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  if (unitMs === undefined)
    throw new UsageError(
      `--expires: ${quoted(text, 40)} is no time.`,
      "Write hours or days, such as 12h or 30d; or never.",
    );
  return Number(count) * unitMs; // not money: a time
}
