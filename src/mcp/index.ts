/** Shows an assistant what it sees: tools, resources and prompts over a desk. */

export { doubledKey } from "./input/argument-schema.ts";
export { isObject, readJsonText } from "./input/json-text.ts";
export { DEPTH_MAX, mayHoldMore, withOwnKeys } from "./input/own-key.ts";
export { questionText } from "./person/approval.ts";
export { planQuestionText } from "./person/plan-question.ts";
export { SCOPES, type Scope, scopesAmong } from "./person/scope.ts";
export { fieldOf, showsViews } from "./person/view.ts";
export { Pictures, PLACES as PICTURE_PLACES } from "./pictures/pictures.ts";
export { burdenOf } from "./server/burden.ts";
export { type Handshake, handshakeOf, readingTools } from "./server/handshake.ts";
export { neededScopes } from "./server/needed-scope.ts";
export { recorded } from "./server/record.ts";
export {
  type Connection,
  createMcpServer,
  type McpServerSettings,
  type ServerFactory,
} from "./server/server.ts";
export { Turns } from "./server/turns.ts";
export { badge } from "./text/answer.ts";
export { plansOf } from "./text/plan-text.ts";
export { shownPlan, shownPlans } from "./text/plan-view.ts";
export { withPolicyPath } from "./text/policy-place.ts";
export { progressOf, type Told } from "./tool/progress.ts";
export type { AroundCall, Caller, Look, Serving, Tool, ToolAnswer } from "./tool/tool.ts";
export { idOf, reported, transferQuestionText } from "./tool/transfer-text.ts";
export { TOOLS } from "./tools/catalog.ts";
export { everyTool } from "./tools/late-tools.ts";
export { TRANSFER_TOOLS } from "./tools/transfer-catalog.ts";
