/** The skills as a host reads them: by the protocol's own client for skills, which holds every file against its digest, and as plain resources. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type HttpServing, serveOverHttp } from "../../src/serve/index.ts";
import { addressOf, TOKEN } from "../fixture/http-address.ts";
import { SKILL_NAMES, SKILLS, skillText } from "../skills/taught-calls.ts";
import { connect, connectHttp, ERAS, resourcePages, type TestClient } from "./client.ts";

const desk = { environment: "sandbox", unit: "KRW" } as Desk;
/** Without the markets, as there is no exchange. */
const factory = createMcpServer({ desk, modules: ["account"], version: "0.0.0" });
const uriOf = (name: string): string => `skill://hoga/${name}/SKILL.md`;
const [FIRST = ""] = SKILL_NAMES;

let http: HttpServing;
beforeAll(async () => {
  http = await serveOverHttp({ factory, token: TOKEN, port: 0 });
});
afterAll(() => http.close());

const WAYS = {
  "in memory": () => connect("2026-07-28", factory),
  "over HTTP": () => connectHttp("2026-07-28", addressOf(http)),
};

describe.each(Object.entries(WAYS))("a host of skills, %s", (_, open) => {
  let client: TestClient;
  let host: SkillsClient;
  beforeAll(async () => {
    client = await open();
    host = new SkillsClient(client.raw as Client);
  });
  afterAll(() => client.close());

  it("lists those of the package, and reads each as it stands there", async () => {
    expect(host.supported).toBe(true);
    const { skills, cacheScope } = await host.list();
    expect(skills.map(({ uri }) => uri)).toEqual(SKILL_NAMES.map(uriOf));
    expect(cacheScope).toBe("public");
    for (const [at, skill] of skills.entries()) {
      const { text, verified, frontmatter } = await host.read(skill);
      expect({ text, verified, name: frontmatter?.["name"] }).toEqual({
        text: skillText(SKILL_NAMES[at] ?? ""),
        verified: true,
        name: SKILL_NAMES[at],
      });
    }
  });

  it("gets one with all of its files, and reads those too", async () => {
    const { skill } = await host.get(uriOf("hoga-place-orders"));
    const pages = readdirSync(join(SKILLS, "hoga-place-orders", "references")).map((name) => `references/${name}`);
    expect(pages.length).toBeGreaterThan(1);
    expect(skill.resources).toHaveLength(1 + pages.length);
    for (const page of pages) {
      const { text, verified } = await host.read(skill, page);
      expect({ text, verified }).toEqual({
        text: readFileSync(join(SKILLS, "hoga-place-orders", page), "utf8"),
        verified: true,
      });
    }
  });

  it("is told of a skill that there is not, and gets no other file of the machine", async () => {
    await expect(host.get(uriOf("hoga-riches"))).rejects.toMatchObject({ code: -32602 });
    const outside = [
      "/../../package.json",
      "/%2e%2e/%2e%2e/package.json",
      `/${FIRST}/..%2f..%2fpackage.json`,
      "/SKILL.md",
    ];
    for (const path of outside)
      await expect(client.raw.readResource({ uri: `skill://hoga${path}` })).rejects.toMatchObject({ code: -32602 });
  });
});

describe.each(ERAS)("a client that knows of no skills, in %s", (era) => {
  it("finds them among the resources, by name, and reads them there", async () => {
    const client = await connect(era, factory);
    const pages = await resourcePages(client);
    expect(pages.flat()).toEqual(expect.arrayContaining(SKILL_NAMES.map(uriOf)));
    const { contents } = await client.raw.readResource({ uri: uriOf(FIRST) });
    expect(contents).toEqual([{ uri: uriOf(FIRST), mimeType: "text/markdown", text: skillText(FIRST) }]);
    const { completion } = await client.raw.complete({
      ref: { type: "ref/resource", uri: "skill://hoga/{name}/SKILL.md" },
      argument: { name: "name", value: "orders" },
    });
    expect(completion.values).toEqual(["hoga-follow-orders", "hoga-place-orders"]);
    await client.close();
  });
});
