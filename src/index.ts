/**
 * The library: what a program may import from "hoga". The signed clients and the stream, receiving webhooks, the sandbox exchange, the
 * desk with its store, and the MCP server, with their types. Other modules are not part of it.
 */
export type * from "./client/index.ts";
export { OpenApiClient, Stream, TradingApiClient, TransferClient, verifyWebhook } from "./client/index.ts";
export type {
  FillPage,
  FillsRequest,
  OrderPage,
  OrdersRequest,
  WebhookEvent,
  WebhookEventOf,
  WebhookType,
} from "./contract/index.ts";
export { streamUrl } from "./contract/index.ts";
export type * from "./desk/index.ts";
export { createDesk, createIds } from "./desk/index.ts";
export { createMcpServer, type McpServerSettings, type ServerFactory } from "./mcp/index.ts";
export {
  type Sandbox,
  type SandboxOptions,
  SandboxStartError,
  type SandboxStartErrorCode,
  startSandbox,
} from "./sandbox/index.ts";
export { openStore, type Store, StoreError, type StoreErrorCode } from "./store/index.ts";
