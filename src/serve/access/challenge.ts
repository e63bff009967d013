/**
 * Owns what a caller that is refused is told in `WWW-Authenticate`, and, where an authorization server issues the tokens, the document
 * that leads a client to it.
 *
 * Source: RFC 6750 (the header), RFC 9728 (the document), decision 0035.
 */
import { getOAuthProtectedResourceMetadataUrl } from "@modelcontextprotocol/server";
import { SCOPES, type Scope } from "../../mcp/index.ts";
import { sendJson } from "../wire/page.ts";
import type { Handler, Routes } from "../wire/route.ts";

/** This server as an authorization server and its clients know it. */
interface ProtectedResource {
  readonly issuer: string;
  /** The URL of MCP. */
  readonly resource: string;
}

/** Lists what a client asks for first: it looks, and asks for more when it needs more. */
const FIRST_SCOPES: readonly Scope[] = ["market:read", "account:read"];
const WELL_KNOWN = "/.well-known/oauth-protected-resource";

export class Challenges {
  /** Open to all: without a token nobody could learn where to get one. */
  readonly routes: Routes;
  readonly #oauth: ProtectedResource | undefined;

  constructor(oauth: ProtectedResource | undefined) {
    this.#oauth = oauth;
    this.routes = oauth === undefined ? {} : documentRoutes(oauth);
  }

  /** @param hadToken whether one was shown, which was not good */
  unauthorized(hadToken: boolean): string {
    const scope = this.#oauth === undefined ? undefined : FIRST_SCOPES.join(" ");
    return this.#header({ error: hadToken ? "invalid_token" : undefined, scope });
  }

  /** @param scopes with which it would be allowed */
  insufficient(scopes: readonly Scope[]): string {
    return this.#header({ error: "insufficient_scope", scope: scopes.join(" ") });
  }

  #header({ error, scope }: { readonly error: string | undefined; readonly scope: string | undefined }): string {
    const { resource } = this.#oauth ?? {};
    const parameters = { error, scope, resource_metadata: resource === undefined ? undefined : metadataUrl(resource) };
    const shown = Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined ? [] : `${name}="${value}"`,
    );
    return ["Bearer", shown.join(", ")].join(" ").trim();
  }
}

function documentRoutes({ issuer, resource }: ProtectedResource): Routes {
  const document = {
    ...{ resource, authorization_servers: [issuer], scopes_supported: SCOPES },
    ...{ bearer_methods_supported: ["header"], resource_name: "hoga" },
  };
  const GET: Handler = async (_, response) => sendJson(response, 200, document);
  return { [WELL_KNOWN]: { GET }, [new URL(metadataUrl(resource)).pathname]: { GET } };
}

function metadataUrl(resource: string): string {
  return getOAuthProtectedResourceMetadataUrl(new URL(resource));
}
