/** A person is sent from the chat to the console's page of what waits, and answers there: over each transport of HTTP, in both eras. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ConsoleApprovals, ConsoleSession } from "../../src/serve/console/console-api.ts";
import { cleanUp, PIN, setPin } from "../fixture/command-line.ts";
import { venueOrders } from "../fixture/witness.ts";
import { Browser } from "../serve/console/console-server.ts";
import { kinds, type Question, served, YES } from "./clients.ts";
import { confirmHome, LIMIT } from "./home.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

let home: string;
let browser: Browser;

beforeAll(async () => {
  home = await confirmHome({ approve_by: '["client", "pin"]' });
  await setPin(home);
  const { url, headers } = await served(home);
  const link = await fetch(new URL("/page-link", url), { method: "POST", headers });
  browser = await Browser.open(((await link.json()) as { readonly page_url: string }).page_url);
});

describe.each(kinds().filter(({ name }) => !name.endsWith("stdio")))("$name", ({ name, open }) => {
  it("is sent to the page of its order; to open it is no yes, and the yes there places it once", async () => {
    const userref = name.replaceAll(/\W/g, "-");
    const sent: Question[] = [];
    // What a client says beside is no yes either.
    const answer = (question: Question) => {
      sent.push(question);
      return YES;
    };
    const asker = await open(home, { elicitation: { url: {} }, answer });
    const volume = `0.00${kinds().findIndex((kind) => kind.name === name)}`;
    const { structured } = await asker.call("place_order", { ...LIMIT, base_volume: volume, userref });
    const [question] = sent;
    expect(sent).toHaveLength(1);
    expect(question).toMatchObject({ mode: "url", message: expect.stringMatching(/Approve this order[\s\S]*console/) });
    const { passkey_origin } = await browser.view<ConsoleSession>("session");
    const { waiting } = await browser.view<ConsoleApprovals>("approvals");
    const [asked] = waiting;
    expect(question?.url).toBe(`${passkey_origin}/#/approvals/${asked?.id}`);
    expect(structured).toMatchObject({
      state: "awaiting_approval",
      next_action: expect.stringContaining(`${question?.url}, or on a terminal`),
    });
    const atVenue = async () => (await venueOrders(home)).filter((order) => order.userref === userref);
    expect(await atVenue()).toEqual([]);

    const yes = { id: asked?.id, digest: asked?.digest, proof: { pin: PIN } };
    expect((await browser.post("approve", yes)).json).toMatchObject({ outcome: "accepted" });
    const waited = await asker.call("await_order", { userref, until: "placed", timeout_s: 5 });
    expect(waited.structured).toMatchObject({ order: { state: "open" } });
    expect(await atVenue()).toHaveLength(1);
    await asker.close();
  });
});
