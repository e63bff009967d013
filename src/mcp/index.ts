/** What an assistant sees: tools, resources and prompts over a desk. */
export { badge } from "./answer.ts";
export { questionText } from "./approval.ts";
export { burdenOf } from "./burden.ts";
export { type Handshake, handshakeOf, onlyReads } from "./handshake.ts";
export { neededScopes } from "./needed-scope.ts";
export { Pictures, PLACES as PICTURE_PLACES } from "./pictures.ts";
export { SCOPES, type Scope, scopesAmong } from "./scope.ts";
export {
  type Connection,
  createMcpServer,
  type McpServerSettings,
  type ServerFactory,
} from "./server.ts";
export type { AroundCall, Caller, Serving, Tool, ToolAnswer } from "./tool.ts";
export { TOOLS } from "./tools/catalog.ts";
export { TRANSFER_TOOLS } from "./tools/transfer-catalog.ts";
export { transferQuestionText, transferred } from "./transfer-text.ts";
export { Turns } from "./turns.ts";
export { fieldOf, showsViews } from "./view.ts";
export { placed } from "./write-text.ts";
