import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { WEBHOOK_VECTORS } from "../../../src/contract/index.ts";
import { destinationProblem, guardedLookup } from "../../../src/sandbox/webhook/destination.ts";
import { signedHeaders } from "../../../src/sandbox/webhook/dispatcher.ts";
import { type Attempt, postOnce } from "../../../src/sandbox/webhook/post.ts";
import { startReceiver } from "./receiver.ts";

const NOT_HERE = "only addresses of this machine are sent to, such as http://127.0.0.1:8422";

const post = (url: string, more: Partial<Attempt> = {}) =>
  postOnce({
    url,
    headers: {},
    body: '{"type":"balance.changed","id":"evt_1","created_at":"2026-07-20T09:00:00.000Z","data":{"account_id":"a","balance":{"asset":"KRW","total":"1","available":"1","locked":"0"}}}',
    timeoutMs: 10_000,
    allowRemote: false,
    signal: new AbortController().signal,
    ...more,
  });

async function receiving() {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  return receiver;
}

describe("a signature", () => {
  it.each(WEBHOOK_VECTORS)("is the published one of $name", ({ secret, id, timestamp, body, signature }) => {
    expect(signedHeaders(secret, id, Number(timestamp) * 1000 + 999, body)).toEqual({
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signature,
    });
  });
});

describe("one attempt", () => {
  it("succeeds when it is answered 2xx, and only then", async () => {
    const receiver = await receiving();
    const outcomes: [number, string | null][] = [];
    for (const status of [200, 201, 202, 204, 299, 300, 304, 400, 404, 410, 429, 500, 503]) {
      receiver.behave(status);
      outcomes.push([status, await post(receiver.url)]);
    }
    expect(outcomes).toEqual(
      outcomes.map(([status]) => [status, status < 300 ? null : `answered with status ${status}`]),
    );
    expect(receiver.received).toHaveLength(13);
  });

  it("follows no redirection", async () => {
    const [receiver, other] = [await receiving(), await receiving()];
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.behave({ status, location: other.url });
      expect(await post(receiver.url)).toBe(`answered with status ${status}`);
    }
    expect(other.received).toEqual([]);
  });

  it("ends at its time limit without an answer, whether a connection can be made or not", async () => {
    const receiver = await receiving();
    receiver.behave("silent");
    expect(await post(receiver.url, { timeoutMs: 100 })).toBe("no answer within 100 ms");
    receiver.behave("reset");
    expect(await post(receiver.url)).toMatch(/^not reached: ECONNRESET$/);
    await receiver.close();
    expect(await post(receiver.url)).toBe("not reached: ECONNREFUSED");
  });

  it.each(["HTTPS://", " https://", "hTTpS:\\\\"])(
    "speaks the protocol of its URL, also where that is written %j",
    async (spelled) => {
      const receiver = await receiving();
      const { host } = new URL(receiver.url);
      // The server there does not speak TLS.
      expect(await post(`${spelled}${host}/`)).toMatch(/^not reached: (EPROTO|ERR_SSL)/);
      expect(await post(`HTTP://${host}/`)).toBeNull();
      expect(await post(` http://${host}/`)).toBeNull();
    },
  );

  it("reads nothing of an answer: garbage and endless ones end with the status, or without one", async () => {
    const answers = ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "no HTTP at all\r\n\r\n"];
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.write(answers.shift() ?? "");
      const endless = setInterval(() => socket.write("a\r\n0123456789\r\n"), 1);
      socket.on("close", () => clearInterval(endless));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await post(url)).toBeNull();
    expect(await post(url)).toMatch(/^not reached: HPE_/);
  });

  it("can be aborted", async () => {
    const receiver = await receiving();
    receiver.behave("silent");
    const stop = new AbortController();
    const posting = post(receiver.url, { signal: stop.signal });
    setTimeout(() => stop.abort(), 20);
    expect(await posting).toBe("it was broken off");
  });
});

describe("an allowed destination", () => {
  it.each([
    "http://127.0.0.1:8422",
    "https://127.0.0.1/hook?x=1",
    "http://127.9.8.7/",
    "http://[::1]:8422/",
    "http://[::ffff:127.0.0.1]/",
    "http://localhost:8422/",
    // What a name means is seen when it is looked up.
    "http://partner.example/hook",
  ])("is %s", (url) => {
    expect(destinationProblem(url, false)).toBeUndefined();
  });

  it.each([
    "http://192.168.0.1/",
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://0.0.0.0:8420/",
    "http://[::]/",
    "http://[fd00::1]/",
    "http://[::ffff:10.0.0.1]/",
    // Other spellings of an address that is not this machine's.
    "http://0x0a000001/",
    "http://167772161/",
    "http://8.8.8.8/",
  ])("is not %s, unless other machines are allowed", (url) => {
    expect(destinationProblem(url, false)).toBe(NOT_HERE);
    expect(destinationProblem(url, true)).toBeUndefined();
  });

  it("is this machine in other spellings of its address too", () => {
    for (const url of ["http://2130706433:8422/", "http://0x7f.1/", "http://127.1/"])
      expect(destinationProblem(url, false)).toBeUndefined();
  });

  it.each([
    ["ftp://127.0.0.1/", "use http or https"],
    ["file:///etc/passwd", "use http or https"],
    ["http://user:pass@127.0.0.1/", "leave out user, password and fragment"],
    ["http://127.0.0.1/#there", "leave out user, password and fragment"],
    ["nowhere", "this is no URL"],
    [`http://127.0.0.1/${"x".repeat(2000)}`, "this is no URL"],
  ])("is not %s in any case", (url, why) => {
    expect([destinationProblem(url, false), destinationProblem(url, true)]).toEqual([why, why]);
  });

  it("is decided by the address that a name resolves to for the connection", async () => {
    const found = (allowRemote: boolean, name: string, all: boolean) =>
      new Promise<unknown>((resolve) => {
        guardedLookup(allowRemote)(name, { all }, (error, address) => resolve(error?.message ?? address));
      });
    expect(await found(false, "localhost", false)).toMatch(/^(127\.0\.0\.1|::1)$/);
    const all = (await found(false, "localhost", true)) as { readonly address: string }[];
    expect(all.every(({ address }) => /^(127\.0\.0\.1|::1)$/.test(address))).toBe(true);
    // A literal is what it says; a resolver asked for it needs no network.
    expect(await found(false, "10.0.0.1", true)).toBe(NOT_HERE);
    expect(await found(true, "10.0.0.1", false)).toBe("10.0.0.1");
  });

  it("is checked at sending too, whoever registered the endpoint", async () => {
    expect(await post("http://10.0.0.1:9/")).toBe(NOT_HERE);
    const receiver = await receiving();
    const { port } = new URL(receiver.url);
    expect(await post(`http://localhost:${port}/hook`)).toBeNull();
    expect(receiver.received).toMatchObject([{ path: "/hook" }]);
  });
});
