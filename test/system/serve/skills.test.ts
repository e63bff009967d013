/** The skills of the program as it is installed, read by a host over stdio and over HTTP. */
import type { Client } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { afterAll, describe, expect, it } from "vitest";
import { eventually } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { addressIn } from "../../fixture/http-address.ts";
import { CLI, cleanUp, environment, start } from "../../fixture/program.ts";
import { connectHttp, connectProgram, type TestClient } from "../../mcp/client.ts";
import { SKILL_NAMES, skillText } from "../../skills/taught-calls.ts";

afterAll(cleanUp);

const WAYS: Readonly<Record<string, () => Promise<TestClient>>> = {
  stdio: () => connectProgram("2026-07-28", { command: process.execPath, args: [CLI, "serve"], env: environment({}) }),
  HTTP: async () => {
    const server = start(["serve", "--http", "--port", "0", "--json", "--show-token"], { home: freshHome() });
    const line = await eventually(() => server.stdout().split("\n").slice(0, -1)[0]);
    return connectHttp("2026-07-28", addressIn(line));
  },
};

describe.each(Object.entries(WAYS))("a host, over %s", (_, open) => {
  it("lists and reads every skill of the package", async () => {
    const client = await open();
    const host = new SkillsClient(client.raw as Client);
    const { skills } = await host.list();
    const files = await Promise.all(skills.map((skill) => host.read(skill)));
    expect(files.map(({ text }) => text)).toEqual(SKILL_NAMES.map(skillText));
    await client.close();
  });
});
