/** The whole way of a webhook over a bad line: `hoga sandbox` sends, `hoga webhooks listen` receives, and between them all goes wrong. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, it, onTestFinished } from "vitest";
import type { Order } from "../../../src/contract/index.ts";
import { openStore } from "../../../src/store/index.ts";
import { systemClock } from "../../../src/transport/index.ts";
import { eventually, freePort, limitBuy, oneLine, quartet, type Running } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { wideHome } from "../../fixture/home.ts";
import { cleanUp, run, start, startSandbox } from "../../fixture/program.ts";
import { unwrap } from "../../fixture/result.ts";
import { AdminClient } from "../../sandbox/admin/admin-client.ts";
import { SignedClient } from "../../sandbox/http/signed-client.ts";

afterAll(cleanUp);

/**
 * `refused`, `reset`: it does not arrive. `answer_lost`: it arrives, and the sender is told 500. `slow`: it arrives, and the answer
 * comes after the sender has given up. `twice`: it arrives two times at once. `late`: behind those that are sent after it.
 */
const TROUBLES = ["refused", "answer_lost", "late", "twice", "reset", "slow", "pass"] as const;
type Trouble = (typeof TROUBLES)[number];

const ORDERS_OF_DESK = 2;
const ORDERS_ELSEWHERE = 8;
/** Longer than the 5 s that a sender waits. */
const SLOW_MS = 5_500;

interface Line {
  readonly url: string;
  /** What befell deliveries, and those that reached the listener, in that order, by event id. */
  readonly met: Trouble[];
  readonly reached: string[];
  /** Nothing goes wrong any more. */
  calm(): void;
}

async function badLine(listenerPort: number): Promise<Line> {
  const [met, reached]: [Trouble[], string[]] = [[], []];
  let isCalm = false;
  const pass = async (headers: IncomingHttpHeaders, body: string): Promise<number> => {
    reached.push(String(headers["webhook-id"]));
    const kept = Object.entries(headers).filter(([name]) => /^(webhook-|content-type)/.test(name));
    const sent = fetch(`http://127.0.0.1:${listenerPort}/`, {
      method: "POST",
      headers: Object.fromEntries(kept) as Record<string, string>,
      body,
    });
    return sent.then(
      ({ status }) => status,
      () => 502,
    );
  };
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const trouble = isCalm ? "pass" : (TROUBLES[met.length % TROUBLES.length] ?? "pass");
    met.push(trouble);
    await treat(trouble, () => pass(request.headers, Buffer.concat(chunks).toString("utf8")), response);
  };
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    met,
    reached,
    calm: () => {
      isCalm = true;
    },
  };
}

async function treat(trouble: Trouble, pass: () => Promise<number>, response: ServerResponse): Promise<void> {
  const answer = (status: number): void => void response.writeHead(status).end();
  switch (trouble) {
    case "refused":
      return answer(500);
    case "reset":
      response.destroy();
      return;
    case "answer_lost":
      await pass();
      return answer(500);
    case "slow":
      await pass();
      await pause(SLOW_MS);
      return answer(200);
    case "twice":
      return answer(Math.max(...(await Promise.all([pass(), pass()]))));
    case "late":
      await pause(1_500);
      return answer(await pass());
    case "pass":
      return answer(await pass());
    default:
      return trouble satisfies never;
  }
}

interface Shown {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly data: { readonly order: Order };
}

function listen(home: string, port: number, env: Readonly<Record<string, string>>): Running {
  return start(["webhooks", "listen", "--json", "--port", String(port)], { home, env });
}

function shownBy(lives: readonly Running[]): readonly Shown[] {
  return lives.flatMap((life) =>
    life
      .stdout()
      .split("\n")
      .slice(1, -1)
      .map((line) => JSON.parse(line) as Shown),
  );
}

