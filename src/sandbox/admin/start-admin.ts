/** Starts the admin interface, on a port of its own and for this machine only. Entry point: `startAdmin`. */
import { createApiServer } from "../http/server.ts";
import { listen, urlOf } from "../listening.ts";
import { adminFamily } from "./admin-family.ts";
import type { AdminParts } from "./operation.ts";
import { type AdminToken, readToken } from "./token.ts";

export interface Admin extends AdminToken {
  /** Has no path: `http://127.0.0.1:40123`. */
  readonly url: string;
}

export interface RunningAdmin {
  readonly admin: Admin;
  close(graceMs: number): Promise<void>;
}

const HOST = "127.0.0.1";

/** @throws SandboxStartError with what is wrong and how to fix it. */
export async function startAdmin(parts: AdminParts, dir: string | undefined, port: number): Promise<RunningAdmin> {
  const kept = await readToken(dir, parts.randomBytes);
  let served: number | undefined;
  const front = createApiServer(parts.service, [adminFamily({ ...parts, token: kept.token, port: () => served })]);
  const bound = await listen(front, HOST, port);
  served = bound.port;
  return { admin: { url: urlOf(bound), ...kept }, close: (graceMs) => front.close(graceMs) };
}
