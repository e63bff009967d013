/** What is advertised of results: that every result fits it, and that nothing else does. */
import { Ajv } from "@modelcontextprotocol/client/validators/ajv";
import { beforeAll, describe, expect, it } from "vitest";
import { failed, ok, venueFault } from "../../src/contract/index.ts";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer, TOOLS } from "../../src/mcp/index.ts";
import { startExchange } from "../fixture/exchange.ts";
import { connect, ERAS, type Era, type ListedTool, type ToolResult } from "./client.ts";
import { everyResult, type Seen } from "./every-result.ts";
import { fieldsOf, isExcepted, unheld, unsaid } from "./parity.ts";

type Json = Readonly<Record<string, unknown>>;

/** Where decision 0006 leaves an object open. */
const OPEN =
  /^(order|orders\[\]|approval\.order)\.(settlement|descr|trades\[\](\.settlement)?|compliance)$|^entries\[\]\.detail(\.|\[|$)/;
/** Objects that hold one error: its fields have no types. */
const ERROR = /(^|\.)error$|^problems\[\]$/;
/** Writes that are not about one order, which have a state only when they were refused. */
const STATELESS = ["cancel_all_orders", "set_cancel_timer", "halt_trading"];

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Every object in a result, the result first, with its place: `orders[].settlement`. */
function objectsIn(value: unknown, place = ""): readonly { readonly place: string; readonly object: Json }[] {
  if (Array.isArray(value)) return value.flatMap((item) => objectsIn(item, `${place}[]`));
  if (!isObject(value)) return [];
  const inner = Object.entries(value).flatMap(([name, field]) =>
    objectsIn(field, place === "" ? name : `${place}.${name}`),
  );
  return [{ place, object: value }, ...inner];
}

/** The same result with one of its objects exchanged for another. */
function exchanged(value: unknown, object: Json, by: Json): unknown {
  if (value === object) return by;
  if (Array.isArray(value)) return value.map((item) => exchanged(item, object, by));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, exchanged(field, object, by)]));
}

type Check = (seen: Pick<Seen, "tool" | "structured">) => readonly string[];

/** Strict with the schemas as well: a keyword it does not know is an error. */
function checkOf(tools: readonly ListedTool[]): Check {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true });
  const checks = new Map(tools.map(({ name, outputSchema }) => [name, ajv.compile(outputSchema ?? false)]));
  return ({ tool, structured }) => {
    const check = checks.get(tool);
    if (check === undefined) throw new Error(`${tool} is not listed`);
    return check(structured) ? [] : (check.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  };
}

interface Collected {
  readonly check: Check;
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly seen: readonly Seen[];
}

async function collect(era: Era): Promise<Collected> {
  const exchange = await startExchange({ marketMaker: true });
  const client = await connect(era, createMcpServer({ desk: exchange.desk, version: "0.0.0" }));
  const tools = await client.listTools();
  const check = checkOf(tools);
  const fields = new Map(tools.map(({ name, outputSchema = {} }) => [name, fieldsOf(outputSchema as Json)]));
  const seen = await everyResult(client, exchange);
  await client.close();
  await exchange.close();
  return { check, fields, seen };
}

/** Of both eras at once, as most of it is waiting for answers that do not come. */
const collected = new Map<Era, Collected>();
beforeAll(async () => {
  await Promise.all(ERAS.map(async (era) => collected.set(era, await collect(era))));
}, 120_000);

