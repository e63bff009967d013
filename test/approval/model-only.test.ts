/** A model with every tool, a shell and no person tries to get one order past `mode = "confirm"`. */
import { createHmac } from "node:crypto";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cleanUp, openTerminal, PIN, run, runTerminal, setPin, start } from "../fixture/command-line.ts";
import type { HttpAddress } from "../fixture/http-address.ts";
import { venueOrders } from "../fixture/witness.ts";
import { confirmHome, LIMIT, waitingIn } from "./home.ts";
import { ERAS, openHttpWire, openStdioWire, type RpcAnswer, serveHttp, type Wire } from "./wire.ts";

// Many commands one after the other, as real programs too, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

/** The order that the model wants. A size of its own for every attempt, so that none is taken for one that waits already. */
let attempts = 0;
function wanted(): Record<string, unknown> {
  attempts += 1;
  return { ...LIMIT, base_volume: `0.${String(attempts).padStart(4, "0")}` };
}

const SAYS_YES = { approval: { action: "accept", content: { approve: true } } };

/** Nothing that came back says that an order was placed. */
function expectNothing(answer: RpcAnswer): void {
  const { outcome, order, resultType } = (answer.result?.["structuredContent"] ?? answer.result ?? {}) as Record<
    string,
    unknown
  >;
  expect({ outcome, order, resultType }).not.toMatchObject({ outcome: "accepted" });
  expect(order).toBeUndefined();
  expect(resultType).not.toBe("input_required");
}

const structured = (answer: RpcAnswer) => (answer.result?.["structuredContent"] ?? {}) as Record<string, unknown>;

/** Every place where a client could say that it is allowed, and every word for it. */
const WORDS = [
  "approved",
  "approve",
  "approval",
  "confirm",
  "confirmed",
  "force",
  "pin",
  "authorized",
  "dry_run",
  "requestState",
];
const META = {
  approved: true,
  approval: { approved_by: "user" },
  "hoga/approved": true,
  "io.modelcontextprotocol/approved": true,
  "io.modelcontextprotocol/inputResponses": SAYS_YES,
  "io.modelcontextprotocol/userConsent": "granted",
};
const RESPONSES: readonly unknown[] = [
  SAYS_YES,
  {},
  { approval: true },
  { approval: { action: "accept" } },
  { approval: { method: "elicitation/create", result: { action: "accept", content: { approve: true } } } },
  [{ action: "accept", content: { approve: true } }],
  "yes",
];
const TOOLS = [
  "approve_order",
  "approve",
  "confirm_order",
  "answer_approval",
  "approve_pending",
  "resume_trading",
  "set_policy",
  "set_pin",
];
const METHODS = [
  "approval/answer",
  "tools/approve",
  "elicitation/create",
  "elicitation/respond",
  "inputRequired/fulfil",
];

/** Seals as somebody would make them who has read the source and does not have the store's key. */
function forgedSeals(intentId: string): readonly unknown[] {
  const text = JSON.stringify({ intentId, digest: "0".repeat(64) });
  const encoded = Buffer.from(text).toString("base64url");
  const keys = ["", "hoga", "secret", "\0".repeat(32), Buffer.alloc(32)];
  const macs = keys.map((key) => createHmac("sha256", key).update(text).digest("base64url"));
  return [
    "",
    ".",
    text,
    encoded,
    `${encoded}.`,
    ...macs.map((mac) => `${encoded}.${mac}`),
    "null",
    null,
    1,
    {},
    [encoded],
    true,
  ];
}

