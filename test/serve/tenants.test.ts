/**
 * Two tenants of one server: whatever one names of the other's is answered as what never was, and nothing that one does changes what the
 * other may do. They are made by the command line, served by it, and trade on real exchanges.
 */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { TOOLS, TRANSFER_TOOLS } from "../../src/mcp/index.ts";
import { LIMIT } from "../approval/home.ts";
import { openHttpWire, serveHttp, type Wire } from "../approval/wire.ts";
import { oneLine } from "../fixture/command.ts";
import { cleanUp, run } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { allowDrafts, PAYEE, switchOnDrafts } from "../fixture/drafts-home.ts";
import { type HttpAddress, sseOf } from "../fixture/http-address.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

const MODERN = "2026-07-28";
const FORMS = { elicitation: { form: {} } };
const YES = { approval: { action: "accept", content: { approve: true } } };
const MARKET = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "150000" };
const LARGE = { ...LIMIT, base_volume: "0.01", userref: "alice-waits" };

type Answer = Readonly<Record<string, unknown>>;

let home: string;
let address: HttpAddress;
const wires = new Map<string, Wire>();
const tokens = new Map<string, string>();

const hoga = (...args: string[]) => run([...args, "--json"], { home });
const headersOf = (name: string) => ({ authorization: `Bearer ${tokens.get(name) ?? ""}` });
const addressFor = (name: string): HttpAddress => ({ url: address.url, headers: headersOf(name) });

async function rpc(name: string, method: string, params: object): Promise<Answer> {
  const { result, error } = (await wires.get(name)?.request(method, params)) ?? {};
  return result ?? { error };
}

async function call(name: string, tool: string, args: object): Promise<Answer> {
  const result = await rpc(name, "tools/call", { name: tool, arguments: args });
  return (result["structuredContent"] ?? result) as Answer;
}

beforeAll(async () => {
  home = freshHome();
  switchOnDrafts(home);
  const tokenOf = async (caller: string, tenant: string): Promise<void> => {
    const made = await hoga("tokens", "create", `token-of-${caller}`, "--tenant", tenant, "--scopes", "all");
    tokens.set(caller, oneLine<{ token: string }>(made).token);
  };
  for (const name of ["alice", "bob"]) {
    expect(await hoga("tenants", "create", name, "--profile", "drafts")).toMatchObject({ code: 0 });
    await tokenOf(name, name);
  }
  // Another program of hers.
  await tokenOf("alices-bot", "alice");
  allowDrafts(join(home, "tenants", "alice"), "bounded", { approval_over_krw: "200000" });
  allowDrafts(join(home, "tenants", "bob"), "bounded");
  address = await serveHttp(home);
  for (const name of ["alice", "bob", "alices-bot"])
    wires.set(name, await openHttpWire(addressFor(name), MODERN, FORMS));
});

/** Every id in a result, by the name of the input that it could be given as. */
const INPUTS: Readonly<Record<string, string>> = { next_cursor: "cursor", intent_id: "userref", orderId: "order_id" };
const ID = /^(orderId|userref|draft_id|intent_id|plan_id|payment_id|transfer_id|quote_id|remittance_id|next_cursor)$/;

function harvest(value: unknown, found: Map<string, Set<string>>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (ID.test(key) && typeof inner === "string" && inner !== "") {
      const input = INPUTS[key] ?? key;
      found.set(input, (found.get(input) ?? new Set()).add(inner));
    } else harvest(inner, found);
  }
}

/** Of the same form, and nobody's. */
function neverWas(id: string): string {
  return id.replace(/[0-9a-z]{4}$/, (end) => (end === "0123" ? "4567" : "0123"));
}

/** What an answer says, but for the time and the id that was asked for. */
function saidOf(answer: Answer, id: string): string {
  return JSON.stringify(answer)
    .replaceAll(id, "ID")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
}

const READS = TOOLS.map(({ name }) => name).filter((name) =>
  /^(get_(balances|open|order_h|trade_h|portf|desk|audit)|list_plans)/.test(name),
);
const MAKES = ["place_order", "preview_order", "refund_payment"];
const NEEDED: Readonly<Record<string, object>> = {
  replace_order: { price: "91000000" },
  await_order: { timeout_s: 1 },
  change_plan: { action: "cancel" },
  send_remittance: {
    beneficiary: PAYEE,
    originator_vasp_id: "VASP-KR-1",
    purpose_code: "FAMILY_SUPPORT",
  },
};

const alices = new Map<string, Set<string>>();

/** Which of alice's ids stand in it. */
function alicesIn(read: unknown): readonly string[] {
  const text = JSON.stringify(read);
  return [...alices].flatMap(([kind, ids]) => (kind === "cursor" ? [] : [...ids])).filter((id) => text.includes(id));
}

