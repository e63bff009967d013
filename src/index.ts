/** What a program may import from "hoga". */
export { type ClientOptions, OpenApiClient, type Transport } from "./client/index.ts";
export { createDesk, createIds, type Desk, type DeskParts } from "./desk/index.ts";
export { createMcpServer, type McpServerSettings, type ServerFactory } from "./mcp/index.ts";
export { type Sandbox, type SandboxOptions, SandboxStartError, startSandbox } from "./sandbox/index.ts";
export { openStore, type Store } from "./store/index.ts";
