/** What operators see of a process that serves over HTTP. Loaded by nothing else, as it brings its libraries. */
export { RequestLog } from "./log.ts";
export { Metrics } from "./metrics.ts";
export { watchedDesk } from "./watched-desk.ts";
