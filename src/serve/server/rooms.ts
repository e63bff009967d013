/**
 * Owns where MCP is served: a room for the operator, and one for each tenant, with servers, sessions, streams and watched resources of its
 * own. A request is served in the room of whoever it was let in as.
 *
 * Invariants: nothing of one room can be named in another; a tenant that cannot be served is told why, and no other is disturbed by it; a
 * room whose servers were replaced has ended before the new one begins.
 *
 * Source: decision 0040.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerFactory } from "../../mcp/index.ts";
import type { Challenges } from "../access/challenge.ts";
import type { AssistantWatch } from "../sessions/assistant.ts";
import { mcpEndpoint } from "../sessions/mcp-endpoint.ts";
import type { SessionIds } from "../sessions/session-ids.ts";
import { type SessionEnd, type SessionLimits, SessionTable } from "../sessions/session-table.ts";
import { sseRoutes } from "../sessions/sse-endpoint.ts";
import type { InFlight } from "../wire/in-flight.ts";
import type { OpenRequests } from "../wire/open-requests.ts";
import { sendRefusal } from "../wire/page.ts";
import type { BodyLimits } from "../wire/request-body.ts";
import { type Handler, type Routes, routed } from "../wire/route.ts";

/** Makes the servers of a tenant: the same ones until they are replaced. Rejects with what keeps it from being served. */
export type TenantServers = (tenant: string) => Promise<ServerFactory>;

export interface RoomParts {
  /** The operator's. */
  readonly factory: ServerFactory;
  /** Lets tenants in; without it nobody comes in as one. */
  readonly tenants?: TenantServers;
  /** Told of the operator's clients, and of no tenant's. */
  readonly assistants?: AssistantWatch;
  readonly inFlight: InFlight<unknown>;
  readonly ids: SessionIds;
  readonly onSessionEnd: (why: SessionEnd) => void;
  readonly open: OpenRequests;
  readonly challenges: Challenges;
  readonly limits: BodyLimits & SessionLimits & RoomLimits;
  readonly onError: (error: unknown) => void;
}

export interface RoomLimits {
  /** Bounds those of one tenant. */
  readonly tenantSessionsMax: number;
}

interface Room {
  readonly factory: ServerFactory;
  readonly table: SessionTable;
  readonly routes: Routes;
  readonly serve: Handler;
  close(): Promise<void>;
}

/** When a tenant that cannot be served may be asked for again. */
const AGAIN_S = 5;

export class Rooms {
  readonly routes: Routes;
  readonly #parts: RoomParts;
  readonly #own: Room;
  readonly #tenants = new Map<string, Room>();

  constructor(parts: RoomParts) {
    this.#parts = parts;
    this.#own = roomOf(parts);
    const serve: Handler = (request, response, grant) => this.#serve(request, response, grant);
    const methods = Object.entries(this.#own.routes).map(([path, handlers]) => [
      path,
      Object.fromEntries(Object.keys(handlers).map((method) => [method, serve])),
    ]);
    this.routes = Object.fromEntries(methods) as Routes;
  }

  get sessions(): number {
    return this.#all().reduce((sum, { table }) => sum + table.size, 0);
  }

  /** Resolves when no write is running. */
  async idle(): Promise<void> {
    await Promise.all(this.#all().map(({ factory }) => factory.idle()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map((room) => room.close()));
  }

  #all(): readonly Room[] {
    return [this.#own, ...this.#tenants.values()];
  }

  readonly #serve: Handler = async (request, response, grant) => {
    const { tenant } = grant.identity;
    if (tenant === undefined) return this.#own.serve(request, response, grant);
    const room = await this.#roomOf(tenant).catch((error: unknown) => {
      this.#refuse(request, response, { tenant, error });
    });
    if (room !== undefined && !response.closed) await room.serve(request, response, grant);
  };

  async #roomOf(tenant: string): Promise<Room> {
    const { tenants, limits, assistants: _operators, ...parts } = this.#parts;
    if (tenants === undefined) throw new Error("this server has no tenants");
    const factory = await tenants(tenant);
    const known = this.#tenants.get(tenant);
    if (known?.factory === factory) return known;
    const sessionsMax = limits.tenantSessionsMax;
    const room = roomOf({ ...parts, factory, limits: { ...limits, sessionsMax } });
    this.#tenants.set(tenant, room);
    await known?.close();
    return room;
  }

  #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    { tenant, error }: { readonly tenant: string; readonly error: unknown },
  ): void {
    request.resume();
    const why = error instanceof Error ? error.message : String(error);
    const message = `The tenant ${tenant} cannot be served now, and nothing of this was done: ${why}`;
    sendRefusal(response, 503, -32000, message, { "Retry-After": String(AGAIN_S) });
  }
}

function roomOf(parts: RoomParts): Room {
  const { factory, assistants, open, limits, onSessionEnd: onEnd } = parts;
  const table = new SessionTable(limits, open, { assistants, onEnd });
  const mcp = mcpEndpoint({ ...parts, table });
  const routes = { ...mcp.routes, ...sseRoutes({ ...parts, table }) };
  return {
    ...{ factory, table, routes, serve: routed(routes) },
    close: async () => {
      await Promise.all([mcp.close(), table.close()]);
    },
  };
}
