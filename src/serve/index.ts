/** How the MCP server is reached: stdio for desktop assistants, HTTP for everything else on this machine. */
export { type HomeAddresses, renderHome } from "./home-page.ts";
export { type HttpServing, type HttpSettings, serveOverHttp } from "./http.ts";
export type { Page } from "./page.ts";
export { ServeError, type ServeErrorCode } from "./serve-error.ts";
export { type StdioServing, serveOverStdio } from "./stdio.ts";
