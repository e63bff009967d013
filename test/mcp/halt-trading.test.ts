import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HaltReport } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { connect, ERAS, type TestClient } from "./client.ts";

describe.each(ERAS)("halt_trading in a %s client", (era) => {
  let exchange: ExchangeFixture;
  let client: TestClient;

  beforeAll(async () => {
    exchange = await startExchange();
    client = await connect(era, createMcpServer({ desk: exchange.desk, version: "0.0.0", readOnly: true }));
    await client.listTools();
  });

  afterAll(async () => {
    await client.close();
    await exchange.close();
  });

  it.each([
    ["an unknown field", { foo: 1 }, "", ['unknown field "foo"']],
    ["a misspelled field beside the reason", { raeson: "x", reason: "odd fills" }, "odd fills", ['"raeson"']],
    ["a market", { symbol: "BTC/KRW" }, "", ['unknown field "symbol"']],
    ["a number for the reason", { reason: 1 }, "", ["send text"]],
    ["null for the reason", { reason: null }, "", []],
    ["an empty reason", { reason: "" }, "", []],
    ["a reason of several lines", { reason: "line one\n\tline\u0007 two" }, "line one line two", []],
    ["a reason without end", { reason: "x".repeat(5_000) }, "x".repeat(200), []],
    ["a reason of what cannot be seen", { reason: "\u200b\n" }, "", []],
    ["nothing", undefined, "", []],
  ])("is pulled whatever it is called with: %s", async (_, args, reason, misfits) => {
    await exchange.desk.resume("a person");
    const { isError, text, structured } = await client.call("halt_trading", args);
    expect({ isError, structured }).toMatchObject({
      isError: false,
      structured: { brake: "everywhere", remaining: 0, outcome: "accepted" },
    });
    expect((await exchange.desk.status()).brake).toMatchObject({ reason, by: "assistant" });
    const { warnings } = structured as unknown as HaltReport;
    expect(warnings).toHaveLength(misfits.length);
    for (const misfit of misfits) {
      expect(warnings.join()).toContain(misfit);
      expect(text).toContain(misfit);
    }
    expect(text).toMatch(/^\[sandbox\] HALTED/);
  });
});
