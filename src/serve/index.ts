/** How the MCP server is reached: stdio for desktop assistants, HTTP for everything else on this machine. */
export { renderHome } from "./home-page.ts";
export { type HttpServing, type HttpSettings, serveOverHttp } from "./http.ts";
export { ServeError } from "./serve-error.ts";
export { serveOverStdio } from "./stdio.ts";
