import { describe, expect, it, vi } from "vitest";
import { UndiciTransport } from "../../src/transport/request/undici-transport.ts";

interface Handler {
  onRequestStart(controller: { abort(reason: Error): void }): void;
  onResponseError(controller: unknown, error: Error): void;
}

const pool = vi.hoisted(() => ({ dispatched: [] as { handler: Handler }[], made: 0 }));

vi.mock("undici", () => ({
  Pool: class {
    constructor() {
      pool.made++;
    }
    dispatch(_: unknown, handler: Handler): boolean {
      pool.dispatched.push({ handler });
      return true;
    }
    async close(): Promise<void> {}
  },
}));

const request = { origin: "http://venue.example", method: "DELETE", path: "/", headers: {}, totalMs: 200 } as const;
const limits = { connectMs: 100, headersMs: 100, bodyMs: 100, bodyBytesMax: 100 };

async function dispatching(): Promise<{ outcome: Promise<{ kind: string }>; handler: Handler; abort: () => void }> {
  const before = pool.dispatched.length;
  const outcome = new UndiciTransport(limits).send(request);
  await vi.waitFor(() => expect(pool.dispatched.length).toBe(before + 1), { interval: 1 });
  const handler = pool.dispatched.at(-1)?.handler;
  if (handler === undefined) throw new Error("nothing dispatched");
  return { outcome, handler, abort: vi.fn<() => void>() };
}

describe("a request", () => {
  it("is not written a second time when undici starts it again", async () => {
    const { outcome, handler, abort } = await dispatching();
    handler.onRequestStart({ abort: () => expect.unreachable() });
    handler.onRequestStart({ abort });
    expect(abort).toHaveBeenCalledOnce();
    expect(await outcome).toEqual({ kind: "no_answer" });
  });

  it("is not sent after it was reported as not sent", async () => {
    const { outcome, handler, abort } = await dispatching();
    expect(await outcome).toEqual({ kind: "not_sent" });
    handler.onRequestStart({ abort });
    expect(abort).toHaveBeenCalledOnce();
  });

  it("is not sent after its time, also when the machine slept meanwhile", async () => {
    const { outcome, handler, abort } = await dispatching();
    const later = Date.now() + 3_600_000;
    const clock = vi.spyOn(Date, "now").mockReturnValue(later);
    handler.onRequestStart({ abort });
    clock.mockRestore();
    expect(abort).toHaveBeenCalledOnce();
    expect(await outcome).toEqual({ kind: "not_sent" });
  });

  it("is never reported as not sent once it was started", async () => {
    const { outcome, handler, abort } = await dispatching();
    handler.onRequestStart({ abort });
    handler.onResponseError({}, Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }));
    expect(await outcome).toEqual({ kind: "no_answer" });
  });
});

describe("the transport", () => {
  it("opens nothing before the first request, and nothing after close", async () => {
    const made = pool.made;
    const transport = new UndiciTransport(limits);
    expect(pool.made).toBe(made);
    await transport.close();
    expect(await transport.send(request)).toEqual({ kind: "not_sent" });
    expect(pool.made).toBe(made);
  });
});
