/**
 * Owns which tools have a view, a page that a chat shows beside the result (MCP Apps), and which clients show one.
 *
 * Invariants: nothing here needs the SDK, as the first lists are given without it; only a client that says that it shows views is told of
 * them, so that every other pays nothing.
 *
 * Source: SEP-1865; decision 0046.
 */

/** The type of a view's page; a client that shows views names it. */
export const VIEW_TYPE = "text/html;profile=mcp-app";
const EXTENSION = "io.modelcontextprotocol/ui";

/** The names are those of the built files. */
export type ViewName = "order-ticket" | "orderbook" | "portfolio" | "plan";

const OF_TOOL: Readonly<Record<string, ViewName>> = {
  preview_order: "order-ticket",
  get_orderbook: "orderbook",
  get_portfolio: "portfolio",
  create_plan: "plan",
  change_plan: "plan",
};

/** @returns undefined for a tool without a view */
export function viewOf(tool: string): ViewName | undefined {
  return Object.hasOwn(OF_TOOL, tool) ? OF_TOOL[tool] : undefined;
}

export function addressOf(view: ViewName): string {
  return `ui://hoga/${view}`;
}

export function showsViews(capabilities: unknown): boolean {
  const types = fieldOf(fieldOf(fieldOf(capabilities, "extensions"), EXTENSION), "mimeTypes");
  return Array.isArray(types) && types.includes(VIEW_TYPE);
}

/** Tools as a client that shows views is told of them. */
export function withViews<Listed extends { readonly name: string }>(tools: readonly Listed[]): readonly Listed[] {
  return tools.map((tool) => {
    const view = viewOf(tool.name);
    return view === undefined ? tool : { ...tool, _meta: { ui: { resourceUri: addressOf(view) } } };
  });
}

/** A field of a message that nothing has checked yet; undefined where it has none of its own by that name. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
