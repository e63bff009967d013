/** Owns what a supervisor is told: whether the server lives, and whether it can work. One word each, as anybody may ask. */
import { sendJson } from "./page.ts";
import type { Routes } from "./route.ts";

/** @param ready whether the desk can work */
export function healthRoutes(ready: () => Promise<boolean>): Routes {
  return {
    "/healthz": { GET: async (_, response) => sendJson(response, 200, { status: "ok" }) },
    "/readyz": {
      GET: async (_, response) => {
        const isReady = await ready();
        sendJson(response, isReady ? 200 : 503, { status: isReady ? "ready" : "not ready" });
      },
    },
  };
}
