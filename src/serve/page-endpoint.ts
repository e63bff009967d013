/** Owns the page for people, and the way to another link to it. */
import type { Access } from "./access.ts";
import { ownUrl } from "./address.ts";
import { type Page, sendJson, sendPage } from "./page.ts";
import type { Routes } from "./route.ts";

/** @param home the page, given our own URL; made anew every time */
export function pageRoutes(access: Access, home: ((url: string) => Promise<Page>) | undefined): Routes {
  return {
    "/": {
      GET: async (request, response) => {
        if (home === undefined) sendJson(response, 200, { name: "hoga", mcp: "/mcp" });
        else sendPage(response, await home(ownUrl(request)));
      },
    },
    "/page-link": {
      POST: async (request, response) => {
        request.resume();
        sendJson(response, 201, { page_url: access.link(ownUrl(request)) });
      },
    },
  };
}
