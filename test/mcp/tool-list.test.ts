import { describe, expect, it } from "vitest";
import type { Desk, PlanDesk } from "../../src/desk/index.ts";
import { createMcpServer, type McpServerSettings } from "../../src/mcp/index.ts";
import { connect, ERAS, type Era, type ListedTool } from "./client.ts";
import { SPECIFIED } from "./specified-tools.ts";

const desk = { environment: "sandbox", unit: "KRW", plans: {} as PlanDesk } as Desk;

async function listed(era: Era, settings: Partial<McpServerSettings> = {}): Promise<readonly ListedTool[]> {
  const client = await connect(era, createMcpServer({ desk, version: "0.0.0", ...settings }));
  const tools = await client.listTools();
  await client.close();
  return tools;
}

/** Where a schema has an object that takes unknown fields, or a list of anything. A map of one shape is as closed as that. */
function openIn(schema: unknown, path = ""): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { type, items, properties, additionalProperties: more } = schema as Record<string, unknown>;
  const inner = Object.entries(properties ?? {});
  const isOpen = type === "object" && more !== false && typeof more !== "object";
  return [
    ...(isOpen || (type === "array" && items === undefined) ? [path] : []),
    ...openIn(items, path),
    ...openIn(more, path),
    ...inner.flatMap(([name, field]) => openIn(field, path === "" ? name : `${path}.${name}`)),
  ];
}

const { market, account, trade, plans, safety } = SPECIFIED;
const NAMES = [...market, ...account, ...trade, ...plans, ...safety];
const WRITES = NAMES.filter((name) => SPECIFIED.writes.includes(name));
/** Writes about one order or plan, whose state is always told. */
const ABOUT_ONE = ["place_order", "replace_order", "cancel_order", "create_plan", "change_plan"];
/** What is asked for twice may come twice. */
const NOT_IDEMPOTENT = ["place_order", "create_plan"];

describe("the list of tools", () => {
  it("is the same for clients of both eras, each time", async () => {
    const [first, second, legacy] = [await listed(ERAS[0]), await listed(ERAS[0]), await listed(ERAS[1])];
    expect(first.map((tool) => tool.name)).toEqual(NAMES);
    expect(second).toEqual(first);
    expect(legacy.map((tool) => tool.name)).toEqual(first.map((tool) => tool.name));
  });

  it("is as reviewed, word by word", async () => {
    for (const tool of await listed(ERAS[0])) expect(JSON.parse(JSON.stringify(tool))).toMatchSnapshot(tool.name);
  });

  it("says truthfully which tools can change something", async () => {
    for (const { name, title, description, annotations } of await listed(ERAS[0])) {
      const writes = WRITES.includes(name);
      expect(annotations).toEqual({
        readOnlyHint: !writes,
        destructiveHint: writes,
        idempotentHint: !NOT_IDEMPOTENT.includes(name),
        openWorldHint: true,
      });
      expect([title, description]).not.toContain(undefined);
    }
  });

  it("accepts no unknown field, and returns none but where decision 0006 says so", async () => {
    const tools = await listed(ERAS[0]);
    for (const { inputSchema } of tools) expect(openIn(inputSchema)).toEqual([]);
    const open = tools.flatMap(({ name, outputSchema }) => openIn(outputSchema).map((path) => `${name}: ${path}`));
    const shown = ["order", "moved_to"].flatMap((name) => [`await_order: ${name}`, `get_order: ${name}`]);
    const written = ["cancel_order: order", "place_order: order", "replace_order: order"];
    const orders = [...shown, ...written, "get_open_orders: orders", "get_order_history: orders"];
    const inOrders = orders
      .flatMap((order) => ["settlement", "descr", "txid", "trades"].map((field) => `${order}.${field}`))
      .filter((place) => place !== "replace_order: order.trades");
    const others = [
      "get_audit_log: entries.detail",
      "place_order: approval.order.compliance",
      "preview_order: order.compliance",
    ];
    expect(open.sort()).toEqual([...inOrders, ...others].sort());
  });

  it("names the fields of every object that it describes, and leads nowhere by a reference", async () => {
    const nameless = (schema: unknown): boolean => {
      if (typeof schema !== "object" || schema === null) return false;
      const { properties, additionalProperties: more, $ref, patternProperties } = schema as Record<string, unknown>;
      if ($ref !== undefined || patternProperties !== undefined) return true;
      return (more === false && properties === undefined) || Object.values(schema).some(nameless);
    };
    for (const { name, inputSchema, outputSchema } of await listed(ERAS[0]))
      expect({ name, nameless: [inputSchema, outputSchema].map(nameless) }).toEqual({ name, nameless: [false, false] });
  });

  it("requires of a result what every result has, failed or not", async () => {
    for (const { name, outputSchema } of await listed(ERAS[0])) {
      const { type, required } = outputSchema as { readonly type?: unknown; readonly required?: unknown };
      const write = ["environment", "outcome", "warnings", "account", "unit"];
      const whole = ABOUT_ONE.includes(name) ? [...write, "state"] : write;
      expect({ name, type, required }).toEqual({
        name,
        type: "object",
        required: WRITES.includes(name) ? whole : ["environment"],
      });
    }
  });

  it("has no writes but halt_trading when read-only, and only the modules asked for", async () => {
    const readOnly = await listed(ERAS[0], { readOnly: true });
    const lacking = WRITES.filter((name) => name !== "halt_trading");
    expect(readOnly.map((tool) => tool.name)).toEqual(NAMES.filter((name) => !lacking.includes(name)));
    const looks = await listed(ERAS[1], { modules: ["market"] });
    expect(looks.map((tool) => tool.name)).toEqual(SPECIFIED.market);
    const trades = await listed(ERAS[1], { modules: ["account", "trade"] });
    expect(trades.map((tool) => tool.name)).toContain("halt_trading");
    expect(trades.map((tool) => tool.name)).not.toContain("set_cancel_timer");
  });

  it("has no plans where their module is off, or nothing keeps them", async () => {
    const others = NAMES.filter((name) => !plans.includes(name));
    const modules = ["market", "account", "trade", "safety"] as const;
    expect((await listed(ERAS[0], { modules })).map((tool) => tool.name)).toEqual(others);
    const keeping = await listed(ERAS[0], { desk: { environment: "sandbox", unit: "KRW" } as Desk });
    expect(keeping.map((tool) => tool.name)).toEqual(others);
  });

  it("says of plans in the status only where their module is on", async () => {
    const fieldsOf = async (settings: Partial<McpServerSettings>) => {
      const tools = await listed(ERAS[0], settings);
      const shapes = tools.flatMap(({ name, outputSchema }) => (name === "get_desk_status" ? outputSchema : []));
      return Object.keys((shapes[0] as { readonly properties: object }).properties);
    };
    const whole = await fieldsOf({});
    expect(whole).toContain("plans");
    expect(await fieldsOf({ modules: ["market", "account", "trade", "safety"] })).toEqual(
      whole.filter((name) => name !== "plans"),
    );
  });
});
