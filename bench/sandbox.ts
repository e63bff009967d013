/**
 * `npm run bench:sandbox`: signed limit orders and public books a second that the sandbox answers over 32 connections, with its journal on disk, against
 * `node:http` that checks the same signature and shape, and answers a fixed text. Both run in processes of their own and take turns; `bench/README.md` says
 * how to read it. `-- --smoke` sends a few of each.
 *
 * `sandbox.js exchange` and `sandbox.js floor` are those processes.
 */
import { type ChildProcess, fork } from "node:child_process";
import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { createOrderBody } from "../src/contract/index.ts";
import { startSandbox } from "../src/sandbox/index.ts";
import { ONE } from "../src/sandbox/model/index.ts";
import { full, smoke } from "./options.ts";
import { type ProcessCost, processCost } from "./process-cost.ts";
import { Results } from "./results.ts";

const [, , role = ""] = process.argv;
const CONNECTIONS = 32;
/** Of each connection in a round; below the exchange's limit of open orders of an account. */
const REQUESTS = smoke ? 5 : 400;
const ROUNDS = smoke ? 1 : 7;
const MANY = 1_000_000_000;
/** Of each side of the book, by an account that rests. */
const LEVELS = 20;
const HOUSE = "rests";

interface Key {
  readonly id: string;
  readonly secret: string;
}

interface Served {
  readonly url: string;
  readonly keys: readonly Key[];
}

const newKeys = (): readonly Key[] =>
  Array.from({ length: CONNECTIONS }, (_, at) => ({ id: `key-${at}`, secret: randomBytes(64).toString("base64") }));

/** `base64( HMAC-SHA512( secret, prefix || SHA256( nonce || body ) ) )`. */
function signatureOf(secret: Buffer, prefix: string, nonce: string, body: Buffer): string {
  const digest = hash("sha256", Buffer.concat([Buffer.from(nonce), body]), "buffer");
  return createHmac("sha512", secret).update(prefix, "latin1").update(digest).digest("base64");
}

async function serveExchange(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "hoga-bench-"));
  const weightPerMinute = { starter: MANY, pro: MANY, enterprise: MANY };
  const limits = { callsPerSecond: MANY, publicWeightPerMinute: MANY, weightPerMinute };
  const sandbox = await startSandbox({ dir, marketMaker: false, limits });
  const keys = newKeys();
  const apply: typeof sandbox.exchange.apply = (command, at) => {
    const applied = sandbox.exchange.apply(command, at);
    if (!applied.ok) throw new Error(applied.message);
    return applied;
  };
  apply({ type: "createAccount", accountId: HOUSE, krwAccountLinked: true }, Date.now());
  apply({ type: "deposit", accountId: HOUSE, asset: "KRW", amount: 10n ** 10n * ONE }, Date.now());
  apply({ type: "deposit", accountId: HOUSE, asset: "BTC", amount: 10n * ONE }, Date.now());
  for (const { id, secret } of keys) {
    const accountId = `account-of-${id}`;
    apply({ type: "createAccount", accountId, krwAccountLinked: true }, Date.now());
    apply({ type: "deposit", accountId, asset: "KRW", amount: 10n ** 12n * ONE }, Date.now());
    const rights = {
      permissions: ["query", "trade"],
      tier: "pro",
      ipAllowList: [],
      rejectDuplicateUserref: false,
    } as const;
    apply({ type: "createKey", key: { keyId: id, secret, accountId, ...rights } }, Date.now());
  }
  for (const side of ["buy", "sell"] as const)
    for (let level = 1; level <= LEVELS; level += 1) {
      const price = BigInt(side === "buy" ? 95_000_000 - level * 10_000 : 95_000_000 + level * 10_000) * ONE;
      const what = { side, orderType: "limit", price, volume: ONE / 1_000n, amount: null, userref: null } as const;
      const how = { timeInForce: "GTC", postOnly: true, settlementMode: "INSTANT_KRW", keyId: null } as const;
      const name = { accountId: HOUSE, orderId: `${side}-${level}`, symbol: "BTC/KRW" } as const;
      apply({ type: "place", ...name, ...what, ...how }, Date.now());
    }
  // Between two rounds, so that no account has too many orders.
  process.on("message", () => {
    for (const { id } of keys) apply({ type: "cancelAll", accountId: `account-of-${id}`, symbol: null }, Date.now());
    process.send?.("cleared");
  });
  process.on("disconnect", () => void sandbox.close().then(() => rmSync(dir, { recursive: true })));
  process.send?.({ url: sandbox.baseUrl, keys } satisfies Served);
}

