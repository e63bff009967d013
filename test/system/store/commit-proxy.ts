/** A way to a PostgreSQL server that loses a COMMIT, or its answer, and the connection with it; or is slow, says nothing any more, refuses, or has no connection left. */
import { connect, createServer, type Socket } from "node:net";

export interface CommitProxy {
  /** The same address by this way. */
  through(url: string): string;
  loseNext(what: "request" | "answer", then?: "and everything after it"): void;
  /** From now on whatever it is asked gets there so much later. */
  slowDown(ms: number): void;
  /** From now on nothing gets through, and no connection ends, as where a cable was pulled. */
  fallSilent(): void;
  /** From now on nobody is let in, and who was in is sent away: nothing listens there, or every connection of the server is taken. */
  turnAway(how: "refused" | "full"): Promise<void>;
  /** As it was in the beginning. */
  recover(): Promise<void>;
  /** How many were lost. */
  lost(): number;
  close(): Promise<void>;
}

/** A simple query. Of the store's own statements only commits are sent so. */
const COMMIT = Buffer.from("COMMIT\0");

/** An ErrorResponse, as a server whose connections are all taken answers whoever comes. */
const FULL = (() => {
  const fields = Buffer.from("SFATAL\0VFATAL\0C53300\0Msorry, too many clients already\0\0");
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
})();

export async function startCommitProxy({ hostname, port }: URL): Promise<CommitProxy> {
  const sockets = new Set<Socket>();
  let next: "request" | "answer" | undefined;
  let isDown = false;
  let downAfter = false;
  let isSilent = false;
  let lateMs = 0;
  let isFull = false;
  let lost = 0;
  const server = createServer((client) => {
    if (isFull) {
      client.on("error", () => undefined);
      client.once("data", () => client.end(FULL));
      return;
    }
    if (isDown) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(port === "" ? 5432 : port), hostname);
    let losesAnswer = false;
    const cut = (): void => {
      lost += 1;
      isDown = downAfter;
      client.destroy();
      upstream.destroy();
      if (isDown) for (const socket of sockets) socket.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (bytes) => {
      if (isSilent) return;
      const isCommit = next !== undefined && bytes.includes(COMMIT);
      if (!isCommit) {
        if (lateMs === 0) upstream.write(bytes);
        else setTimeout(() => upstream.write(bytes), lateMs);
        return;
      }
      losesAnswer = next === "answer";
      next = undefined;
      if (losesAnswer) upstream.write(bytes);
      else cut();
    });
    upstream.on("data", (bytes) => {
      // What left together with the commit may be answered before it: the server has it once it says so itself.
      if (losesAnswer && bytes.includes(COMMIT)) cut();
      else if (!losesAnswer && !isSilent) client.write(bytes);
    });
  });
  const listen = (at: number): Promise<void> =>
    new Promise((resolve) => {
      server.listen(at, "127.0.0.1", resolve);
    });
  const end = async (): Promise<void> => {
    const isClosed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    for (const socket of sockets) socket.destroy();
    await isClosed;
  };
  await listen(0);
  const { port: own } = server.address() as { port: number };
  return {
    through: (url) => {
      const named = new URL(url);
      named.port = String(own);
      return named.href;
    },
    loseNext: (what, then) => {
      next = what;
      downAfter = then !== undefined;
    },
    slowDown: (ms) => {
      lateMs = ms;
    },
    fallSilent: () => {
      isSilent = true;
    },
    turnAway: async (how) => {
      if (how === "refused") await end();
      isFull = how === "full";
      for (const socket of sockets) socket.destroy();
    },
    recover: async () => {
      isSilent = false;
      isFull = false;
      for (const socket of sockets) socket.destroy();
      if (!server.listening) await listen(own);
    },
    lost: () => lost,
    close: end,
  };
}