it("a receiver that is down, slow, answers 500, hears double and out of order processes every event once", async () => {
  const [venueHome, home] = [freshHome(), wideHome()];
  const sandbox = await startSandbox({ home: venueHome });
  const { base_url: baseUrl, admin_url: url, api_key: apiKey, api_secret: apiSecret } = sandbox.line;
  const token = readFileSync(join(venueHome, "sandbox", "admin-token"), "utf8").trim();
  const admin = new AdminClient({ url, token });
  const port = await freePort();
  const line = await badLine(port);
  const hook = { account_id: "paper", url: line.url, types: ["order.created", "order.canceled"] };
  const { secret } = await admin.must("POST", "/webhooks", hook);
  // Somebody else with a key of the account cancels what the desk placed, so that webhooks alone tell the desk.
  const rights = { permissions: ["query", "trade"], tier: "enterprise", ip_allow_list: ["127.0.0.1"] };
  const other = await admin.must("POST", "/keys", { account_id: "paper", ...rights });
  const elsewhere = new SignedClient(baseUrl, { apiKey: other.api_key, apiSecret: other.api_secret });

  // Nobody listens yet.
  const env = { ...quartet(baseUrl, apiKey, apiSecret), HOGA_WEBHOOK_SECRET: secret };
  const intents: string[] = [];
  for (let count = 0; count < ORDERS_OF_DESK; count++) {
    const placed = await run(["call", ...limitBuy(`9000${count}000`), "--json"], { home, env });
    intents.push(oneLine<{ intent_id: string }>(placed).intent_id);
  }
  for (let count = 0; count < ORDERS_ELSEWHERE; count++) await elsewhere.order();
  const lives = [listen(home, port, env)];
  await lives[0]?.firstLine();
  const again = async (): Promise<{ pending: number; parked: number }> => {
    await pause(100);
    await admin.must("POST", "/clock", { advance_ms: 120_000 });
    return (await admin.must("GET", "/status")).deliveries;
  };
  await eventually(() => again().then(() => shownBy(lives).length >= 4 || undefined));

  // It goes away for a while, and meanwhile everything is canceled.
  await lives[0]?.stop("SIGINT");
  const open = (await elsewhere.get("/v1/orders?limit=500")).json.orders as Order[];
  for (const { orderId } of open) await elsewhere.delete(`/v1/orders/BTC%2FKRW/${orderId}`);
  await again();
  lives.push(listen(home, port, env));
  await lives[1]?.firstLine();
  const hasMetAll = (): boolean => TROUBLES.every((trouble) => line.met.includes(trouble));
  await eventually(() => again().then(() => hasMetAll() || undefined), 40_000);
  line.calm();
  await eventually(async () => (await again()).pending === 0 || undefined, 40_000);
  const wanted = open.flatMap(({ orderId }) => [`order.created ${orderId}`, `order.canceled ${orderId}`]);
  await eventually(() => shownBy(lives).length >= wanted.length || undefined);
  for (const life of lives) await life.stop("SIGINT");

  expect(open).toHaveLength(ORDERS_OF_DESK + ORDERS_ELSEWHERE);
  const shown = shownBy(lives);
  expect(shown.map(({ type, data }) => `${type} ${data.order.orderId}`).sort()).toEqual(wanted.sort());
  // Each came more often than it was shown, and not in its order.
  expect(line.reached.length).toBeGreaterThan(wanted.length);
  expect(new Set(line.reached)).toEqual(new Set(shown.map(({ id }) => id)));
  expect((await admin.must("GET", "/status")).deliveries).toMatchObject({ parked: 0, dropped: 0 });
  await expectOnceInEffect(home, intents);
  await sandbox.stop();
}, 120_000);

/** The desk knows each of its orders as canceled, and it became so once. */
async function expectOnceInEffect(home: string, intents: readonly string[]): Promise<void> {
  const store = await openStore({ path: join(home, "hoga.db") }, { clock: systemClock, random: Math.random });
  onTestFinished(() => store.close());
  for (const intentId of intents) {
    expect((await unwrap(store.journal.byId(intentId)))?.state).toBe("canceled");
    const told = await unwrap(store.audit.recent({ intentId, limit: 100 }));
    const moves = told.flatMap(({ event, detail }) =>
      event === "intent_moved" ? [(detail as { to: string }).to] : [],
    );
    expect(moves.filter((to) => to === "canceled")).toEqual(["canceled"]);
  }
}