/** As little as can be done: who calls, what was sent, and an answer of the same length. */
async function serveFloor(): Promise<void> {
  const keys = newKeys();
  const secrets = new Map(keys.map(({ id, secret }) => [id, Buffer.from(secret, "base64")]));
  const order = Buffer.from(JSON.stringify({ filler: "x".repeat(681) }));
  const book = Buffer.from(JSON.stringify({ filler: "x".repeat(917) }));
  const server = createServer((request, response) => {
    const answer = (status: number, text: Buffer): void => {
      response.writeHead(status, { "Content-Type": "application/json", "Content-Length": text.length });
      response.end(text);
    };
    if (request.method === "GET") {
      answer(200, book);
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const { "api-key": key, "api-nonce": nonce, "api-sign": sign } = request.headers;
      const secret = secrets.get(String(key)) ?? Buffer.alloc(0);
      const expected = Buffer.from(signatureOf(secret, `${request.method} ${request.url}`, String(nonce), body));
      const isAuthentic = timingSafeEqual(expected, Buffer.from(String(sign)));
      if (!isAuthentic || !createOrderBody.safeParse(JSON.parse(body.toString())).success) answer(400, Buffer.alloc(0));
      else answer(201, order);
    });
  });
  process.on("message", () => process.send?.("cleared"));
  process.on("disconnect", () => process.exit());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  process.send?.({ url: `http://127.0.0.1:${port}`, keys } satisfies Served);
}

interface Round {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** A server under test, and a connection for each of its keys. */
class Side {
  readonly what: string;
  readonly #child: ChildProcess;
  readonly #keys: readonly (Key & { readonly raw: Buffer })[];
  readonly #pools: readonly Pool[];
  #nonce = Date.now();

  private constructor(what: string, child: ChildProcess, { url, keys }: Served) {
    this.what = what;
    this.#child = child;
    this.#keys = keys.map((key) => ({ ...key, raw: Buffer.from(key.secret, "base64") }));
    this.#pools = keys.map(() => new Pool(url, { connections: 1 }));
  }

  static async start(what: string, as: string): Promise<Side> {
    const child = fork(process.argv[1] ?? "", [as]);
    const [served] = (await once(child, "message")) as [Served];
    return new Side(what, child, served);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async orders(): Promise<Round> {
    const round = await this.#round((at, count) => this.#order(at, count));
    const cleared = once(this.#child, "message");
    this.#child.send("clear");
    await cleared;
    return round;
  }

  books(): Promise<Round> {
    return this.#round((at) => this.#ask(at, { path: "/v1/orderbook/BTC%2FKRW", method: "GET" }, 200));
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.close()));
    this.#child.disconnect();
    await once(this.#child, "exit");
  }

  async #round(send: (at: number, count: number) => Promise<void>): Promise<Round> {
    const [start, before] = [performance.now(), this.#cost()];
    await Promise.all(
      this.#pools.map(async (_, at) => {
        for (let count = 0; count < REQUESTS; count += 1) await send(at, count);
      }),
    );
    return { wallMs: performance.now() - start, cpuMs: this.#cost().cpuMs - before.cpuMs };
  }

  #order(at: number, count: number): Promise<void> {
    const key = this.#keys[at];
    if (key === undefined) throw new Error("a connection without a key");
    const price = String(90_000_000 + (count % 100) * 10_000);
    const body = Buffer.from(JSON.stringify({ symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.001", price }));
    this.#nonce += 1;
    const nonce = String(this.#nonce);
    const headers = {
      "content-type": "application/json",
      "api-key": key.id,
      "api-nonce": nonce,
      "api-sign": signatureOf(key.raw, "POST /v1/orders", nonce, body),
    };
    return this.#ask(at, { path: "/v1/orders", method: "POST", headers, body }, 201);
  }

  async #ask(at: number, request: Parameters<Pool["request"]>[0], expected: number): Promise<void> {
    const answer = await this.#pools[at]?.request(request);
    const text = await answer?.body.text();
    if (answer?.statusCode !== expected) throw new Error(`${this.what} answered ${answer?.statusCode}: ${text}`);
  }

  #cost(): ProcessCost {
    const cost = processCost(this.pid);
    if (cost === undefined) throw new Error("the system does not tell what a process costs");
    return cost;
  }
}

function figures(rounds: readonly Round[], time: keyof Round): readonly number[] {
  return rounds.map((each) => (CONNECTIONS * REQUESTS * 1_000) / each[time]);
}

async function compare(): Promise<void> {
  const sides = [await Side.start("floor", "floor"), await Side.start("sandbox", "exchange")];
  const rows = [
    { what: "signed limit orders", atLeast: 0.6, run: (side: Side) => side.orders() },
    { what: "public order book", atLeast: 0.9, run: (side: Side) => side.books() },
  ];
  const results = new Results("sandbox");
  for (const { what, atLeast, run } of rows) {
    const rounds = sides.map((): Round[] => []);
    // The first is for the compiler.
    for (let count = 0; count <= ROUNDS; count += 1)
      for (const [at, side] of sides.entries()) {
        const round = await run(side);
        if (count > 0 || smoke) rounds[at]?.push(round);
      }
    const [floor = [], ours = []] = rounds;
    for (const [time, unit] of [
      ["wallMs", "a second"],
      ["cpuMs", "a CPU second"],
    ] as const) {
      const found = { hoga: figures(ours, time), floor: figures(floor, time) };
      results.row(`${what}, ${CONNECTIONS} connections, ${unit}`, found, [{ to: "floor", atLeast }]);
    }
  }
  if (full) results.keep();
  for (const side of sides) await side.close();
}

if (role === "exchange") await serveExchange();
else if (role === "floor") await serveFloor();
else await compare();
