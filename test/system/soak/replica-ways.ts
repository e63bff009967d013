/** What stands between the replicas and the rest, and may be cut: a PostgreSQL of the run's own, what hears them speak to the exchange, the proxy before them. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "../../fixture/command.ts";
import { freshDir, pause } from "./programs.ts";

const BIN = process.env["HOGA_POSTGRES_BIN"] ?? "/usr/lib/postgresql/15/bin";

export interface OwnPostgres {
  readonly url: string;
  query<T>(sql: string, values?: readonly unknown[]): Promise<readonly T[]>;
  /** As a crash: nobody is told. */
  crash(): Promise<void>;
  start(): Promise<void>;
  end(): Promise<void>;
}

/** Its server does not run as root, so root runs it as `postgres`. */
export async function ownPostgres(): Promise<OwnPostgres> {
  const idOf = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  const who = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};
  const base = freshDir();
  const dir = join(base, "data");
  mkdirSync(dir, { mode: 0o700 });
  if (who.uid !== undefined) for (const path of [base, dir]) chownSync(path, who.uid, who.gid);
  execFileSync(join(BIN, "initdb"), ["-D", dir, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"], {
    ...who,
    cwd: base,
    stdio: "ignore",
  });
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let child: ChildProcess | undefined;
  const ask = async <T>(sql: string, values: readonly unknown[] = []): Promise<readonly T[]> => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query(sql, [...values])).rows as T[];
    } finally {
      await client.end();
    }
  };
  const start = async (): Promise<void> => {
    const words = ["-D", dir, "-p", String(port), "-k", base, "-c", "listen_addresses=127.0.0.1"];
    child = spawn(join(BIN, "postgres"), words, { ...who, cwd: base, stdio: "ignore" });
    for (;;) {
      const isUp = await ask("SELECT 1").catch(() => undefined);
      if (isUp !== undefined) return;
      await pause(100);
    }
  };
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  };
  await start();
  return { url, query: ask, crash: () => stop("SIGQUIT"), start, end: () => stop("SIGINT") };
}

async function listening(
  answer: (incoming: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly server: ReturnType<typeof createServer>; readonly url: string }> {
  const server = createServer({ keepAliveTimeout: 60_000 }, answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** How a request ended that was passed on. */
type Passed = { readonly status: number } | { readonly failed: "refused" | "cut off" };

function pass(to: string, incoming: IncomingMessage, body: Buffer, response: ServerResponse): Promise<Passed> {
  return new Promise((resolve) => {
    const { method, url, headers } = incoming;
    const sent = request(new URL(url ?? "/", to), { method, headers, agent: false }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers).flushHeaders();
      answered.pipe(response);
      answered.on("error", () => response.destroy());
      answered.on("end", () => resolve({ status: answered.statusCode ?? 0 }));
      answered.on("close", () => resolve({ failed: "cut off" }));
    });
    sent.on("error", (error: NodeJS.ErrnoException) =>
      resolve({ failed: error.code === "ECONNREFUSED" ? "refused" : "cut off" }),
    );
    response.on("close", () => sent.destroy());
    sent.end(body);
  });
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

export interface Wiretap {
  readonly url: string;
  /** Nonces of signed requests, as they came. */
  readonly nonces: string[];
  /** Answers by status. */
  readonly statuses: Map<number, number>;
  /** Signed requests by what they are. */
  readonly asked: Map<string, number>;
}

/** Hears what is said to the exchange, and changes nothing. */
export async function wiretap(exchange: string): Promise<Wiretap> {
  const nonces: string[] = [];
  const [statuses, asked] = [new Map<number, number>(), new Map<string, number>()];
  const { server, url } = await listening((incoming, response) => {
    const nonce = incoming.headers["api-nonce"];
    if (typeof nonce === "string") {
      nonces.push(nonce);
      const name = `${incoming.method} ${(incoming.url ?? "").replace(/[?].*/, "").replace(/[0-9a-f-]{36}/, "ID")}`;
      asked.set(name, (asked.get(name) ?? 0) + 1);
    }
    void bodyOf(incoming)
      .then((body) => pass(exchange, incoming, body, response))
      .then((passed) => {
        const status = "status" in passed ? passed.status : 0;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if ("failed" in passed) response.destroy();
      })
      .catch(() => response.destroy());
  });
  const { hostname, port } = new URL(exchange);
  server.on("upgrade", (incoming, socket, head) => {
    const lines = Object.entries(incoming.headers).map(([name, value]) => `${name}: ${String(value)}`);
    const to = connect(Number(port), hostname, () => {
      to.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      to.write(head);
      socket.pipe(to).pipe(socket);
    });
    for (const end of [socket, to]) end.on("error", () => end.destroy());
    socket.on("close", () => to.destroy());
    to.on("close", () => socket.destroy());
  });
  return { url, nonces, statuses, asked };
}

export interface Proxy {
  readonly url: string;
  /** Of each replica, how many requests it was given. */
  readonly given: number[];
}

const PROBE_EVERY_MS = 1_000;
/** As long as a proxy waits for an answer. */
const ANSWER_MS = 65_000;

/** One replica after the other; a session stays where it began. Those that are not ready are passed over. */
export async function roundRobin(replicas: () => readonly string[]): Promise<Proxy> {
  const sessions = new Map<string, number>();
  const given = replicas().map(() => 0);
  const ready = replicas().map(() => true);
  let next = 0;
  setInterval(() => {
    for (const [at, url] of replicas().entries())
      void fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PROBE_EVERY_MS) })
        .then(({ ok }) => ok)
        .catch(() => false)
        .then((ok) => {
          ready[at] = ok;
        });
  }, PROBE_EVERY_MS).unref();
  const turn = (): number => {
    for (let n = 0; n < given.length; n++) {
      next = (next + 1) % given.length;
      if (ready[next] === true) break;
    }
    return next;
  };
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(incoming);
    const session = incoming.headers["mcp-session-id"];
    response.setTimeout(ANSWER_MS, () => response.destroy());
    for (let tries = 0; tries < given.length; tries++) {
      const at = (typeof session === "string" ? sessions.get(session) : undefined) ?? turn();
      given[at] = (given[at] ?? 0) + 1;
      const writeHead = response.writeHead.bind(response);
      response.writeHead = ((status: number, headers: Record<string, string>) => {
        const begun = headers["mcp-session-id"];
        if (begun !== undefined) sessions.set(begun, at);
        return writeHead(status, headers);
      }) as typeof response.writeHead;
      const passed = await pass(replicas()[at] ?? "", incoming, body, response);
      response.writeHead = writeHead;
      // Nothing of it has left where no connection came about: only then another is asked.
      if (!("failed" in passed)) return;
      if (passed.failed === "cut off") break;
      if (typeof session === "string") sessions.delete(session);
    }
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end();
  };
  const { url } = await listening((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });
  return { url, given };
}
