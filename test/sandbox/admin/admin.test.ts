import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { errorBody } from "../../../src/contract/index.ts";
import { OPERATIONS } from "../../../src/sandbox/admin/admin-family.ts";
import { SandboxStartError, startSandbox } from "../../../src/sandbox/index.ts";
import { openVenue, START, type Venue } from "../http/venue.ts";
import { AdminClient } from "./admin-client.ts";

let venue: Venue;
let admin: AdminClient;
let url: string;
let token: string;
beforeEach(async () => {
  venue = await openVenue({ admin: {} });
  ({ url, token } = venue.sandbox.admin ?? { url: "", token: "" });
  admin = new AdminClient({ url, token });
});
afterEach(async () => {
  await venue.sandbox.close();
  expect(venue.defects).toEqual([]);
});

const DAY = 86_400_000;
const refusal = async (...sending: Parameters<AdminClient["send"]>) => {
  const { status, json } = await admin.send(...sending);
  expect(json).toEqual(errorBody.parse(json));
  return [status, json.error.code as string];
};

describe("access to the admin interface", () => {
  it("is on a port of its own, on this machine only, and only when requested", async () => {
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(url).not.toBe(venue.sandbox.baseUrl);
    const without = await openVenue();
    expect(without.sandbox.admin).toBeUndefined();
    await without.sandbox.close();
    // The API has no such path.
    const { port } = new URL(venue.sandbox.baseUrl);
    const api = new AdminClient({ url: `http://127.0.0.1:${port}`, token });
    expect((await api.get("/status")).status).toBe(404);
  });

  it.each([
    ["no token", { authorization: undefined }],
    ["an empty one", { authorization: "Bearer " }],
    ["another", { authorization: `Bearer ${"A".repeat(43)}` }],
    ["another scheme", { authorization: "Basic dXNlcjpwYXNz" }],
  ])("is refused with %s, without effect", async (_, headers) => {
    const body = { account_id: "eve" };
    const answer = await admin.post("/accounts", body, { headers });
    expect([answer.status, answer.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    expect(venue.sandbox.exchange.account("eve")).toBeUndefined();
    // An unknown operation is refused in the same way as an existing one.
    expect((await admin.get("/nowhere", { headers })).status).toBe(401);
  });

  it("is refused with a token that is almost right, or a prefix of it", async () => {
    for (const near of [token.slice(0, -1), `${token}A`, token.toLowerCase(), `${token.slice(0, -1)}!`])
      expect((await admin.get("/status", { headers: { authorization: `Bearer ${near}` } })).status).toBe(401);
    expect((await admin.get("/status")).status).toBe(200);
  });

  it.each([
    ["a name that was made to mean this machine", { host: "evil.example:80" }],
    ["this machine under another port", { host: "127.0.0.1:1" }],
    ["no port", { host: "127.0.0.1" }],
    ["a page of another site", { origin: "https://evil.example" }],
    ["a page without an origin", { origin: "null" }],
    ["its own origin, as no page of ours exists", { origin: "SELF" }],
    ["a picture in a page of another site", { "sec-fetch-site": "cross-site" }],
    ["a page of another port", { "sec-fetch-site": "same-site" }],
  ])("is refused to %s, whatever its token", async (_, given) => {
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value.replace("SELF", url)]),
    );
    expect((await admin.post("/accounts", { account_id: "eve" }, { headers })).status).toBe(403);
    expect((await admin.get("/", { headers })).status).toBe(403);
    expect(venue.sandbox.exchange.account("eve")).toBeUndefined();
  });

  it("works under any name of this machine, also typed into a browser", async () => {
    const { port } = new URL(url);
    for (const host of [`127.0.0.1:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`])
      expect((await admin.get("/status", { headers: { host } })).status).toBe(200);
    expect((await admin.get("/", { headers: { "sec-fetch-site": "none", authorization: undefined } })).status).toBe(
      200,
    );
  });

  it("never shows the token in an answer", async () => {
    const shown = [
      await admin.get("/"),
      await admin.get("/status"),
      await admin.get("/nowhere"),
      await admin.get("/status", { headers: { authorization: `Bearer x${token}` } }),
      await admin.post("/accounts", { account_id: token }),
      await admin.post("/accounts", { [token]: 1 }),
      await admin.get(`/accounts/${token}`),
      await admin.get("/status", { headers: { origin: token } }),
    ];
    // A name that the caller sent may be in the answer, shortened and without special characters.
    for (const { text } of shown.slice(0, 4)) expect(text).not.toContain(token);
    expect(shown[7]?.text).not.toContain(token);
  });
});

