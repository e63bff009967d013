import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Receiver, type ReceiverParts, receiveWebhooks } from "../../../src/cli/webhook/receiver.ts";
import { type AuthenticWebhook, authenticWebhook } from "../../../src/venues/index.ts";
import { balanceEvent, SECRET, sendWebhook, signedWebhook } from "../../fixture/webhook-sender.ts";

interface Receiving extends Receiver {
  readonly kept: AuthenticWebhook[];
  readonly refused: string[];
  readonly errors: unknown[];
}

async function receiving(parts: Partial<ReceiverParts> = {}): Promise<Receiving> {
  const [kept, refused, errors]: [AuthenticWebhook[], string[], unknown[]] = [[], [], []];
  const receiver = await receiveWebhooks({
    host: "127.0.0.1",
    port: 0,
    authenticate: (delivery) => authenticWebhook(delivery, { secret: SECRET }),
    keep: async (webhook) => {
      kept.push(webhook);
    },
    onError: (error) => errors.push(error),
    onRefused: (message) => refused.push(message),
    ...parts,
  });
  onTestFinished(() => receiver.close());
  return { ...receiver, kept, refused, errors };
}

/** Sends bytes and collects what comes back until the other side closes. */
function raw(url: string, ...parts: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("utf8");
    });
    socket.on("error", () => resolve(received));
    socket.on("close", () => resolve(received));
    for (const part of parts) socket.write(part);
  });
}

describe("a delivery", () => {
  it("when it is authentic, the receiver keeps it as it came, and answers 204 only then", async () => {
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const steps: string[] = [];
    const { url } = await receiving({
      keep: async ({ id, body }) => {
        await held;
        steps.push(`kept ${id} ${body}`);
      },
    });
    const event = balanceEvent("evt_1");
    const sending = sendWebhook(url, event).then((status) => steps.push(`answered ${status}`));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(steps).toEqual([]);
    letGo();
    await sending;
    expect(steps).toEqual([`kept evt_1 ${JSON.stringify(event)}`, "answered 204"]);
  });

  it("is taken at any path, as a proxy may add its own", async () => {
    const { url, kept } = await receiving();
    expect(await sendWebhook(`${url}/hooks/exchange?x=1`, balanceEvent("evt_1"))).toBe(204);
    expect(kept).toHaveLength(1);
  });

  it("when it is authentic and cannot be read, the receiver keeps it all the same", async () => {
    const { url, kept } = await receiving();
    expect(await sendWebhook(url, { id: "evt_1" }, { body: '{"type":"order.lost"}' })).toBe(204);
    expect(kept).toEqual([{ id: "evt_1", body: '{"type":"order.lost"}' }]);
  });

  it("when it could not be kept, the receiver answers 503, and never 2xx", async () => {
    const { url, errors } = await receiving({ keep: () => Promise.reject(new Error("the disk is full")) });
    expect(await sendWebhook(url, balanceEvent("evt_1"))).toBe(503);
    expect(errors).toMatchObject([{ message: "the disk is full" }]);
  });

  it.each([
    ["signed with another secret", { secret: `whsec_${Buffer.alloc(32).toString("base64")}` }],
    ["signed six minutes ago", { atMs: Date.now() - 360_000 }],
    ["signed for six minutes ahead", { atMs: Date.now() + 360_000 }],
    ["under another id", { headers: { "webhook-id": "evt_2" } }],
    ["without a signature", { headers: { "webhook-signature": "" } }],
  ])("%s is refused and not kept", async (_, sending) => {
    const { url, kept, refused } = await receiving();
    expect(await sendWebhook(url, balanceEvent("evt_1"), sending)).toBe(401);
    expect(kept).toEqual([]);
    expect(refused).toHaveLength(1);
    expect(refused[0]).not.toContain(SECRET.slice(6, 26));
  });

  it("is posted: anything else is refused, with an answer that reveals nothing", async () => {
    const { url, kept } = await receiving();
    for (const method of ["GET", "PUT", "DELETE"]) {
      const answer = await fetch(url, { method });
      expect([answer.status, answer.headers.get("allow"), await answer.text()]).toEqual([405, "POST", ""]);
    }
    expect(kept).toEqual([]);
  });
});

describe("a body", () => {
  const head = "POST / HTTP/1.1\r\nHost: x\r\n";

  it("when it is over 64 KiB, declared or not, the receiver refuses it and keeps nothing of it", async () => {
    const { url, kept } = await receiving();
    const body = " ".repeat(64 * 1024 + 1);
    expect(await raw(url, `${head}Content-Length: ${body.length}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /);
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    expect(await raw(url, `${head}Transfer-Encoding: chunked\r\n\r\n`, chunk)).toMatch(/^HTTP\/1\.1 413 /);
    expect(kept).toEqual([]);
    const whole = balanceEvent("evt_1");
    expect(await sendWebhook(url, whole, { body: JSON.stringify(whole).padEnd(64 * 1024) })).toBe(204);
  });

  it("when it does not end in time, the receiver refuses it, and serves others meanwhile", async () => {
    const { url, kept, refused } = await receiving({ bodyMs: 300 });
    const slow = raw(url, `${head}Content-Length: 100\r\n\r\n{"type"`);
    expect(await sendWebhook(url, balanceEvent("evt_1"))).toBe(204);
    expect(await slow).toMatch(/^HTTP\/1\.1 408 /);
    expect(refused.join()).toMatch(/did not arrive within 300 ms/);
    expect(kept).toHaveLength(1);
  });

  it("whose sender disconnects half-way is not kept, and disturbs no other", async () => {
    const { url, kept, errors } = await receiving();
    const { hostname, port } = new URL(url);
    const { headers, body } = signedWebhook(balanceEvent("evt_1"));
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(Number(port), hostname);
    socket.write(`${head}${lines.join("")}Content-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect(await sendWebhook(url, balanceEvent("evt_2"))).toBe(204);
    expect(kept.map(({ id }) => id)).toEqual(["evt_2"]);
    expect(errors).toEqual([]);
  });
});

describe("a port in use", () => {
  it("is reported with what to do", async () => {
    const { url } = await receiving();
    const { port } = new URL(url);
    await expect(receiving({ port: Number(port) })).rejects.toMatchObject({
      message: `Port ${port} on 127.0.0.1 is in use.`,
      fix: expect.stringContaining("--port"),
    });
  });
});
