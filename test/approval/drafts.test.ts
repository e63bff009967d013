/** Payments and remittances as people and models use them: real clients over stdio and HTTP, the real program, the real exchange. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { oneLine } from "../fixture/command.ts";
import { cleanUp, PIN, run, runTerminal, setPin } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { allowDrafts, PAYEE, switchOnDrafts } from "../fixture/drafts-home.ts";
import { paperHome } from "../fixture/paper-home.ts";
import type { ToolResult } from "../story/story-client.ts";
import { type Asker, DISMISSED, type Kind, kinds, NO, type Person, type Question, type Reply, YES } from "./clients.ts";

// Many commands one after the other, as real programs too, on a machine that may be busy.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });
afterAll(cleanUp);

const NOBODY: Person = { answer: () => NO };
const TRAVEL = { beneficiary: PAYEE, originator_vasp_id: "VASP-KR-1", purpose_code: "FAMILY_SUPPORT" };
const ABROAD = { source_asset: "KRW", target_currency: "USD", amount: "200000", destination_country: "US" };

function kindOf(name: string): Kind {
  const kind = kinds().find((each) => each.name === name);
  if (kind === undefined) throw new Error(`no client ${name}`);
  return kind;
}

async function opened(home: string, name = "sdk 1.x over stdio", person: Person = NOBODY): Promise<Asker> {
  return kindOf(name).open(home, person);
}

interface Told {
  readonly outcome?: string;
  readonly state?: string;
  readonly transfer_id?: string;
  readonly next_action?: string;
  readonly policy?: string;
  readonly draft?: boolean;
  readonly payment?: { readonly payment_id: string; readonly refunded_amount: string };
  readonly quote?: { readonly quote_id: string };
  readonly remittance?: { readonly remittance_id: string; readonly beneficiary: typeof PAYEE };
  readonly error?: { readonly code: string; readonly rule?: string; readonly message: string };
}
const told = ({ structured }: ToolResult): Told => structured as Told;

let bills = 0;
async function quotePayment(client: Asker): Promise<string> {
  bills += 1;
  const quoted = await client.call("quote_payment", { amount: "50000", pay_asset: "BTC", order_ref: `cart-${bills}` });
  expect(quoted.text).toContain("Draft API. Quoted, nothing has moved");
  return told(quoted).payment?.payment_id ?? "";
}
async function quoteRemittance(client: Asker): Promise<string> {
  return told(await client.call("quote_remittance", ABROAD)).quote?.quote_id ?? "";
}

/** An exchange with coins in the paper account. */
async function home(mode: Parameters<typeof allowDrafts>[1]): Promise<string> {
  const made = await paperHome();
  switchOnDrafts(made);
  allowDrafts(made, "bounded");
  const order = '{"symbol":"BTC/KRW","side":"buy","type":"market","quote_amount":"500000"}';
  const bought = await run(["call", "--json", "place_order", order], { home: made });
  if (bought.code !== 0) throw new Error(bought.stderr + bought.stdout);
  allowDrafts(made, mode);
  return made;
}

describe.each(["client 2.x over stdio", "sdk 1.x over HTTP"])("the story of money, by %s", (name) => {
  it("a payment: quoted, paid, shown, given back; a remittance: quoted, sent, its states, and one taken back", async () => {
    const client = await opened(await home("bounded"), name);
    const payment_id = await quotePayment(client);
    const paid = await client.call("confirm_payment", { payment_id });
    expect(told(paid)).toMatchObject({ draft: true, outcome: "accepted", state: "paid", payment: { payment_id } });
    expect(paid.text).toMatch(/^\[sandbox\] Draft API\. Done \(paid\): ₩?50,000/);
    await vi.waitFor(async () => expect(told(await client.call("get_payment", { payment_id })).state).toBe("settled"), {
      timeout: 20_000,
      interval: 300,
    });
    const back = told(await client.call("refund_payment", { payment_id, amount: "20000" }));
    expect(back).toMatchObject({ outcome: "accepted", state: "partially_refunded" });
    const rest = told(await client.call("refund_payment", { payment_id }));
    expect(rest).toMatchObject({ outcome: "accepted", state: "refunded", payment: { refunded_amount: "50000" } });

    const sent = await client.call("send_remittance", { quote_id: await quoteRemittance(client), ...TRAVEL });
    expect(told(sent)).toMatchObject({ draft: true, outcome: "accepted", state: "created" });
    expect(JSON.stringify(sent)).toContain("…7890");
    expect(JSON.stringify(sent)).not.toContain(PAYEE.account);
    const remittance_id = told(sent).remittance?.remittance_id ?? "";
    await vi.waitFor(
      async () => expect(told(await client.call("get_remittance", { remittance_id })).state).toBe("completed"),
      { timeout: 30_000, interval: 500 },
    );
    const late = told(await client.call("cancel_remittance", { remittance_id }));
    expect(late).toMatchObject({ outcome: "rejected", state: "rejected" });
    const again = { ...ABROAD, amount: "100000" };
    const quote_id = told(await client.call("quote_remittance", again)).quote?.quote_id ?? "";
    const other = told(await client.call("send_remittance", { quote_id, ...TRAVEL })).remittance?.remittance_id;
    const canceled = await client.call("cancel_remittance", { remittance_id: other });
    expect(told(canceled)).toMatchObject({ outcome: "accepted", state: "canceled" });
    expect(canceled.isError).toBe(false);
    await client.close();
  });
});