describe("the token", () => {
  const dirs: string[] = [];
  const freshDir = (): string => {
    const dir = mkdtempSync(join(tmpdir(), "hoga-admin-"));
    dirs.push(dir);
    return dir;
  };
  afterEach(() => {
    for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
  });
  const start = (dir: string) => startSandbox({ dir, marketMaker: false, admin: {} });

  it("is stored for its owner only, and is the same at the next start", async () => {
    const dir = freshDir();
    const path = join(dir, "admin-token");
    const first = await start(dir);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).toBe(`${first.admin?.token}\n`);
    expect(first.admin?.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    await first.close();
    chmodSync(path, 0o644);
    const second = await start(dir);
    expect(second.admin?.token).toBe(first.admin?.token);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await second.close();
    expect(token).not.toBe(first.admin?.token);
  });

  it("when it cannot be read, is named by its file, and not shown", async () => {
    const dir = freshDir();
    const path = join(dir, "admin-token");
    writeFileSync(path, "somebody's own words\n");
    const error = await start(dir).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SandboxStartError);
    expect(error).toMatchObject({ code: "admin_token_unusable", fix: expect.stringContaining("remove it") });
    expect(String(error)).toContain(path);
    expect(String(error)).not.toContain("own words");
    rmSync(path);
    await (await start(dir)).close();
  });

  it("is not stored without a directory; a port that is taken is reported as in use", async () => {
    const { port } = new URL(url);
    const error = await openVenue({ admin: { port: Number(port) } }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "port_in_use", message: expect.stringContaining(port) });
  });
});

