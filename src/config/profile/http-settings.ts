/**
 * Owns the settings of `[http]`, who says who is calling and by which address the server is known, and of `[notify]`, whom hoga itself calls.
 *
 * Invariant: settings that contradict each other are an error, as are those that have no effect.
 *
 * Source: settings.md#http, settings.md#notify, decision 0035.
 */
import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { defined } from "../../contract/index.ts";
import { ConfigError } from "../files/config-error.ts";
import type { Environment } from "../files/home.ts";
import { readOwnFile, weaknessBehind } from "../files/own-file.ts";
import { LOCALES } from "../files/reader.ts";
import { WEBHOOK_SETTINGS, webhookSecretsOf } from "../keys/webhook-secret.ts";
import { Secret } from "../secrets/secret.ts";
import { isLoopbackHost } from "./loopback-host.ts";

const ADDRESS_RULE =
  "must be an https URL of host and path alone, without user, password, query or fragment (http only at an address of this machine)";

const PROXY_RULE = "must be an IP address, or a range of them as 10.0.0.0/24, and not all of them";

const RECEIVER_RULE =
  "must be an https URL without user, password or fragment (http only at an address of this machine)";

/** Lists what the messages of these tables' own checks say. */
export const HTTP_RULES: readonly string[] = [ADDRESS_RULE, PROXY_RULE, RECEIVER_RULE];

/** Kept as it is written: an issuer and an audience are compared letter by letter. */
const address = z.string().max(1_000).refine(isSafeAddress, { error: ADDRESS_RULE });

const httpTable = z.strictObject({
  auth: z.enum(["token", "oauth"]).optional(),
  issuer: address.optional(),
  audience: z.string().min(1).max(1_000).optional(),
  resource: address.optional(),
  tls_cert: z.string().min(1).max(4_096).optional(),
  tls_key: z.string().min(1).max(4_096).optional(),
  console_client_id: z.string().min(1).max(1_000).optional(),
  console_client_secret_env: z.string().min(1).max(200).optional(),
  console_client_secret_file: z.string().min(1).max(4_096).optional(),
  console_subjects: z.array(z.string().min(1).max(1_000)).min(1).max(64).optional(),
  trusted_proxies: z
    .array(z.string().refine(isProxy, { error: PROXY_RULE }))
    .min(1)
    .max(64)
    .optional(),
});

/** What notices are about, as their receivers know it. */
const NOTICE_NAMES = [
  "plan.active",
  "plan.triggered",
  "plan.step_done",
  "plan.step_missed",
  "plan.below_floor",
  "plan.attention",
  "plan.paused",
  "plan.removal_requested",
  "plan.expiring",
  "plan.ended",
  "plan.gap",
  "alert.fired",
] as const;

const notifyTable = z.strictObject({
  webhook_url: z.string().max(2_000).refine(isReceiver, { error: RECEIVER_RULE }),
  ...WEBHOOK_SETTINGS,
  types: z.array(z.enum(NOTICE_NAMES)).min(1).optional(),
  locale: z.enum(LOCALES).optional(),
});

/** Both ways of calls, as they stand in the file. */
export const CALLS = { http: httpTable.optional(), notify: notifyTable.optional() };

export interface NotifyInForce {
  /** Not printed whole: behind its host may stand what only its receiver is to know. */
  readonly url: string;
  /** At least one; several while one takes the place of another. */
  readonly secrets: readonly Secret[];
  readonly types: readonly (typeof NOTICE_NAMES)[number][];
  /** Absent: that of the person who reads. */
  readonly locale?: (typeof LOCALES)[number];
}

/** @param where names the table in errors @returns undefined where there is none @throws ConfigError */
export function notifyInForce(
  table: z.infer<typeof notifyTable> | undefined,
  where: string,
  env: Environment,
): NotifyInForce | undefined {
  if (table === undefined) return undefined;
  const { webhook_url: url, types = NOTICE_NAMES, locale } = table;
  const secrets = webhookSecretsOf(table, env, where, null);
  if (secrets.length === 0)
    throw new ConfigError(
      `${where} has a webhook_url and no secret, so that its receiver could not know what is true.`,
      "Make one, for hoga and the receiver, and set it as webhook_secret, or its variable as webhook_secret_env: echo whsec_$(openssl rand -base64 32)",
    );
  return { url, secrets, types, ...defined({ locale }) };
}

