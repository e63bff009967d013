/** What holds of orders and of transfers alike, as they go one way: how a person's yes counts, and what ends a question. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { failed, ok } from "../../../src/contract/index.ts";
import { unwrap } from "../../fixture/result.ts";
import {
  ASKING,
  FREELY,
  quoteRemittance,
  TRAVEL,
  type TransferSeat,
  transferWorldPerTest,
  world,
} from "../transfer/transfer-world.ts";

transferWorldPerTest();

let seat: TransferSeat;
let asked = 0;
/** What happens next while one is judged. */
let meanwhile: () => Promise<void> | void;

beforeEach(() => {
  world.policy.value = ok(ASKING);
  meanwhile = () => {};
  for (const journal of [world.store.journal, world.store.transfers]) {
    const usage = journal.usage as (...given: unknown[]) => Promise<unknown>;
    vi.spyOn(journal as { usage: typeof usage }, "usage").mockImplementation(async (...given) => {
      const act = meanwhile;
      meanwhile = () => {};
      await act();
      return usage.apply(journal, given);
    });
  }
  seat = world.seat();
});

interface Told {
  readonly outcome: string;
  readonly state?: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly next_action?: string;
  readonly warnings?: readonly string[];
}

/** What a test does with a kind, whatever it is called there. */
interface Kind {
  readonly name: string;
  /** The state of one that came to nothing. */
  readonly undone: string;
  /** Asks for another one each time, which then waits for a person if the policy asks one. */
  ask(withdrawn?: AbortSignal): Promise<Told & { readonly id: string }>;
  /** Right before its request is numbered. */
  atTheLast(act: () => void): void;
  digestOf(id: string): Promise<string>;
  approve(id: string, shown: string): Promise<Told>;
  deny(id: string): Promise<unknown>;
  /** Another question takes the place of the one that was read, under the same id. */
  askAnew(id: string): Promise<void>;
  stateOf(id: string): Promise<string | undefined>;
}

function atTheLast(journal: object, act: () => void): void {
  const spied = journal as { begin: (...given: unknown[]) => Promise<unknown> };
  const { begin } = spied;
  vi.spyOn(spied, "begin").mockImplementationOnce((...given) => {
    act();
    return begin.apply(journal, given);
  });
}

const ANOTHER = "f".repeat(64);

const ORDER: Kind = {
  name: "an order",
  undone: "not_placed",
  ask: async (withdrawn) => {
    asked += 1;
    const price = `${90_000_000 - asked * 1_000}`;
    const order = { symbol: "BTC/KRW", side: "buy", type: "limit", price, base_volume: "0.0001" } as const;
    const report = await seat.desk.place(order, undefined, { ...(withdrawn && { withdrawn }) });
    return { ...report, id: report.intent_id ?? "" };
  },
  digestOf: async (id) => (await unwrap(world.store.journal.byId(id)))?.body.approval?.digest ?? "",
  approve: (id, shown) => seat.desk.approve(id, "pin", shown),
  deny: (id) => seat.desk.deny(id),
  askAnew: async (id) => {
    const { body } = (await unwrap(world.store.journal.byId(id))) ?? {};
    if (body?.approval === undefined) throw new Error("nothing waits");
    const anew = { ...body, approval: { ...body.approval, digest: ANOTHER } };
    const change = { from: ["awaiting_approval"], to: "awaiting_approval", body: anew } as const;
    await unwrap(world.store.journal.advance(id, change, world.clock.skewMs + Date.now()));
  },
  atTheLast: (act) => atTheLast(world.store.journal, act),
  stateOf: async (id) => (await unwrap(world.store.journal.byId(id)))?.state,
};

const TRANSFER: Kind = {
  name: "a transfer",
  undone: "not_made",
  ask: async (withdrawn) => {
    asked += 1;
    // The exchange takes so many calls a second of one key.
    const quote = vi.waitFor(() => quoteRemittance(seat, `${10_000 + asked * 1_000}`), {
      timeout: 5_000,
      interval: 100,
    });
    const request = { kind: "send_remittance", quote_id: await quote, ...TRAVEL } as const;
    const report = await seat.transfers.make(request, undefined, { ...(withdrawn && { withdrawn }) });
    return { ...report, id: report.transfer_id ?? "" };
  },
  digestOf: async (id) => (await unwrap(world.store.transfers.byId(id)))?.body.approval?.digest ?? "",
  approve: (id, shown) => seat.transfers.approve(id, "pin", shown),
  deny: (id) => seat.transfers.deny(id),
  askAnew: async (id) => {
    const { body } = (await unwrap(world.store.transfers.byId(id))) ?? {};
    if (body?.approval === undefined) throw new Error("nothing waits");
    const anew = { ...body, approval: { ...body.approval, digest: ANOTHER } };
    const change = { from: ["awaiting_approval"], to: "awaiting_approval", body: anew } as const;
    await unwrap(world.store.transfers.advance(id, change, world.clock.skewMs + Date.now()));
  },
  atTheLast: (act) => atTheLast(world.store.transfers, act),
  stateOf: async (id) => (await unwrap(world.store.transfers.byId(id)))?.state,
};

