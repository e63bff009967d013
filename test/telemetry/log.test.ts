import { afterAll, describe, expect, it } from "vitest";
import { RequestLog } from "../../src/telemetry/log.ts";
import { eventually } from "../fixture/command.ts";
import { cleanUp } from "../fixture/in-process.ts";
import { ERAS } from "../mcp/client.ts";
import { type Operated, operated } from "./operated.ts";

afterAll(cleanUp);

const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };
const CANARY = "canary7f3a91c0ffee";

type Line = Readonly<Record<string, unknown>>;

/** Every line of JSON; what is said for people is left out. */
const linesOf = ({ server }: Operated): readonly Line[] =>
  server
    .stderr()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line);

describe("the log", () => {
  it.each(ERAS)("has a line for each request and each call, by one id, in %s", async (era) => {
    const place = await operated({ env: { HOGA_LOG_LEVEL: "info" } });
    const assistant = await place.client(era);
    const { structured } = await assistant.call("place_order", ORDER);
    const call = await eventually(() => linesOf(place).find(({ msg }) => msg === "call"));
    expect(call).toMatchObject({
      level: "info",
      account: "environment",
      tool: "place_order",
      outcome: "accepted",
      intent_id: structured["intent_id"],
      ms: expect.any(Number),
    });
    const { request_id, session } = call;
    expect(request_id).toMatch(/^[0-9a-f-]{36}$/);
    const isIts = (line: Line): boolean => line["msg"] === "request" && line["request_id"] === request_id;
    expect(await eventually(() => linesOf(place).find(isIts))).toMatchObject({
      method: "POST",
      path: "/mcp",
      status: 200,
    });
    if (era === "2025-11-25") expect(session).toMatch(/^[0-9a-f]{12}$/);
    else expect(session).toBeUndefined();
    expect(linesOf(place).some(({ level }) => level === "debug")).toBe(false);
  });

  it("takes the caller's id where it is well-formed, and answers it", async () => {
    const place = await operated({ env: { HOGA_LOG_LEVEL: "info" } });
    const { headers, token } = { ...place.address, token: place.address.headers["Authorization"]?.slice(7) ?? "" };
    const idFor = async (given: string): Promise<string | null> =>
      (await place.get("/healthz", { ...headers, "X-Request-Id": given })).headers.get("x-request-id");
    expect(await idFor("build-7.attempt_2")).toBe("build-7.attempt_2");
    for (const odd of ['a"b', "x".repeat(65), "-a", "a b", token]) expect(await idFor(odd)).toMatch(/^[0-9a-f-]{36}$/);
    await eventually(() => linesOf(place).find(({ request_id }) => request_id === "build-7.attempt_2"));
    expect((await place.get("/healthz")).headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("has a line a second of connections that are dropped, however many are", () => {
    const lines: string[] = [];
    const log = new RequestLog({ level: "info", account: "paper", write: (line) => lines.push(line) });
    let counted = 0;
    const observer = log.http({
      around: () => {},
      ended: () => {},
      dropped: () => (counted += 1),
      sessionEnded: () => {},
    });
    for (let n = 0; n < 1_000; n++) observer.dropped();
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "warn", msg: "dropped", connections: 1 });
    expect(counted).toBe(1_000);
  });

  it("holds no word of a caller, no token and no query, also for whoever debugs", async () => {
    const place = await operated({ env: { HOGA_LOG_LEVEL: "debug" } });
    const assistant = await place.client("2025-11-25");
    await assistant.call("place_order", { ...ORDER, userref: CANARY });
    await assistant.call("place_order", { ...ORDER, symbol: CANARY });
    await assistant.call(CANARY, { [CANARY]: CANARY }).catch(() => undefined);
    await assistant.call("halt_trading", { reason: CANARY });
    await place.get(`/${CANARY}?code=${CANARY}`);
    await place.get("/mcp", { ...place.address.headers, "mcp-session-id": CANARY });
    await place.get("/mcp", { Authorization: `Bearer ${CANARY}` });
    await eventually(() => linesOf(place).find(({ status }) => status === 401));
    const lines = linesOf(place);
    expect(lines.filter(({ msg }) => msg === "call").length).toBeGreaterThanOrEqual(3);
    expect(lines.find(({ status }) => status === 404)).toMatchObject({ path: "other" });
    const order = lines.find(({ endpoint }) => endpoint === "createOrder");
    const call = lines.find(({ tool }) => tool === "place_order");
    expect(order).toMatchObject({ level: "debug", reached: "yes", request_id: call?.["request_id"] });
    expect(place.server.stderr()).not.toContain(CANARY);
    expect(place.server.stderr()).not.toContain(place.address.headers["Authorization"]?.slice(7));
  });

  it("is not there unless a level is set", async () => {
    const place = await operated();
    await (await place.client()).call("get_balances");
    await place.get("/nothing");
    await place.server.stop();
    expect(linesOf(place)).toEqual([]);
  });
});