describe.each(ERAS)("the results that a %s client gets", (era) => {
  let check: Check;
  let seen: readonly Seen[];
  let fieldsOfTool: Collected["fields"];
  beforeAll(() => {
    ({ check, seen, fields: fieldsOfTool } = collected.get(era) as Collected);
  });

  /** Every object of every result with a change that ought to be noticed. @returns the places where it was not */
  function unnoticed(changes: (object: Json, place: string, tool: string) => readonly Json[]): readonly string[] {
    const places = seen.flatMap((result) =>
      objectsIn(result.structured).flatMap(({ place, object }) =>
        changes(object, place, result.tool)
          .filter(
            (by) => check({ ...result, structured: exchanged(result.structured, object, by) as Json }).length === 0,
          )
          .map(() => place),
      ),
    );
    return [...new Set(places)].sort();
  }

  it("are answers and failures of every tool, and all fit the advertised schema", () => {
    for (const { name } of TOOLS) {
      const results = seen.filter(({ tool }) => tool === name);
      const kinds = [results.some(({ isError }) => !isError), results.some(({ isError }) => isError)];
      expect({ name, kinds }).toEqual({ name, kinds: [true, true] });
    }
    expect(seen.filter((result) => check(result).length > 0).map((result) => [result, check(result)])).toEqual([]);
  });

  it("say in their text what they hold", () => {
    const left = seen.flatMap((result) => {
      const { tool } = result;
      const fields = (fieldsOfTool.get(tool) ?? []).filter((field) => !isExcepted(tool, field));
      return fields.flatMap((field) => unsaid(tool, field, result).map((value) => [tool, field, value, result.text]));
    });
    expect(left).toEqual([]);
  });

  it("hold what they say in their text", () => {
    const left = seen.flatMap((result) => unheld(result, "UTC").map((told) => [result.tool, told, result.text]));
    expect(left).toEqual([]);
  });

  it("have every moment in their text by the reader's clock", () => {
    const raw = seen.filter(({ text }) => /(?<!["'])\b\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text));
    expect(raw.map(({ tool, text }) => [tool, text])).toEqual([]);
  });

  it("do not fit with one field more, at any depth that is closed", () => {
    const places = unnoticed((object) => [{ ...object, surprise: "" }]);
    expect(places.filter((place) => !place.startsWith("entries[].detail"))).toEqual([
      "approval.order.compliance",
      "order.compliance",
      "order.descr",
      "order.settlement",
      "order.trades[]",
      "order.trades[].settlement",
      "orders[].descr",
      "orders[].settlement",
    ]);
  });

  it("do not fit without a field that is always there", () => {
    const without = (object: Json, name: string) =>
      Object.fromEntries(Object.entries(object).filter(([field]) => field !== name));
    const always = (object: Json, place: string, tool: string) => {
      // Of what is inside a result the compiler is told alone (decision 0113).
      if (place !== "") return [];
      if (!("outcome" in object)) return ["environment"];
      return ["environment", "account", "unit", "outcome", "warnings", ...(STATELESS.includes(tool) ? [] : ["state"])];
    };
    const lacking = unnoticed((object, place, tool) =>
      always(object, place, tool).map((name) => without(object, name)),
    );
    expect(lacking.filter((place) => !OPEN.test(place))).toEqual([]);
  });

  it("do not fit with a number where text belongs, which every amount of money is", () => {
    const numbered = (object: Json) =>
      Object.keys(object)
        .filter((name) => typeof object[name] === "string")
        .map((name) => ({ ...object, [name]: 5 }));
    expect(unnoticed(numbered).filter((place) => !OPEN.test(place) && !ERROR.test(place))).toEqual([]);
  });
});

async function call(era: Era, desk: Partial<Desk>, name: string, args: object = {}): Promise<ToolResult> {
  const factory = createMcpServer({
    desk: { environment: "sandbox", unit: "KRW", command: (...said) => said.join(" "), ...desk } as Desk,
    version: "0.0.0",
  });
  const client = await connect(era, factory);
  try {
    await client.listTools();
    return await client.call(name, args);
  } finally {
    await client.close();
  }
}

const STAMP = { environment: "sandbox", account: "paper", unit: "KRW" } as const;

describe.each(ERAS)("a %s client", (era) => {
  it("accepts every field of an error, and defects", async () => {
    const detail = {
      field: "cursor",
      retryAfterMs: 1_000,
      userActionUrl: "https://example.com/consent",
      venueText: "words",
      retry: "after_delay",
    } as const;
    const judged = { rule: "order_size", figure: "2", limit: "1" } as const;
    const fault = venueFault("EAPI:Rate limit exceeded", { ...detail, ...judged });
    const limited = await call(era, { balances: async () => failed(fault) }, "get_balances");
    expect(Object.keys(limited.structured["error"] as object)).toHaveLength(11);
    const broken = async () => {
      throw new Error("defect");
    };
    expect(await call(era, { balances: broken }, "get_balances")).toMatchObject({ isError: true });
    expect(await call(era, { place: broken }, "place_order", { draft_id: "x" })).toMatchObject({ isError: true });
    expect(await call(era, { cancelAll: broken }, "cancel_all_orders")).toMatchObject({ isError: true });
    expect(await call(era, { halt: broken }, "halt_trading")).toMatchObject({ isError: true });
    const timer = await call(era, { setCancelTimer: broken }, "set_cancel_timer", { timeout_s: 60 });
    expect(timer).toMatchObject({ isError: true, structured: { outcome: "unknown" } });
  });

  it("drops an answer that does not fit", async () => {
    const balances = async () => ok({ ...STAMP, balances: [], value: "0", surprise: "" });
    await expect(call(era, { balances }, "get_balances")).rejects.toThrow("does not match the tool's output schema");
  });
});

describe("a failure that does not fit", () => {
  const cancel: Desk["cancel"] = async () =>
    Object.assign({ ...STAMP, outcome: "rejected", state: "filled", warnings: [] } as const, { surprise: "" });
  const canceling = (era: Era) =>
    call(era, { cancel }, "cancel_order", { order_id: "01999f3e-7a10-7c31-9a52-0c6d5b1f2a77" });

  it("is dropped by clients of 1.x, which is why failures have to fit too", async () => {
    await expect(canceling("2025-11-25")).rejects.toThrow("does not match the tool's output schema");
    expect(await canceling("2026-07-28")).toMatchObject({ isError: true });
  });
});