describe("a policy that does not speak of it", () => {
  it("lets nothing be paid or sent on the sandbox either, and says what a person would write", async () => {
    const client = await opened(await home("none"));
    const payment = await client.call("confirm_payment", { payment_id: await quotePayment(client) });
    expect(payment.isError).toBe(true);
    expect(told(payment)).toMatchObject({ outcome: "not_sent", state: "denied", error: { rule: "section" } });
    expect(payment.text).toContain("[payments]");
    const quoted = told(await client.call("quote_remittance", ABROAD));
    expect(quoted.policy).toBe("denied");
    const sent = await client.call("send_remittance", { quote_id: quoted.quote?.quote_id, ...TRAVEL });
    expect(told(sent)).toMatchObject({ outcome: "not_sent", state: "denied", error: { rule: "section" } });
    await client.close();
  });
});

describe("a remittance without what the travel rule asks for", () => {
  it("names what is missing and the next step, and sends nothing", async () => {
    const client = await opened(await home("bounded"));
    const quote_id = await quoteRemittance(client);
    const { beneficiary } = TRAVEL;
    const lacking = { quote_id, beneficiary: { ...beneficiary, bank_code: undefined }, purpose_code: "GIFT" };
    const refused = await client.call("send_remittance", lacking);
    expect(told(refused)).toMatchObject({
      outcome: "not_sent",
      state: "denied",
      error: { code: "ECompliance:Missing travel-rule metadata" },
    });
    expect(refused.text).toContain("beneficiary.bank_code, originator_vasp_id");
    expect(refused.text).toContain("Ask the user");
    await client.close();
  });
});

