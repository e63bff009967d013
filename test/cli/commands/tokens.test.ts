import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { digestOf } from "../../../src/config/index.ts";
import { oneLine } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { addressIn } from "../../fixture/http-address.ts";
import { cleanUp, run, start } from "../../fixture/in-process.ts";
import { paperHome } from "../../fixture/paper-home.ts";
import { connectHttp } from "../../mcp/client.ts";

afterAll(cleanUp);

interface Made {
  readonly token: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly expires_at: string | null;
}

const DAY = 86_400_000;

describe("hoga tokens", () => {
  it("shows a token once; by default it only reads, and for 90 days", async () => {
    const home = freshHome();
    const made = await run(["tokens", "create", "laptop"], { home });
    expect(made).toMatchObject({ code: 0, stderr: "" });
    const [, token = ""] = /^ {2}(hoga_[\w-]{43})$/m.exec(made.stdout) ?? [];
    expect(token).not.toBe("");
    expect(made.stdout).toContain("It may: market:read account:read. It expires at ");
    const later = [
      await run(["tokens", "list"], { home }),
      await run(["tokens", "list", "--json"], { home }),
      await run(["audit"], { home }),
      await run(["audit", "--json"], { home }),
      await run(["audit", "export"], { home }),
    ];
    for (const { code, stdout, stderr } of later) {
      expect(code).toBe(0);
      expect(stdout + stderr).not.toContain(token.slice(5, 17));
    }
    const { tokens } = oneLine<{ tokens: Made[] }>(later[1] ?? { stdout: "" });
    expect(tokens).toEqual([
      {
        name: "laptop",
        scopes: ["market:read", "account:read"],
        created_at: expect.any(String),
        expires_at: expect.any(String),
        expired: false,
        last_used_hour: null,
      },
    ]);
    const lives = tokens.map(({ created_at, expires_at }) => Date.parse(expires_at ?? "") - Date.parse(created_at));
    expect(lives).toEqual([90 * DAY]);
    expect(later[2]?.stdout).toContain("token_created");
    const kept = readdirSync(home, { recursive: true, encoding: "utf8" }).filter((name) => /^hoga\.db/.test(name));
    const text = kept.map((name) => readFileSync(join(home, name), "latin1")).join("");
    expect(text).not.toContain(token.slice(5, 17));
    expect(text).toContain(digestOf(token));
  });

  it("takes scopes and a life, and ends a token by its name", async () => {
    const home = freshHome();
    const args = ["--scopes", "trade:write,market:read", "--expires", "12h", "--json"];
    const made = oneLine<Made>(await run(["tokens", "create", "bot", ...args], { home }));
    expect(made).toMatchObject({ name: "bot", scopes: ["market:read", "trade:write"] });
    expect(made.token).toMatch(/^hoga_[\w-]{43}$/);
    expect(Date.parse(made.expires_at ?? "") - Date.parse(made.created_at)).toBe(DAY / 2);
    const all = ["--scopes", "all", "--expires", "never", "--json"];
    expect(oneLine<Made>(await run(["tokens", "create", "desk", ...all], { home }))).toMatchObject({
      scopes: ["market:read", "account:read", "trade:write", "safety:write", "transfer:write"],
      expires_at: null,
    });
    expect((await run(["tokens", "list"], { home })).stdout).toMatch(
      /^bot +market:read trade:write .*\ndesk .* never +never$/m,
    );
    expect(oneLine(await run(["tokens", "revoke", "bot", "--json"], { home }))).toEqual({ revoked: "bot" });
    expect(oneLine<{ tokens: Made[] }>(await run(["tokens", "list", "--json"], { home })).tokens).toHaveLength(1);
  });

  it.each([
    [["create", "bot", "--scopes", "trade"], 2, '"trade" is no scope', "Name one or more of market:read"],
    [["create", "bot", "--scopes", ","], 2, "no scope is named", "Name one or more"],
    [["create", "bot", "--expires", "soon"], 2, '--expires: "soon" is no time', "12h or 30d; or never"],
    [["create", "bot", "--expires", "0d"], 2, "--expires", "12h or 30d"],
    [["create", "a b"], 2, '"a b" cannot be the name', "letters, digits"],
    [["create", "http-token"], 2, "what the log calls a caller", "Choose another name"],
    [["create", "anybody"], 2, "what the log calls a caller", "Choose another name"],
    [["revoke", "nobody"], 1, 'no token named "nobody"', "hoga tokens list"],
  ])("%j is refused, with what to do", async (args, code, message, fix) => {
    const home = freshHome();
    const ended = await run(["tokens", ...args, "--json"], { home });
    expect(ended.code).toBe(code);
    expect(oneLine(ended)).toMatchObject({
      error: { message: expect.stringContaining(message) },
      next_action: expect.stringContaining(fix),
    });
  });

  it("refuses a name that there is already, and leaves that token as it was", async () => {
    const home = freshHome();
    await run(["tokens", "create", "bot"], { home });
    const again = await run(["tokens", "create", "bot", "--scopes", "all"], { home });
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("There is a token named bot already.");
    expect(again.stdout).toBe("");
    const { tokens } = oneLine<{ tokens: Made[] }>(await run(["tokens", "list", "--json"], { home }));
    expect(tokens.map(({ scopes }) => scopes)).toEqual([["market:read", "account:read"]]);
  });

  it("are known to a server that runs, from their making until they are revoked", async () => {
    const home = await paperHome();
    const server = start(["serve", "--http", "--port", "0", "--json", "--show-token"], { home });
    const { url, headers } = addressIn(await server.firstLine());
    const { token } = oneLine<Made>(await run(["tokens", "create", "reporter", "--json"], { home }));
    const client = await connectHttp("2025-11-25", { url, headers: { authorization: `Bearer ${token}` } });
    expect(await client.call("get_balances")).toMatchObject({ isError: false });
    // Whoever quotes a token is not told it.
    await expect(client.call(token)).rejects.toThrow(/\[secret\]/);
    const { tokens } = oneLine<{ tokens: object[] }>(await run(["tokens", "list", "--json"], { home }));
    expect(tokens).toMatchObject([{ name: "reporter", last_used_hour: expect.stringMatching(/:00:00\.000Z$/) }]);
    await run(["tokens", "revoke", "reporter"], { home });
    await expect(client.call("get_balances")).rejects.toThrow(/401|Unauthorized/);
    await client.close();
    const owner = await connectHttp("2025-11-25", { url, headers });
    expect(await owner.call("get_balances")).toMatchObject({ isError: false });
    await owner.close();
    const { stdout, stderr } = await server.stop();
    expect(stdout + stderr).not.toContain(token.slice(5, 17));
  });
});
