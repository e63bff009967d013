/** Owns the page for people, and the way to another link to it. */
import type { Access } from "./access.ts";
import { type Page, sendJson, sendPage } from "./page.ts";
import type { Peers } from "./peers.ts";
import type { Routes } from "./route.ts";

export interface PageParts {
  readonly access: Access;
  readonly peers: Peers;
  /** The page, given our own URL; made anew every time. */
  readonly home: ((url: string) => Promise<Page>) | undefined;
}

export function pageRoutes({ access, peers, home }: PageParts): Routes {
  return {
    "/": {
      GET: async (request, response) => {
        if (home === undefined) sendJson(response, 200, { name: "hoga", mcp: "/mcp" });
        else sendPage(response, await home(peers.urlOf(request)));
      },
    },
    "/page-link": {
      POST: async (request, response) => {
        request.resume();
        sendJson(response, 201, { page_url: access.link(peers.urlOf(request)) });
      },
    },
  };
}