describe("what is one tenant's", () => {
  let seal = "";

  it("is there for itself", async () => {
    const done = [
      await call("alice", "place_order", { ...LIMIT, userref: "alice-open" }),
      await call("alice", "place_order", { ...MARKET, userref: "alice-1" }),
      await call("alice", "place_order", { ...MARKET, userref: "alice-2" }),
      await call("alice", "preview_order", { ...LIMIT, userref: "alice-draft" }),
      await call("alice", "quote_payment", { amount: "50000", pay_asset: "BTC", order_ref: "alice-pays" }),
    ];
    done.push(await call("alice", "create_plan", { kind: "alert", symbol: "BTC/KRW", above: "+50%" }));
    const remittance = { source_asset: "KRW", target_currency: "USD", amount: "200000", destination_country: "US" };
    done.push(await call("alice", "quote_remittance", remittance));
    const ids = (answer: Answer | undefined) => {
      const found = new Map<string, Set<string>>();
      harvest(answer, found);
      return (name: string) => [...(found.get(name) ?? [])][0] ?? "";
    };
    done.push(await call("alice", "confirm_payment", { payment_id: ids(done[4])("payment_id") }));
    const quote_id = ids(done[6])("quote_id");
    done.push(await call("alice", "send_remittance", { quote_id, ...NEEDED["send_remittance"] }));
    for (const tool of ["get_order_history", "get_trade_history"]) done.push(await call("alice", tool, { limit: 1 }));
    const asked = await rpc("alice", "tools/call", { name: "place_order", arguments: LARGE });
    seal = String(asked["requestState"]);
    done.push(oneLine(await hoga("pending", "--tenant", "alice")));
    for (const answer of done) harvest(answer, alices);
    const kinds = [
      "cursor",
      "draft_id",
      "order_id",
      "payment_id",
      "plan_id",
      "quote_id",
      "remittance_id",
      "transfer_id",
      "userref",
    ];
    expect([...alices.keys()].sort()).toEqual(kinds);
    expect(seal.length).toBeGreaterThan(20);
  });

  it("is in nothing that the other reads, or the operator", async () => {
    const { resources } = await rpc("bob", "resources/list", {});
    const uris = (resources as readonly { readonly uri: string }[]).map(({ uri }) => uri);
    expect(uris).toContain("hoga://audit/recent");
    const read: unknown[] = [];
    for (const uri of uris) read.push(await rpc("bob", "resources/read", { uri }));
    for (const tool of READS) read.push(await call("bob", tool, {}));
    for (const words of [["pending"], ["audit"], ["orders"], ["trades"]]) {
      read.push(oneLine(await hoga(...words)), oneLine(await hoga(...words, "--tenant", "bob")));
      expect(alicesIn(oneLine(await hoga(...words, "--tenant", "alice")))).not.toEqual([]);
    }
    expect(alicesIn(read)).toEqual([]);
  });

  it("is not found by the other, by any tool that takes an id", async () => {
    const tried = new Set<string>();
    for (const tool of [...TOOLS, ...TRANSFER_TOOLS]) {
      const inputs = Object.keys((tool.inputJson() as { properties?: object }).properties ?? {});
      // A new order may be called as another's is.
      const isNew = (input: string) => input === "userref" && MAKES.includes(tool.name);
      for (const input of inputs.filter((name) => alices.has(name) && !isNew(name))) {
        // The first that alice called so, and the last, which is ours.
        const ids = [...(alices.get(input) ?? [])];
        for (const id of new Set([ids[0] ?? "", ids.at(-1) ?? ""])) {
          const asked = (value: string) => call("bob", tool.name, { ...NEEDED[tool.name], [input]: value });
          const answer = saidOf(await asked(id), id);
          // A place in a list: of bob's own.
          if (input === "cursor") expect(alicesIn(answer)).toEqual([]);
          else expect(answer, `${tool.name} ${input}`).toBe(saidOf(await asked(neverWas(id)), neverWas(id)));
          tried.add(`${tool.name} ${input}`);
        }
      }
    }
    expect([...tried]).toMatchSnapshot();
    for (const id of alices.get("order_id") ?? []) {
      const resource = async (uri: string) => saidOf(await rpc("bob", "resources/read", { uri }), uri);
      expect(await resource(`hoga://orders/${id}`)).toBe(await resource(`hoga://orders/${neverWas(id)}`));
    }
    expect(await call("alice", "get_order", { userref: "alice-open" })).toMatchObject({ order: { state: "open" } });
  });

  it("is approved by nobody else: the seal of a question is worth nothing to another, and to another caller of the same", async () => {
    const yes = { name: "place_order", arguments: LARGE, requestState: seal, inputResponses: YES };
    for (const other of ["bob", "alices-bot"]) {
      const answer = (await rpc(other, "tools/call", yes))["structuredContent"];
      expect(answer).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Approval mismatch" } });
    }
    const [waiting] = oneLine<{ pending: { intent_id: string }[] }>(await hoga("pending", "--tenant", "alice")).pending;
    for (const words of [
      ["deny", waiting?.intent_id ?? ""],
      ["deny", "alice-waits", "--tenant", "bob"],
    ])
      expect(await hoga(...words)).toMatchObject({ code: 1 });
    expect((await rpc("alice", "tools/call", yes))["structuredContent"]).toMatchObject({ outcome: "accepted" });
  });
});