describe("mode confirm", () => {
  let place: { readonly home: string };
  beforeAll(async () => {
    place = { home: await home("confirm") };
    await setPin(place.home);
  });

  it("gives a model without a person nothing, by repeating the call, by a made-up yes, or by another tool", async () => {
    const client = await opened(place.home);
    const payment_id = await quotePayment(client);
    const first = told(await client.call("confirm_payment", { payment_id }));
    expect(first).toMatchObject({ outcome: "not_sent", state: "awaiting_approval" });
    expect(first.next_action).toContain(` approve ${first.transfer_id} `);
    for (const more of [{}, { approved: true }, { pin: PIN }, { requestState: "yes" }]) {
      const tried = told(await client.call("confirm_payment", { payment_id, ...more }));
      expect(tried).toMatchObject({ outcome: "not_sent" });
    }
    expect(told(await client.call("get_payment", { payment_id }))).toMatchObject({ state: "quoted" });
    const piped = await run(["approve", first.transfer_id ?? ""], place);
    expect(piped.code).toBe(3);
    const sent = told(await client.call("send_remittance", { quote_id: await quoteRemittance(client), ...TRAVEL }));
    expect(sent).toMatchObject({ outcome: "not_sent", state: "awaiting_approval" });
    await run(["deny", first.transfer_id ?? ""], place);
    await run(["deny", sent.transfer_id ?? ""], place);
    await client.close();
  });

  it("asks the person at a client that can show a form, with every field, and does it once on a yes", async () => {
    const asked: Question[] = [];
    const person = (answer: Reply): Person => ({
      elicitation: { form: {} },
      answer: (question) => {
        asked.push(question);
        return answer;
      },
    });
    const yes = await opened(place.home, "client 2.x over stdio", person(YES));
    const paid = await yes.call("confirm_payment", { payment_id: await quotePayment(yes) });
    expect(told(paid)).toMatchObject({ outcome: "accepted", state: "paid" });
    const sent = await yes.call("send_remittance", { quote_id: await quoteRemittance(yes), ...TRAVEL });
    expect(told(sent)).toMatchObject({ outcome: "accepted", state: "created" });
    const words = asked.map(({ message }) => message).join("\n");
    expect(words).toContain("The quote is for money to US.");
    expect(words).toContain("Draft API.");
    expect(words).toContain("Pay ₩50,000 with ");
    for (const field of [PAYEE.account, PAYEE.name, PAYEE.bank_code, "VASP-KR-1", "FAMILY_SUPPORT", "₩200,000"])
      expect(words).toContain(field);
    await yes.close();
    const no = await opened(place.home, "sdk 1.x over stdio", person(NO));
    const declined = await no.call("confirm_payment", { payment_id: await quotePayment(no) });
    expect(told(declined)).toMatchObject({
      outcome: "not_sent",
      state: "denied",
      error: { code: "ELocal:Not approved" },
    });
    expect(declined.text).toContain("Withdrawn by a person's no: nothing was sent.");
    await no.close();
    const closing = await opened(place.home, "sdk 1.x over stdio", person(DISMISSED));
    const dismissed = await closing.call("confirm_payment", { payment_id: await quotePayment(closing) });
    expect(told(dismissed)).toMatchObject({ outcome: "not_sent", state: "awaiting_approval" });
    expect(dismissed.text).toContain("The form was dismissed without an answer");
    const id = told(dismissed).transfer_id ?? "";
    expect(dismissed.text).toContain(` deny ${id} --profile `);
    const halted = await closing.call("halt_trading", {});
    expect(halted.structured).toMatchObject({ withdrawn: [{ id, userref: null }] });
    expect(halted.text).toContain("1 withdrawn that waited for a person.");
    expect((await run(["pending"], place)).stdout).toBe("[sandbox] No order waits for approval.\n");
    expect((await runTerminal(["resume"], place, [["PIN: ", PIN]])).code).toBe(0);
    await closing.close();
  });

  it("is listed, approved with the PIN, denied and logged on a terminal in plain words", async () => {
    const client = await opened(place.home);
    const waiting = told(await client.call("confirm_payment", { payment_id: await quotePayment(client) }));
    const id = waiting.transfer_id ?? "";
    const listed = await run(["pending"], place);
    expect(listed.stdout).toContain(id);
    expect(listed.stdout).toContain("pay ₩50,000 with");
    expect(oneLine(await run(["pending", "--json"], place))).toMatchObject({ transfers: [{ transfer_id: id }] });
    const approved = await runTerminal(["approve", id], place, [["PIN: ", PIN]]);
    expect(approved.screen).toContain("Approve this of account");
    expect(approved.screen).toContain("Done (paid)");
    expect(approved.code).toBe(0);
    expect(told(await client.call("get_payment", { transfer_id: id }))).toMatchObject({ state: "paid" });
    const next = told(await client.call("send_remittance", { quote_id: await quoteRemittance(client), ...TRAVEL }));
    const denied = await run(["deny", next.transfer_id ?? ""], place);
    expect(denied).toMatchObject({ code: 0 });
    expect(denied.stdout).toContain("Nothing was sent");
    const log = await run(["audit"], place);
    expect(log.stdout).toContain("transfer_moved");
    expect(log.stdout).toContain("send ₩200,000, of which");
    expect(log.stdout).not.toContain(PAYEE.account);
    expect(await run(["audit", "verify"], place)).toMatchObject({ code: 0 });
    await client.close();
  });
});

describe("where the transfer APIs are not switched on", () => {
  it("there are no such tools, and the command line says which module to name", async () => {
    const plain = { home: freshHome() };
    const refused = await run(["call", "confirm_payment", "--payment_id", "x"], plain);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('Add "payment" to the setting modules');
  });
});
