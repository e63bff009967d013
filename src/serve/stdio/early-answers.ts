/**
 * Owns the answers to what every client asks first, given without the SDK: `initialize` or `server/discover`, the lists, `ping`.
 * Entry point: `EarlyAnswers`, one for one connection.
 *
 * Invariants: an answer is the one that the SDK's server would give, word for word; a message that is not exactly as expected is
 * not answered here, so that every judgement about a message stays the SDK's; after the first message that is left to the SDK, all are.
 */
import { type Handshake, isObject, showsViews } from "../../mcp/index.ts";

type Json = Readonly<Record<string, unknown>>;

/** A message that needs no server. */
export interface EarlyAnswer {
  /** Absent where the message is a notification. */
  readonly reply?: object;
  /** Says that the server has to be shown the message when it is loaded, as it says what connection this is. */
  readonly kept: boolean;
}

const PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

export class EarlyAnswers {
  readonly #handshake: Handshake;
  #era: "unknown" | "negotiated" | "discovered" | "named" = "unknown";
  #isInitialized = false;
  /** Belongs to the client that negotiated. */
  #showsViews = false;

  constructor(handshake: Handshake) {
    this.#handshake = handshake;
  }

  /** The client has said that it is there, which it does in the 2025 era alone. */
  get isInitialized(): boolean {
    return this.#isInitialized;
  }

  /** @returns undefined for what only the server can answer */
  to(message: unknown): EarlyAnswer | undefined {
    if (!isObject(message) || !hasOnly(message, ["jsonrpc", "id", "method", "params"])) return undefined;
    const { jsonrpc, id, method, params } = message;
    if (jsonrpc !== "2.0" || typeof method !== "string") return undefined;
    if (!("id" in message)) return this.#notified(method, params);
    const answered = isId(id) ? this.#resultOf(method, params) : undefined;
    if (answered === undefined) return undefined;
    const { result, kept } = answered;
    return { reply: { result, jsonrpc, id }, kept };
  }

  #notified(method: string, params: unknown): EarlyAnswer | undefined {
    const isExpected = this.#era === "negotiated" && !this.#isInitialized && method === "notifications/initialized";
    if (!isExpected || !isPlain(params)) return undefined;
    this.#isInitialized = true;
    return { kept: true };
  }

  #resultOf(method: string, params: unknown): { readonly result: object; readonly kept: boolean } | undefined {
    if (method === "initialize") return this.#initialize(params);
    if (this.#era === "negotiated") {
      const result = method === "ping" ? {} : this.#list(method, this.#showsViews)?.result;
      return result !== undefined && isPlain(params) ? { result, kept: false } : undefined;
    }
    return this.#isNamed(params) ? this.#named(method, showsViews(params._meta[CLIENT_CAPABILITIES])) : undefined;
  }

  #list(method: string, hasViews: boolean): { readonly result: object; readonly ttlMs: number } | undefined {
    const list = this.#handshake.lists[method];
    return list && { ...list, result: (hasViews ? list.withViews : undefined) ?? list.result };
  }

  /** The versions up to 2025-11-25: one is agreed upon at first. */
  #initialize(params: unknown): { readonly result: object; readonly kept: boolean } | undefined {
    const { versions, capabilities, serverInfo, instructions } = this.#handshake;
    if (this.#era !== "unknown" || !isObject(params)) return undefined;
    if (!hasOnly(params, ["protocolVersion", "capabilities", "clientInfo"])) return undefined;
    const { protocolVersion } = params;
    if (typeof protocolVersion !== "string" || !versions.negotiated.includes(protocolVersion)) return undefined;
    if (!areCapabilities(params["capabilities"]) || !isClientInfo(params["clientInfo"])) return undefined;
    this.#era = "negotiated";
    this.#showsViews = showsViews(params["capabilities"]);
    return { result: { protocolVersion, capabilities, serverInfo, instructions }, kept: true };
  }

  /** The versions from 2026-07-28 on: every request names its own. */
  #isNamed(params: unknown): params is { readonly _meta: Json } {
    if (!isObject(params) || !hasOnly(params, ["_meta"])) return false;
    const { _meta: meta } = params;
    if (!isObject(meta) || !hasOnly(meta, [PROTOCOL_VERSION, CLIENT_INFO, CLIENT_CAPABILITIES])) return false;
    const version = meta[PROTOCOL_VERSION];
    if (typeof version !== "string" || !this.#handshake.versions.named.includes(version)) return false;
    return isClientInfo(meta[CLIENT_INFO]) && areCapabilities(meta[CLIENT_CAPABILITIES]);
  }

  #named(method: string, hasViews: boolean): { readonly result: object; readonly kept: boolean } | undefined {
    const { versions, capabilities, serverInfo, instructions } = this.#handshake;
    const complete = (result: object, ttlMs: number): object => ({
      ...result,
      resultType: "complete",
      ttlMs,
      cacheScope: "private",
      _meta: { [SERVER_INFO]: serverInfo },
    });
    if (method === "server/discover") {
      const kept = this.#era === "unknown";
      if (kept) this.#era = "discovered";
      return { result: complete({ supportedVersions: versions.named, capabilities, instructions }, 0), kept };
    }
    const list = this.#list(method, hasViews);
    if (list === undefined) return undefined;
    // The first request after the discovery settles the version.
    const kept = this.#era !== "named";
    this.#era = "named";
    return { result: complete(list.result, list.ttlMs), kept };
  }
}

function hasOnly(value: Json, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}

function isId(id: unknown): boolean {
  return typeof id === "string" || Number.isSafeInteger(id);
}

/** Parameters that ask for nothing but the whole list. */
function isPlain(params: unknown): boolean {
  return params === undefined || (isObject(params) && hasOnly(params, []));
}

function isClientInfo(info: unknown): boolean {
  if (!isObject(info) || !("name" in info && "version" in info)) return false;
  const isText = Object.values(info).every((value) => typeof value === "string");
  return isText && hasOnly(info, ["name", "version", "title", "websiteUrl", "description"]);
}

const isRecord = (value: unknown): boolean => isObject(value) && Object.values(value).every(isObject);
const isFlag = (value: unknown): boolean => typeof value === "boolean";

/** Lists what a client may say that it can do, as far as it is known here. */
const CAPABILITIES: Readonly<Record<string, (value: unknown) => boolean>> = {
  experimental: isRecord,
  extensions: isRecord,
  roots: (value) => hasShape(value, { listChanged: isFlag }),
  sampling: (value) => hasShape(value, { context: isObject, tools: isObject }),
  elicitation: (value) => hasShape(value, { url: isObject, form: (form) => hasShape(form, { applyDefaults: isFlag }) }),
};

function areCapabilities(value: unknown): boolean {
  return hasShape(value, CAPABILITIES);
}

function hasShape(value: unknown, shape: Readonly<Record<string, (value: unknown) => boolean>>): boolean {
  return (
    isObject(value) &&
    Object.entries(value).every(([name, item]) => Object.hasOwn(shape, name) && shape[name]?.(item) === true)
  );
}
