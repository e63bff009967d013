/**
 * `npm run bench:stream`: book deltas to 1 000 subscribers, against raw `ws` writing one frame that was built once. Both sides serve
 * from this process, alternately; their subscribers are in a second one.
 *
 * `stream.js client URL COUNT [MESSAGE]` is that second process: it connects, says what it is told to, and counts.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import { type Sandbox, startSandbox } from "../src/sandbox/index.ts";
import { full } from "./options.ts";
import { Results } from "./results.ts";

const SUBSCRIBERS = 1_000;
const ROUNDS = 9;
const EVENTS = 200;
const ONE = 100_000_000n;
/** As long as one of hoga's own deltas. */
const SAMPLE =
  '{"channel":"orderbook","symbol":"BTC/KRW","type":"update","seq":1234,"time":"2026-07-20T09:00:00.000Z",' +
  '"tick":{"buys":[["90010000","0.0005"]],"asks":[]},"checksum":2343686810}';

if (process.argv[2] === "client") await subscribe(process.argv[3] ?? "", process.argv[4] ?? "");
else await compare();

/** The subscribers: tells the parent when all are ready, and whenever each has got EVENTS more events. */
async function subscribe(url: string, message: string): Promise<void> {
  let ready = 0;
  let heard = 0;
  const isReady = (): void => {
    if (++ready === SUBSCRIBERS) process.send?.("ready");
  };
  for (let opened = 0; opened < SUBSCRIBERS; opened++) {
    const web = new WebSocket(url, { perMessageDeflate: false, skipUTF8Validation: true });
    web.on("message", (data: Buffer) => {
      // The head says what it is: an ack, a heartbeat or a snapshot is no event.
      const head = data.subarray(0, 90).toString("latin1");
      if (head.includes('"snapshot"')) isReady();
      if (!head.includes('"update"')) return;
      if (++heard % (SUBSCRIBERS * EVENTS) === 0) process.send?.("round");
    });
    await once(web, "open");
    if (message === "") isReady();
    else web.send(message);
  }
}

async function clientsOf(url: string, message: string): Promise<ChildProcess> {
  const child = fork(process.argv[1] ?? "", ["client", url, message]);
  await once(child, "message");
  return child;
}

interface Round {
  /** Until the last subscriber has the last event. */
  readonly wallMs: number;
  /** Of this process alone, which is the server: the subscribers' own work is not in it. */
  readonly cpuMs: number;
}

async function round(child: ChildProcess, tell: () => void): Promise<Round> {
  const heard = once(child, "message");
  const [start, before] = [performance.now(), process.cpuUsage()];
  for (let event = 0; event < EVENTS; event++) {
    tell();
    // One event a turn of the loop, as commands come.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await heard;
  const { user, system } = process.cpuUsage(before);
  return { wallMs: performance.now() - start, cpuMs: (user + system) / 1000 };
}

/** Raw `ws` at its best: the frame is built once, and written to every socket. */
async function rawServer(
  text: string,
): Promise<{ url: string; server: Server; readonly send: () => void; readonly sendPrebuilt: () => void }> {
  const sockets: Socket[] = [];
  const clients: WebSocket[] = [];
  const server = createServer();
  const web = new WebSocketServer({ server, perMessageDeflate: false });
  web.on("connection", (client, { socket }) => {
    clients.push(client);
    sockets.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const payload = Buffer.from(text);
  const frame = Buffer.concat([Buffer.from([0x81, 126, payload.length >> 8, payload.length & 0xff]), payload]);
  return {
    url: `ws://127.0.0.1:${port}`,
    server,
    send: () => {
      for (const client of clients) client.send(payload, { binary: false });
    },
    sendPrebuilt: () => {
      for (const socket of sockets) socket.write(frame);
    },
  };
}

/** Every call changes the book: an order comes, then it goes. */
function changingBook({ exchange, accountId }: Sandbox): () => void {
  let changes = 0;
  return () => {
    const orderId = `order-${Math.floor(changes / 2)}`;
    const place = changes % 2 === 0;
    changes += 1;
    const price = (90_000_000n + BigInt(changes % 20) * 10_000n) * ONE;
    const size = { side: "buy", orderType: "limit", price, volume: ONE / 1_000n, amount: null } as const;
    const rest = { timeInForce: "GTC", postOnly: false, userref: null, settlementMode: "INSTANT_KRW" } as const;
    const name = { accountId, orderId, symbol: "BTC/KRW" } as const;
    const done = exchange.apply(
      place ? { type: "place", keyId: null, ...name, ...size, ...rest } : { type: "cancel", ...name },
      Date.now(),
    );
    if (!done.ok) throw new Error(done.message);
  };
}

async function compare(): Promise<void> {
  const sandbox = await startSandbox({ marketMaker: false, limits: { streamUnreadBytesMax: 64 * 1024 * 1024 } });
  const change = changingBook(sandbox);
  const message = JSON.stringify({ op: "subscribe", id: 1, channel: "orderbook", symbol: "BTC/KRW" });
  const raw = await rawServer(SAMPLE);
  const [ours, floor] = [await clientsOf(sandbox.streamUrl, message), await clientsOf(raw.url, "")];
  const sides = [
    { what: "hoga", rounds: [] as Round[], run: () => round(ours, change) },
    { what: "ws, one payload", rounds: [] as Round[], run: () => round(floor, raw.send) },
    { what: "one built frame", rounds: [] as Round[], run: () => round(floor, raw.sendPrebuilt) },
  ];
  for (let count = 0; count < ROUNDS; count++) for (const { rounds, run } of sides) rounds.push(await run());
  const results = new Results("stream");
  for (const [time, unit] of [
    ["wallMs", "a second"],
    ["cpuMs", "a CPU second of the server"],
  ] as const) {
    // The first round is for the compiler.
    const found = sides.map(({ what, rounds }) => [what, rounds.slice(1).map((each) => (EVENTS * 1_000) / each[time])]);
    const goals = [{ to: "one built frame", atLeast: 0.8 }];
    results.row(`book deltas to ${SUBSCRIBERS} subscribers, events ${unit}`, Object.fromEntries(found), goals);
  }
  if (full) results.keep();
  for (const child of [ours, floor]) child.kill();
  raw.server.closeAllConnections();
  raw.server.close();
  await sandbox.close();
  process.exit();
}