const POST = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const BEGIN = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };

/** What is answered to one of the era of sessions. */
async function legacy(name: string, session: string, init: RequestInit = {}, more: Record<string, string> = {}) {
  const headers = {
    ...POST,
    ...headersOf(name),
    "mcp-session-id": session,
    "mcp-protocol-version": "2025-11-25",
    ...more,
  };
  const answer = await fetch(address.url, { ...init, headers });
  const text = answer.headers.get("content-type") === "text/event-stream" && answer.ok ? "" : await answer.text();
  return { status: answer.status, text };
}

async function begun(name: string): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: BEGIN });
  const answer = await fetch(address.url, { method: "POST", headers: { ...POST, ...headersOf(name) }, body });
  await answer.text();
  return answer.headers.get("mcp-session-id") ?? "";
}

/** Reads a stream, which stays open, until it matches. */
async function seen(answer: Response, pattern: RegExp): Promise<string> {
  const reader = answer.body?.getReader();
  for (let text = ""; ; ) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done || value === undefined) throw new Error(`the stream ended: ${text}`);
    text += Buffer.from(value).toString();
    const [, found] = pattern.exec(text) ?? [];
    if (found !== undefined) return found;
  }
}

describe("a connection of one tenant", () => {
  const LIST = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });

  it("is no session to the other, whatever is asked of it", async () => {
    const [mine, theirs] = [await begun("alice"), await begun("bob")];
    const ofCall = await fetch(address.url, {
      method: "POST",
      headers: { ...POST, ...headersOf("alice"), "mcp-session-id": mine, "mcp-protocol-version": "2025-11-25" },
      body: LIST,
    });
    const place = await seen(ofCall, /id: (\S+)/);
    const never = "0b7e1f36-58f1-4d1f-9f13-3f0b1c5d2a11";
    for (const init of [{ method: "POST", body: LIST }, { method: "GET" }, { method: "DELETE" }]) {
      const answer = await legacy("bob", mine, init);
      expect(answer.status).toBe(404);
      expect(answer).toEqual(await legacy("bob", never, init));
    }
    const resumed = await legacy("bob", theirs, { method: "GET" }, { "last-event-id": place });
    expect(resumed.status).toBe(400);
    expect(await legacy("alice", mine, { method: "POST", body: LIST })).toMatchObject({ status: 200 });
  });

  it("belongs over the older transport to nobody else", async () => {
    const stream = await fetch(sseOf(address.url), { headers: headersOf("alice") });
    const path = await seen(stream, /data: (\/messages\S+)/);
    const post = async (name: string) => {
      const headers = { ...POST, ...headersOf(name) };
      return fetch(new URL(path, address.url), { method: "POST", headers, body: LIST });
    };
    expect((await post("bob")).status).toBe(404);
    expect((await post("alice")).status).toBe(202);
  });

  it("opens neither the figures nor the page, which are the operator's", async () => {
    for (const path of ["/metrics", "/", "/page-link"])
      expect((await fetch(new URL(path, address.url), { headers: headersOf("alice") })).status).toBe(403);
  });
});

describe("what one tenant may do", () => {
  it("is not changed by the other: policy, budgets and the kill switch are its own", async () => {
    const used = async (name: string) => JSON.stringify((await call(name, "get_desk_status", {}))["limits"] ?? "");
    const before = await used("bob");
    expect(before).not.toBe("");
    // Alice would have to ask a person.
    expect(await call("bob", "place_order", { ...LARGE, userref: "bob-1" })).toMatchObject({ outcome: "accepted" });
    const halted = oneLine(await hoga("halt", "--tenant", "alice"));
    expect(halted).toMatchObject({ outcome: "accepted", remaining: 0 });
    expect(halted).not.toHaveProperty("tenants");
    const denied = { outcome: "not_sent", error: { code: "ELocal:Trading halted" } };
    expect(await call("alice", "place_order", { ...LIMIT, userref: "alice-late" })).toMatchObject(denied);
    expect(await call("bob", "place_order", { ...LIMIT, userref: "bob-2" })).toMatchObject({ outcome: "accepted" });
    expect(oneLine(await hoga("halt"))).toMatchObject({ tenants: { alice: { remaining: 0 }, bob: { remaining: 0 } } });
    expect(await call("bob", "place_order", { ...LIMIT, userref: "bob-3" })).toMatchObject(denied);
  });
});