describe.each([ORDER, TRANSFER])("the question about $name", (kind) => {
  const sent = () =>
    world.proxy.log.filter(({ method, path }) => method === "POST" && /(orders|remittances)$/.test(path)).length;

  it("is approved by the digest that the person has read, and by no other", async () => {
    const { id } = await kind.ask();
    const told = await kind.approve(id, ANOTHER);
    expect(told).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Approval mismatch" } });
    expect(await kind.stateOf(id)).toBe("awaiting_approval");
    expect(await kind.approve(id, await kind.digestOf(id))).toMatchObject({ outcome: "accepted" });
    expect(sent()).toBe(1);
  });

  it("takes no yes that was meant for the question before it, and goes on waiting", async () => {
    const { id } = await kind.ask();
    const shown = await kind.digestOf(id);
    meanwhile = () => kind.askAnew(id);
    expect(await kind.approve(id, shown)).toMatchObject({ outcome: "not_sent" });
    expect(await kind.stateOf(id)).toBe("awaiting_approval");
    expect(sent()).toBe(0);
  });

  it("lapses by a yes that comes too late and in a way that is not taken", async () => {
    const { id } = await kind.ask();
    const shown = await kind.digestOf(id);
    meanwhile = () => {
      world.clock.skewMs += 10 * 60_000;
    };
    world.policy.value = ok({ ...ASKING, approveBy: ["client"] });
    expect(await kind.approve(id, shown)).toMatchObject({ outcome: "not_sent", state: kind.undone });
    expect(await kind.stateOf(id)).toBe("lapsed");
    expect(sent()).toBe(0);
  });

  it("is looked for by its id, and what is unknown is said with where to look", async () => {
    const unknown = {
      code: "ELocal:Unknown order",
      message: `No ${kind.name.split(" ")[1]} with this id waits for approval.`,
    };
    const told = await kind.approve("none", "none");
    expect(told).toMatchObject({
      outcome: "not_sent",
      error: unknown,
      next_action: "List what waits with `hoga pending`.",
    });
    expect(await kind.deny("none")).toMatchObject(failed(expect.objectContaining(unknown)));
  });

  it("is one of thirty at most that wait at the same time", async () => {
    for (let count = 0; count < 30; count += 1) expect(await kind.ask()).toMatchObject({ state: "awaiting_approval" });
    const more = await kind.ask();
    expect(more).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Not approved" } });
    expect(more.error?.message).toMatch(/^30 .* wait for approval/);
    expect(sent()).toBe(0);
  });
});

describe.each([ORDER, TRANSFER])("the sending of $name", (kind) => {
  const sent = () =>
    world.proxy.log.filter(({ method, path }) => method === "POST" && /(orders|remittances)$/.test(path)).length;

  it("stops when its call is withdrawn right before its request is numbered", async () => {
    world.policy.value = ok(FREELY);
    const call = new AbortController();
    kind.atTheLast(() => call.abort());
    const told = await kind.ask(call.signal);
    expect(told).toMatchObject({ outcome: "not_sent", state: kind.undone, error: { code: "ELocal:Withdrawn" } });
    expect(await kind.stateOf(told.id)).toBe("lapsed");
    expect(sent()).toBe(0);
  });

  it("counts as sent when its call is withdrawn once its request has left", async () => {
    world.policy.value = ok(FREELY);
    const call = new AbortController();
    world.proxy.plan(/^POST .*(orders|remittances)$/, "lose_hang", 1);
    const asking = kind.ask(call.signal);
    await vi.waitFor(() => expect(sent()).toBe(1));
    call.abort();
    const told = await asking;
    expect(told.outcome).toBe("accepted");
    expect(told.warnings?.join()).toContain("was withdrawn after it had been sent");
    expect(sent()).toBe(1);
  });
});