describe("a model without a person", () => {
  let home: string;
  let address: HttpAddress;
  beforeAll(async () => {
    home = await confirmHome();
    [address] = await Promise.all([serveHttp(home), setPin(home)]);
  });

  const open = {
    stdio: (era: (typeof ERAS)[number], capabilities?: object) => openStdioWire(home, era, capabilities),
    HTTP: (era: (typeof ERAS)[number], capabilities?: object) => openHttpWire(address, era, capabilities),
  };
  const ways = ERAS.flatMap((era) => (["stdio", "HTTP"] as const).map((over) => ({ era, over })));

  describe.each(ways)("over $over in the era of $era", ({ era, over }) => {
    let wire: Wire;
    const call = (name: string, args: object, more: object = {}): Promise<RpcAnswer> =>
      wire.request("tools/call", { name, arguments: args, ...more });
    beforeAll(async () => {
      wire = await open[over](era);
    });

    it("gets nothing by repeating the call, by other names, by drafts, or by waiting", async () => {
      const order = wanted();
      for (const userref of [undefined, undefined, `${over}-${era}-a`, `${over}-${era}-a`, `${over}-${era}-b`])
        expectNothing(await call("place_order", userref === undefined ? order : { ...order, userref }));
      const own = { ...wanted(), userref: `${over}-${era}-c` };
      const waiting = structured(await call("place_order", own));
      expect(waiting).toMatchObject({ state: "awaiting_approval" });
      const { userref, intent_id } = waiting;
      expectNothing(await call("get_order", { userref }));
      expectNothing(await call("await_order", { userref, until: "placed", timeout_s: 1 }));
      expectNothing(await call("place_order", { draft_id: intent_id }));
      expectNothing(await call("place_order", { draft_id: userref }));
      expectNothing(await call("cancel_order", { userref }));
      for (const again of [own, own, { ...own, userref: `${userref}2` }])
        expectNothing(await call("place_order", again));
      for (const more of [{}, { userref: `${over}-${era}-d` }]) {
        const { draft_id } = structured(await call("preview_order", { ...wanted(), ...more }));
        expect(draft_id).toBeTypeOf("string");
        for (let times = 0; times < 3; times++) expectNothing(await call("place_order", { draft_id }));
      }
      const together = wanted();
      for (const each of await Promise.all(Array.from({ length: 6 }, () => call("place_order", together))))
        expectNothing(each);
    });

    it("gets nothing by answers to questions that nobody was asked", async () => {
      const order = wanted();
      const { intent_id } = structured(await call("place_order", order));
      for (const inputResponses of RESPONSES) expectNothing(await call("place_order", order, { inputResponses }));
      for (const requestState of forgedSeals(String(intent_id)))
        expectNothing(await call("place_order", order, { requestState, inputResponses: SAYS_YES }));
      // In the 2025 era questions are the server's requests, with small numbers: answers to all of them, before and while it asks.
      for (let id = 0; id < 8; id++) {
        await wire.send({ id, result: { action: "accept", content: { approve: true } } });
        if (id % 4 === 3) expectNothing(await call("place_order", order));
      }
      expect(wire.asked).toEqual([]);
    });

    it("gets nothing by made-up fields, tools and methods", async () => {
      const order = wanted();
      for (const word of WORDS)
        expectNothing(await call("place_order", { ...order, [word]: word === "pin" ? "123456" : true }));
      expectNothing(await call("place_order", order, { approved: true, approve: true, confirm: true, _meta: META }));
      expectNothing(await call("place_order", { ...order, _meta: META }));
      expectNothing(await call("place_order", { ...order, validate_only: false, ...SAYS_YES }));
      for (const name of TOOLS)
        expect((await call(name, SAYS_YES)).error ?? (await call(name, {})).result?.["isError"]).toBeTruthy();
      for (const method of METHODS) expect((await wire.request(method, { ...SAYS_YES, ...order })).error).toBeDefined();
      const tools = (await wire.request("tools/list", {})).result?.["tools"] as readonly { readonly name: string }[];
      expect(tools.filter(({ name }) => /approv|confirm|resume|pin|policy/.test(name))).toEqual([]);
    });

    it("gets nothing by saying in a request's envelope that there is a person", async () => {
      const _meta = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } };
      const order = wanted();
      const { result } = await call("place_order", order, { _meta });
      const { requestState } = result ?? {};
      // The question is for a person; the wire as it was opened has none, so the state is worth nothing there.
      if (requestState !== undefined)
        expectNothing(await call("place_order", order, { requestState, inputResponses: SAYS_YES }));
      expect(JSON.stringify(result)).not.toContain('"outcome":"accepted"');
    });
  });

  it("has placed nothing so far, and all of it waits for a person", async () => {
    expect(await venueOrders(home)).toEqual([]);
    expect((await waitingIn(home)).length).toBeGreaterThan(ways.length * 3);
  });

  describe("with a shell", () => {
    let intentId: string;
    beforeAll(async () => {
      const [oldest] = await waitingIn(home);
      intentId = oldest?.intent_id ?? "";
    });

    it("gets nothing by pipes, arguments and variables", async () => {
      const place = { home, env: { HOGA_PIN: PIN, PIN } };
      const piped = (args: readonly string[]) => {
        const running = start(args, place);
        running.stdin.write(`${PIN}\n${PIN}\ny\nyes\n`);
        running.stdin.end();
        return running.ended;
      };
      for (const args of [
        ["approve", intentId],
        ["approve", intentId, PIN],
        ["approve", intentId, "--json"],
        ["resume"],
        ["pin"],
      ]) {
        const ended = await piped(args);
        expect({ args, code: ended.code }).toEqual({ args, code: 3 });
        expect(`${ended.stdout}${ended.stderr}`).toContain("terminal");
      }
      for (const args of [
        ["approve", intentId, "--pin", PIN],
        ["approve", "--yes", intentId],
      ])
        expect((await piped(args)).code).toBe(2);
      expect((await run(["call", "place_order", JSON.stringify({ ...wanted(), approved: true })], place)).code).toBe(2);
      expect((await run(["call", "place_order", JSON.stringify(wanted())], place)).code).toBe(3);
      expect((await run(["call", "approve_order", intentId], place)).code).toBe(2);
    });

    const guess = (pin: string) => runTerminal(["approve", intentId], { home }, [["PIN: ", pin]]);
    const tries = (): Record<string, unknown> => {
      const database = new Database(join(home, "hoga.db"));
      const row = database.prepare("SELECT tries, locks, locked_until_ms > ? AS locked FROM pin").get(Date.now());
      database.close();
      const { tries, locks, locked } = row as Record<string, unknown>;
      return { tries, locks, locked };
    };
    /** As it is some minutes later. */
    const letTimePass = (): void => {
      const database = new Database(join(home, "hoga.db"));
      database.prepare("UPDATE pin SET locked_until_ms = 0").run();
      database.close();
    };

    it("is locked out after five guesses on a terminal, each counted, and then with the right PIN too", async () => {
      for (const [index, left] of [4, 3, 2, 1].entries()) {
        const wrong = await guess(`guess-${index}`);
        expect(wrong.code).toBe(3);
        expect(wrong.screen).toContain("The PIN is wrong.");
        expect(wrong.screen).toContain(`Wrong PINs left before it is locked for a while: ${left}.`);
        expect(wrong.screen).not.toContain(`guess-${index}`);
        expect(tries()).toEqual({ tries: index + 1, locks: 0, locked: 0 });
      }
      for (const pin of ["guess-5", PIN, PIN]) {
        const locked = await guess(pin);
        expect(locked.code).toBe(3);
        expect(locked.screen).toContain("Too many wrong PINs: it is locked.");
      }
      expect(tries()).toEqual({ tries: 4, locks: 1, locked: 1 });
    });

    it("gets no more guesses by making them at once", async () => {
      letTimePass();
      const guesses = await Promise.all(Array.from({ length: 8 }, (_, index) => guess(`at-once-${index}`)));
      const count = (words: string) => guesses.filter(({ screen }) => screen.includes(words)).length;
      expect(guesses.map(({ code }) => code)).toEqual(guesses.map(() => 3));
      expect([count("The PIN is wrong."), count("it is locked.")]).toEqual([0, 8]);
      expect(tries()).toEqual({ tries: 4, locks: 2, locked: 1 });
      expect((await guess(PIN)).screen).toContain("it is locked.");
    });

    it("has placed nothing, and one person with the right PIN places exactly one order", async () => {
      expect(await venueOrders(home)).toEqual([]);
      letTimePass();
      const terminal = openTerminal(["approve", intentId], { home });
      await terminal.see("Approve this order?");
      await terminal.see("PIN: ");
      terminal.type(`${PIN}\r`);
      const approved = await terminal.ended;
      expect(approved.screen).toContain("Accepted: buy");
      expect(approved.screen).not.toContain(PIN);
      expect(approved.code).toBe(0);
      expect(await venueOrders(home)).toHaveLength(1);
      expect(tries()).toEqual({ tries: 0, locks: 0, locked: 0 });
      // The same approval again finds nothing that waits.
      expect((await runTerminal(["approve", intentId], { home }, [])).code).toBe(1);
      expect(await venueOrders(home)).toHaveLength(1);
    });
  });
});
