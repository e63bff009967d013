/** Owns the page for people, and the way to another link to it. */
import type { IncomingMessage } from "node:http";
import type { Access } from "../access/access.ts";
import { sendJson } from "../wire/page.ts";
import type { Handler, Routes } from "../wire/route.ts";

export interface PageParts {
  readonly access: Access;
  /** The address of the console as the request found this server. */
  readonly urlOf: (request: IncomingMessage) => string;
  readonly index: Handler | undefined;
}

export function pageRoutes({ access, urlOf, index }: PageParts): Routes {
  return {
    "/": {
      GET: async (request, response, grant) => {
        if (index === undefined) sendJson(response, 200, { name: "hoga", mcp: "/mcp" });
        else await index(request, response, grant);
      },
    },
    "/page-link": {
      POST: async (request, response) => {
        request.resume();
        sendJson(response, 201, { page_url: access.link(urlOf(request), "asked") });
      },
    },
  };
}
