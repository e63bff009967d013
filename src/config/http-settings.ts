/**
 * Owns the settings of `[http]`: who says who is calling, and by which address the server is known.
 *
 * Invariant: settings that contradict each other are an error, as are those that have no effect.
 *
 * Source: settings.md#http, decision 0035.
 */
import { z } from "zod";
import { ConfigError } from "./config-error.ts";

const ADDRESS_RULE =
  "must be an https URL of host and path alone, without user, password, query or fragment (http only at an address of this machine)";

/** What the messages of this table's own checks say. */
export const HTTP_RULES: readonly string[] = [ADDRESS_RULE];

/** Kept as it is written: an issuer and an audience are compared letter by letter. */
const address = z.string().max(1_000).refine(isSafeAddress, { error: ADDRESS_RULE });

export const httpTable = z.strictObject({
  auth: z.enum(["token", "oauth"]).optional(),
  issuer: address.optional(),
  audience: z.string().min(1).max(1_000).optional(),
  resource: address.optional(),
});

export interface HttpInForce {
  /** Where tokens come from instead of `hoga tokens`. */
  readonly oauth?: { readonly issuer: string; readonly audience: string };
  /** The URL of MCP by which clients know this server. */
  readonly resource?: string;
}

/** @param where names the file in errors @throws ConfigError */
export function httpInForce(table: z.infer<typeof httpTable> = {}, where: string): HttpInForce {
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

function isSafeAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s@?#]+$/.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(hostname);
}
