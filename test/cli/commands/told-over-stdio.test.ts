/** What plans tell, to assistants over stdio that ask nothing: real clients of both eras, and a person who makes plans in a terminal. */
import { setTimeout as pause } from "node:timers/promises";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { eventually, quartet } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { openWorld, type World } from "../../fixture/desk-over-sandbox.ts";
import { cleanUp, run } from "../../fixture/in-process.ts";
import { legacyStdio, modernStdio } from "../../fixture/stdio-transport.ts";

vi.setConfig({ testTimeout: 60_000 });

const INFO = { name: "test", version: "1" };
/** Longer than a client is waited for, and than from one look at what was told to the next. */
const SILENT_MS = 3_000;

let world: World;
beforeAll(async () => {
  world = await openWorld({ totalMs: 20_000 });
  world.rest("sell", "101000000", "1");
  world.rest("buy", "99000000", "1");
});
afterAll(async () => {
  await cleanUp();
  await world.close();
});

function freshPlace() {
  const { baseUrl, apiKey, apiSecret } = world.sandbox;
  return { home: freshHome(), env: quartet(baseUrl, apiKey, apiSecret) };
}

/** A person makes an alert in a terminal. @returns its id */
async function alert(place: ReturnType<typeof freshPlace>, above: string): Promise<string> {
  const alerted = ["plans", "create", "alert", "--symbol", "BTC/KRW", "--above", above, "--json"];
  const { stdout } = await run(alerted, place);
  return (JSON.parse(stdout) as { readonly plan: { readonly plan_id: string } }).plan.plan_id;
}

describe("an assistant over stdio that has asked nothing yet", () => {
  it("hears what plans tell in the 2025 era, each once, also after its first call", async () => {
    const place = freshPlace();
    const client = new LegacyClient(INFO);
    const heard: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params));
    await client.connect(legacyStdio(place));
    await client.listTools();
    await pause(SILENT_MS);
    const id = await alert(place, "105000000");
    await eventually(() => heard.length > 0 || undefined);
    expect(heard).toMatchObject([{ logger: "hoga.plans", data: expect.stringContaining("Started") }]);
    expect(await client.callTool({ name: "list_plans", arguments: {} })).toMatchObject({
      structuredContent: { plans: [{ plan_id: id }] },
    });
    await run(["plans", "pause", id], place);
    await eventually(() => heard.length > 1 || undefined);
    await pause(SILENT_MS);
    expect(heard).toHaveLength(2);
    await client.close();
  });

  it("hears nothing in the later era, and finds it among its plans", async () => {
    const place = freshPlace();
    const client = new ModernClient(INFO, { versionNegotiation: { mode: "auto" } });
    const heard: unknown[] = [];
    Reflect.set(client, "fallbackNotificationHandler", async (message: unknown) => void heard.push(message));
    await client.connect(modernStdio(place));
    await pause(SILENT_MS);
    const id = await alert(place, "105000000");
    await pause(SILENT_MS);
    const { contents } = await client.readResource({ uri: "hoga://plans" });
    expect(JSON.stringify(contents)).toContain(id);
    expect(heard).toEqual([]);
    await client.close();
  });
});