export interface HttpInForce {
  readonly oauth?: { readonly issuer: string; readonly audience: string };
  readonly console?: { readonly clientId: string; readonly secret?: Secret; readonly subjects: readonly string[] };
  /** The URL of MCP by which clients know this server. */
  readonly resource?: string;
  /** Holds both as PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly trustedProxies?: readonly string[];
}

type HttpTable = z.infer<typeof httpTable>;

/** @param where the file that they stand in @throws ConfigError */
export function httpInForce(table: HttpTable = {}, where: string, env: Environment = {}): HttpInForce {
  return { ...callersOf(table, where), ...consoleOf(table, where, env), ...wayOf(table, where) };
}

function consoleOf(table: HttpTable, where: string, env: Environment): HttpInForce {
  const { auth, console_client_id: clientId, console_subjects: subjects } = table;
  const { console_client_secret_env: name, console_client_secret_file: file } = table;
  const [given] = Object.entries({
    console_client_id: clientId,
    console_subjects: subjects,
    console_client_secret_env: name,
    console_client_secret_file: file,
  })
    .filter(([, value]) => value !== undefined)
    .map(([setting]) => setting);
  if (given === undefined) return {};
  if (auth !== "oauth")
    throw new ConfigError(
      `${where}: [http] has ${given}, and auth is not "oauth", so it has no effect.`,
      `Set auth = "oauth", or remove ${given}.`,
    );
  if (clientId === undefined || subjects === undefined)
    throw new ConfigError(
      `${where}: [http] has ${given} and no ${clientId === undefined ? "console_client_id" : "console_subjects"}.`,
      "Set both: the client that the issuer knows the console as, and who may sign in, as sub in its tokens.",
    );
  if (name !== undefined && file !== undefined)
    throw new ConfigError(`${where}: [http] has two places for the console's client secret.`, "Keep one of them.");
  const secret = name === undefined ? file && secretIn(resolve(dirname(where), file)) : secretNamed(name, env);
  return { console: { clientId, subjects, ...defined({ secret: secret || undefined }) } };
}

function secretNamed(name: string, env: Environment): Secret {
  const text = env[name] ?? "";
  if (text === "")
    throw new ConfigError(`${name}, the console_client_secret_env, is not set.`, "Set it to the client's secret.");
  return new Secret(text);
}

function secretIn(path: string): Secret {
  const refuse = (problem: string): ConfigError =>
    new ConfigError(
      `${path}, the console_client_secret_file, ${problem}.`,
      `Put the secret alone into it, and run: chmod 600 "${path}"`,
    );
  const text = readOwnFile(path, refuse)?.trim() ?? "";
  if (text === "") throw refuse("holds no secret");
  return new Secret(text);
}

function callersOf(table: HttpTable, where: string): HttpInForce {
  const { auth = "token", issuer, audience, resource } = table;
  if (auth === "token") {
    for (const [name, value] of Object.entries({ issuer, audience }))
      if (value !== undefined)
        throw new ConfigError(
          `${where}: [http] has ${name}, and auth is not "oauth", so it has no effect.`,
          `Set auth = "oauth", or remove ${name}.`,
        );
    return resource === undefined ? {} : { resource };
  }
  if (issuer === undefined || resource === undefined)
    throw new ConfigError(
      `${where}: [http] auth = "oauth" needs ${issuer === undefined ? "issuer" : "resource"}.`,
      issuer === undefined
        ? "Set issuer to the address of the authorization server, as it stands in its tokens."
        : "Set resource to the address of MCP here as clients know it, such as https://hoga.example.com/mcp.",
    );
  return { oauth: { issuer, audience: audience ?? resource }, resource };
}

function wayOf(table: HttpTable, where: string): HttpInForce {
  const { resource, tls_cert: cert, tls_key: key, trusted_proxies: trustedProxies } = table;
  if ((cert === undefined) !== (key === undefined))
    throw new ConfigError(
      `${where}: [http] has one of tls_cert and tls_key.`,
      "Set both: the certificate with its chain, and the key that belongs to it.",
    );
  if (resource === undefined && (cert ?? trustedProxies) !== undefined)
    throw new ConfigError(
      `${where}: [http] has ${cert === undefined ? "trusted_proxies" : "tls_cert"} and no resource.`,
      "Set resource to the address of MCP here as clients know it, such as https://hoga.example.com/mcp: requests for another name are refused.",
    );
  if (cert === undefined || key === undefined) return defined({ trustedProxies });
  const dir = dirname(where);
  const tls = { cert: textOf(resolve(dir, cert), "tls_cert"), key: textOf(resolve(dir, key), "tls_key") };
  return { tls, ...defined({ trustedProxies }) };
}

function textOf(path: string, setting: "tls_cert" | "tls_key"): string {
  try {
    // A key may be a group's, as those of web servers are, and not everybody's.
    if (setting === "tls_key" && process.platform !== "win32" && (statSync(path).mode & 0o007) !== 0)
      throw new ConfigError(`${path}, the tls_key, is open to every user of this machine.`, `Run: chmod o= "${path}"`);
    // It may be a link, as those are that renew themselves, but not one that leads through where others may write.
    const weakness = weaknessBehind(path);
    if (weakness !== undefined)
      throw new ConfigError(`${path}, the ${setting}, ${weakness}.`, "Name the file itself, or close that place.");
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw new ConfigError(`${path}, the ${setting}, cannot be read${code}.`, "Name a file that hoga may read.");
  }
}

function isProxy(text: string): boolean {
  const [address = "", prefix, ...more] = text.split("/");
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (bits === 0 || more.length > 0) return false;
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits); // not money: bits
}

function isSafeAddress(text: string): boolean {
  return /^https?:\/\/[^\s@?#]+$/.test(text) && isReceiver(text);
}

function isReceiver(text: string): boolean {
  if (!/^https?:\/\/[^\s#]+$/.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return username === "" && password === "" && (protocol === "https:" || isLoopbackHost(hostname));
}