describe("the text at /", () => {
  it("lists every operation and the place of the token, without authentication", async () => {
    const { status, text, headers } = await admin.get("/", { headers: { authorization: undefined } });
    expect([status, headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
    for (const { method, path } of OPERATIONS) expect(text).toContain(`${method.padEnd(6)} ${path}\n`);
    expect(text).toContain("Authorization: Bearer TOKEN");
    expect(text).toContain("admin-token");
  });

  it.each(OPERATIONS.filter(({ example }) => example !== undefined))(
    "has an example that works: $method $path",
    async (op) => {
      const path = op.path.replace("{account_id}", "paper").replace("{api_key}", venue.sandbox.apiKey);
      const { example = "" } = op;
      const [query, body] = example.startsWith("?") ? [example, undefined] : ["", JSON.parse(example)];
      const answer = await admin.send(op.method, `${path}${query}`, body);
      expect([answer.text, answer.status < 300]).toEqual([answer.text, true]);
    },
  );
});

describe("a request", () => {
  it.each([
    ["an unknown field", { account_id: "ann", colour: "red" }, "EGeneral:Invalid arguments:colour"],
    ["a misspelled one", { acount_id: "ann" }, "EGeneral:Invalid arguments:acount_id"],
    ["a missing one", {}, "EGeneral:Invalid arguments:account_id"],
    ["a wrong form", { account_id: "a b" }, "EGeneral:Invalid arguments:account_id"],
    ["a number for a text", { account_id: 7 }, "EGeneral:Invalid arguments:account_id"],
    ["a list", [], "EGeneral:Invalid arguments:body"],
  ])("when it has %s, is refused and has no effect", async (_, body, code) => {
    expect(await refusal("POST", "/accounts", body)).toEqual([400, code]);
    expect(venue.sandbox.exchange.account("ann")).toBeUndefined();
  });

  it("is refused when its body is not JSON, has a duplicate field, has another type, is too large, or is not expected", async () => {
    const raw = (rawBody: string, headers = {}) => refusal("POST", "/accounts", undefined, { rawBody, headers });
    const json = { "content-type": "application/json" };
    expect(await raw("{", json)).toEqual([400, "EGeneral:Invalid arguments:body"]);
    expect(await raw('{"account_id":"a","account_id":"b"}', json)).toEqual([
      400,
      "EGeneral:Invalid arguments:account_id",
    ]);
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect(await raw("account_id=ann", form)).toEqual([400, "EGeneral:Invalid arguments:Content-Type"]);
    expect(await raw(`{"account_id":"${"a".repeat(70_000)}"}`)).toEqual([413, "EGeneral:Invalid arguments:body"]);
    expect(await refusal("GET", "/status?x=1")).toEqual([400, "EGeneral:Invalid arguments:x"]);
    expect(await refusal("DELETE", "/faults", {})).toEqual([400, "EGeneral:Invalid arguments:body"]);
    expect(await refusal("POST", "/status", {})).toEqual([404, "EGeneral:Unknown method"]);
    expect(await refusal("GET", "/nowhere")).toEqual([404, "EGeneral:Unknown method"]);
  });

  it("when it changes something, is answered once the change is on disk", async () => {
    const dir = mkdtempSync(join(tmpdir(), "hoga-admin-"));
    const sandbox = await startSandbox({ dir, marketMaker: false, admin: {} });
    onTestFinished(async () => {
      await sandbox.close();
      rmSync(dir, { recursive: true });
    });
    const own = new AdminClient(sandbox.admin ?? { url: "", token: "" });
    await own.must("POST", "/accounts", { account_id: "ann" });
    const journal = readFileSync(join(dir, "journal-000000000001.log"), "utf8");
    expect(journal).toContain('"accountId":"ann"');
  });
});

describe("accounts and money", () => {
  it("are created, funded, emptied and linked", async () => {
    const made = await admin.post("/accounts", { account_id: "ann", krw_account_linked: false });
    expect([made.status, made.json]).toEqual([201, { account_id: "ann", krw_account_linked: false, balances: [] }]);
    expect(await refusal("POST", "/accounts", { account_id: "ann" })).toEqual([
      400,
      "EGeneral:Invalid arguments:account_id",
    ]);
    await admin.must("POST", "/accounts/ann/deposits", { asset: "KRW", amount: "1000.5" });
    expect(await refusal("POST", "/accounts/ann/withdrawals", { asset: "KRW", amount: "1" })).toEqual([
      422,
      "ECompliance:KRW account not linked",
    ]);
    await admin.must("POST", "/accounts/ann/krw-link", { linked: true });
    await admin.must("POST", "/accounts/ann/withdrawals", { asset: "KRW", amount: "0.5" });
    expect(await refusal("POST", "/accounts/ann/withdrawals", { asset: "KRW", amount: "1001" })).toEqual([
      422,
      "EOrder:Insufficient funds",
    ]);
    const held = { total: "1000", available: "1000", locked: "0", unsettled: "0" };
    const balance = { asset: "KRW", ...held, withdrawable: "1000" };
    expect(await admin.must("GET", "/accounts/ann")).toEqual({
      account_id: "ann",
      krw_account_linked: true,
      balances: [balance],
    });
  });

  it("are refused for an unknown account or asset, or an invalid amount", async () => {
    for (const path of ["/accounts/eve/deposits", "/accounts/eve/withdrawals"])
      expect(await refusal("POST", path, { asset: "KRW", amount: "1" })).toEqual([
        404,
        "EGeneral:Invalid arguments:account_id",
      ]);
    expect(await refusal("GET", "/accounts/eve")).toEqual([404, "EGeneral:Invalid arguments:account_id"]);
    expect(await refusal("POST", "/accounts/eve/krw-link", { linked: true })).toEqual([
      404,
      "EGeneral:Invalid arguments:account_id",
    ]);
    const deposit = (asset: string, amount: unknown) => refusal("POST", "/accounts/paper/deposits", { asset, amount });
    expect(await deposit("DOGE1", "1")).toEqual([400, "EGeneral:Invalid arguments:asset"]);
    for (const amount of ["0", "-1", "1e3", "0.000000001", 5, "x"])
      expect(await deposit("KRW", amount)).toEqual([400, "EGeneral:Invalid arguments:amount"]);
  });
});

describe("keys", () => {
  it("are created with permissions, used, changed and revoked; the secret is shown once", async () => {
    const { api_key, api_secret, ...rest } = await admin.must("POST", "/keys", {
      account_id: "paper",
      permissions: ["query"],
    });
    expect(rest).toEqual({
      ...{ account_id: "paper", permissions: ["query"], tier: "starter", ip_allow_list: [] },
      reject_duplicate_userref: false,
    });
    const client = venue.client({ apiKey: api_key, apiSecret: api_secret });
    expect((await client.get("/v1/accounts")).status).toBe(200);
    expect((await client.order()).json.error.code).toBe("EGeneral:Permission denied");
    const changed = await admin.send("PATCH", `/keys/${api_key}`, { permissions: ["query", "trade"] });
    expect(changed.json).toEqual({ api_key, ...rest, permissions: ["query", "trade"] });
    expect(changed.text).not.toContain(api_secret);
    expect((await client.order()).status).toBe(201);
    await admin.must("PATCH", `/keys/${api_key}`, { ip_allow_list: ["10.1.2.3"] });
    expect((await client.get("/v1/accounts")).json.error.code).toBe("EAPI:IP not allowed");
    await admin.must("DELETE", `/keys/${api_key}`);
    await admin.must("GET", "/status");
    expect(venue.sandbox.exchange.key(api_key)).toBeUndefined();
    expect(await refusal("DELETE", `/keys/${api_key}`)).toEqual([404, "EGeneral:Invalid arguments:api_key"]);
    expect(await refusal("PATCH", `/keys/${api_key}`, {})).toEqual([404, "EGeneral:Invalid arguments:api_key"]);
  });

  it("need addresses in the enterprise tier, and an account in every one", async () => {
    const request = { account_id: "paper", permissions: ["trade"], tier: "enterprise" };
    expect(await refusal("POST", "/keys", request)).toEqual([400, "EGeneral:Invalid arguments:ip_allow_list"]);
    expect(await refusal("POST", "/keys", { ...request, ip_allow_list: ["nowhere"] })).toEqual([
      400,
      "EGeneral:Invalid arguments:ip_allow_list",
    ]);
    const { api_key } = await admin.must("POST", "/keys", { ...request, ip_allow_list: ["127.0.0.1"] });
    expect(await refusal("PATCH", `/keys/${api_key}`, { ip_allow_list: [] })).toEqual([
      400,
      "EGeneral:Invalid arguments:ip_allow_list",
    ]);
    expect(await refusal("POST", "/keys", { ...request, account_id: "eve", ip_allow_list: ["127.0.0.1"] })).toEqual([
      400,
      "EGeneral:Invalid arguments:account_id",
    ]);
    for (const permissions of [[], ["all"], "trade"])
      expect((await admin.post("/keys", { account_id: "paper", permissions })).status).toBe(400);
  });
});

describe("markets", () => {
  it("are halted and resumed, under any spelling of their symbol", async () => {
    expect(await admin.must("POST", "/markets/BTC%2FKRW/halt")).toEqual({ symbol: "BTC/KRW", status: "halted" });
    expect((await venue.paper.order()).json.error.code).toBe("EOrder:Market halted");
    expect(await admin.must("POST", "/markets/btckrw/resume")).toEqual({ symbol: "BTC/KRW", status: "trading" });
    expect((await venue.paper.order()).status).toBe(201);
    expect(await refusal("POST", "/markets/NOPE/halt")).toEqual([404, "EQuery:Unknown asset pair"]);
  });
});

describe("the clock", () => {
  it("is moved ahead, and what is due happens", async () => {
    expect(await admin.must("GET", "/status")).toMatchObject({
      time: new Date(START).toISOString(),
      machine_time: new Date(START).toISOString(),
      clock_ahead_ms: 0,
      failed: null,
      deliveries: { pending: 0, delivered: 0, parked: 0, dropped: 0 },
    });
    const moved = await admin.must("POST", "/clock", { advance_ms: DAY });
    expect(moved).toMatchObject({ time: new Date(START + DAY).toISOString(), clock_ahead_ms: DAY });
    expect((await venue.paper.get("/v1/time")).json.unix_ms).toBe(START + DAY);
    for (const advance_ms of [0, -1, 1.5, "1"])
      expect(await refusal("POST", "/clock", { advance_ms })).toEqual([400, "EGeneral:Invalid arguments:advance_ms"]);
    expect(await refusal("POST", "/clock", { advance_ms: 20 * 366 * DAY })).toEqual([
      400,
      "EGeneral:Invalid arguments:advance_ms",
    ]);
  });
});
