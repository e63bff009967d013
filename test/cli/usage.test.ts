import { afterAll, describe, expect, it } from "vitest";
import { oneLine } from "../fixture/command.ts";
import { cleanUp, run } from "../fixture/in-process.ts";

afterAll(cleanUp);

describe("help", () => {
  it.concurrent.each([
    [
      ["--help"],
      [
        ...["start", "serve", "sandbox", "call", "orders"],
        ...["pending", "approve", "deny", "settle", "pin", "halt", "resume", "audit", "store", "webhooks"],
      ],
    ],
    [
      ["webhooks", "listen", "--help"],
      ["--profile", "--port", "8422", "--json", "HOGA_WEBHOOK_SECRET"],
    ],
    [
      ["start", "--help"],
      ["--profile", "--port", "8421", "--exchange-port", "8420", "--json"],
    ],
    [
      ["serve", "--help"],
      ["--profile", "--http", "--host", "127.0.0.1", "--port", "8421", "--json"],
    ],
    [
      ["connect", "--help"],
      ["<url>", "--token-file", "HOGA_TOKEN"],
    ],
    [
      ["service", "--help"],
      ["install", "status", "uninstall", "--port", "8421", "--print", "--dry-run", "--yes", "--force", "--json"],
    ],
    [
      ["sandbox", "--help"],
      ["--host", "--port", "8420", "--admin-port", "--seed", "--speed", "--data", "--no-market-maker", "--json"],
    ],
    [
      ["call", "--help"],
      ["TOOL", "--field", "--json", "--profile", "hoga call list"],
    ],
    [
      ["orders", "--help"],
      ["--symbol", "--state", "--limit", "--from", "--to", "--csv", "--out", "--bom", "--json"],
    ],
    [
      ["watch", "--help"],
      ["[symbol]", "--json", "Ctrl-C"],
    ],
    [
      ["book", "--help"],
      ["<symbol>", "--depth", "--json"],
    ],
    [
      ["ticker", "--help"],
      ["[symbols...]", "--json"],
    ],
    [
      ["trades", "--help"],
      ["--symbol", "--from", "--to", "--csv", "--out", "--bom", "--json", "30 days"],
    ],
  ])("when asked by %j, names what there is, on stdout", async (args, names) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const name of names) expect(stdout).toContain(name);
  });

  it("names the fields of one tool", async () => {
    const { code, stdout, stderr } = await run(["call", "place_order", "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const name of ["--symbol", "--base-volume", "--post-only", "limit", "market"]) expect(stdout).toContain(name);
  });

  it("lists the tools", async () => {
    const { code, stdout } = await run(["call", "list"]);
    expect(code).toBe(0);
    for (const tool of ["get_balances", "place_order", "cancel_all_orders"])
      expect(stdout).toMatch(new RegExp(`^${tool} +\\S`, "m"));
    const { tools } = oneLine<{ tools: { name: string; description: string }[] }>(
      await run(["call", "list", "--json"]),
    );
    expect(tools.map(({ name }) => name)).toContain("place_order");
  });

  it("prints the version", async () => {
    expect(await run(["--version"])).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });
});

describe("a command used wrongly", () => {
  it.concurrent.each([
    [["nonsense"], "unknown command 'nonsense'"],
    [["ordres"], "Did you mean orders?"],
    [["orders", "--nope"], "unknown option '--nope'"],
    [["orders", "--symbl", "BTC/KRW"], "Did you mean --symbol?"],
    [["orders", "--state", "opened"], "Allowed choices are open, filled"],
    [["orders", "--limit", "ten"], "write a whole number"],
    [["book"], "missing required argument 'symbol'"],
    [["trades", "--from", "2026-13"], "Write a day 2026-03-31"],
    [["orders", "--limit", "0"], "write a whole number from 1 on"],
    [["orders", "extra"], "too many arguments"],
    [["plans", "delete", "x"], 'hoga plans has no "delete". There are list, show, create, pause, resume, cancel.'],
    [["plans", "list", "extra"], "too many arguments"],
    [["serve", "--port", "99999"], "write a port from 0 (any free one) to 65535"],
    [["sandbox", "--port", "-1"], "write a port"],
    [["sandbox", "--seed", "1.5"], "write a whole number"],
    [["sandbox", "--speed", "0"], "write a number greater than 0"],
    [["approve"], "Name what is meant, by id or userref, or write --all"],
    [["audit", "verfy"], "Use show, verify or export"],
    [["store", "move"], "Use backup, check, migrate or use"],
    [["call"], "missing required argument 'tool'"],
    [["call", "plase_order"], "Did you mean place_order?"],
    [["call", "get_ticker", "BTC/KRW"], "--symbol BTC/KRW"],
    [["call", "get_ticker", "[1]"], "is not a JSON object"],
    [["call", "get_ticker", '{"symbol":'], "is not a JSON object"],
    [["call", "get_ticker", "--symbol"], "--symbol has no value"],
    [["call", "get_ticker", "--symbol", "--depth", "3"], "--symbol has no value"],
    [["call", "get_ticker", "--symbol", "BTC/KRW", "--symbol", "ETH/KRW"], "--symbol is given twice"],
    [["call", "get_balances", "--profile"], "--profile has no value"],
    [["call", "place_order", "--post-only", "maybe"], "neither true nor false"],
  ])("%j ends with 2 and says what to do, on stderr", async (args, fix) => {
    const { code, stdout, stderr } = await run(args);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain(fix);
    expect(stderr).not.toMatch(/\n +at /);
  });

  it("when it names no command, shows the help, on stderr", async () => {
    expect(await run([])).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("Commands:") });
  });

  it.concurrent.each([
    [["orders", "--nope", "--json"], "unknown option"],
    [["call", "plase_order", "--json"], "plase_order"],
    [["call", "--json", "get_ticker", "--symbol"], "has no value"],
  ])("%j with --json has its error on stdout too, in one line", async (args, message) => {
    const ended = await run(args);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(message);
    const { error } = oneLine<{ error: { code: string; message: string } }>(ended);
    expect(error).toMatchObject({ code: "ELocal:Invalid input", class: "ELocal", retryable: false });
    expect(error.message).toContain(message);
  });
});
