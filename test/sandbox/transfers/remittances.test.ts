import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { remittance, remittanceList, remittanceQuote } from "../../../src/contract/index.ts";
import { ACCOUNT_REJECTED, ACCOUNT_RETURNED } from "../../../src/sandbox/model/index.ts";
import { openTransferVenue, refusalOf, type TransferVenue } from "./transfer-venue.ts";

let venue: TransferVenue;
beforeAll(async () => {
  venue = await openTransferVenue();
});
afterAll(async () => {
  expect(venue.defects).toEqual([]);
  await venue.sandbox.close();
});

const REMITTANCES = "/v0.1/remittances";
const QUOTES = `${REMITTANCES}/quotes`;
const asked = { source_asset: "KRW", target_currency: "USD", amount: "138000", destination_country: "US" };
const beneficiary = { name: "Kim Minji", account: "123-456", bank_code: "BOFAUS3N", country: "US" };
const sending = (quoteId: string, fields: object = {}) => ({
  ...{ quote_id: quoteId, beneficiary, originator_vasp_id: "VASP-KR-1", purpose_code: "FAMILY", ...fields },
});

async function quoteId(fields: object = {}): Promise<string> {
  const { status, json, text } = await venue.post(QUOTES, { ...asked, ...fields });
  if (status !== 201) throw new Error(text);
  return json.quote_id as string;
}

async function created(account: string): Promise<string> {
  const { status, json, text } = await venue.post(
    REMITTANCES,
    sending(await quoteId(), { beneficiary: { ...beneficiary, account } }),
  );
  if (status !== 201) throw new Error(text);
  return json.remittance_id as string;
}

const stateOf = async (id: string) => (await venue.paper.get(`${REMITTANCES}/${id}`)).json.state as string;

describe("a remittance", () => {
  it("is quoted by the amount sent or the amount that arrives; a quote can be read while it is valid", async () => {
    const { status, json } = await venue.post(QUOTES, asked);
    expect(status).toBe(201);
    expect(remittanceQuote.strict().parse(json)).toEqual(json);
    expect(json).toMatchObject({ draft: true, state: "quoted", source_amount: "138000", target_amount: "100" });
    expect((await venue.paper.get(`${QUOTES}/${json.quote_id as string}`)).json).toEqual(json);
    const { amount: _, ...open } = asked;
    expect((await venue.post(QUOTES, { ...open, target_amount: "100" })).json.source_amount).toBe("138000");
    venue.passTime(60_000);
    const gone = await venue.paper.get(`${QUOTES}/${json.quote_id as string}`);
    expect(refusalOf(gone)).toEqual([404, "ETransfer:Unknown transfer", "id", undefined]);
    expect(refusalOf(await venue.post(REMITTANCES, sending(json.quote_id as string)))).toEqual([
      409,
      "ETransfer:Quote not usable",
      "quote_id",
      undefined,
    ]);
  });

  it("locks its amount, is reviewed, sent and completed, and cannot be canceled once sent", async () => {
    const [before] = venue.balance("KRW");
    const id = await quoteId();
    const made = await venue.post(REMITTANCES, sending(id, { beneficiary_vasp_id: "VASP-US-9" }));
    expect(made.status).toBe(201);
    expect(remittance.strict().parse(made.json)).toEqual(made.json);
    expect(made.json).toMatchObject({ state: "created", quote_id: id, beneficiary, target_amount: "100" });
    expect(venue.balance("KRW")).toEqual(["9862000", "138000"]);
    const remittanceId = made.json.remittance_id as string;
    const states = [];
    for (const ms of [1_000, 2_000, 3_000]) {
      venue.passTime(ms);
      states.push(await stateOf(remittanceId));
    }
    expect(states).toEqual(["compliance_review", "sent", "completed"]);
    expect(venue.balance("KRW")).toEqual(["9862000", "0"]);
    expect(before).toBe("10000000");
    expect(refusalOf(await venue.post(`${REMITTANCES}/${remittanceId}/cancel`))).toEqual([
      409,
      "ETransfer:Wrong state",
      "id",
      "completed",
    ]);
  });

  it.each([
    ["rejected by the review", ACCOUNT_REJECTED, "rejected"],
    ["returned by the receiving bank", ACCOUNT_RETURNED, "returned"],
  ])("returns the whole amount when it is %s", async (_, account, end) => {
    const before = venue.balance("KRW");
    const id = await created(account);
    for (const ms of [1_000, 2_000, 3_000]) venue.passTime(ms);
    expect(await stateOf(id)).toBe(end);
    expect(venue.balance("KRW")).toEqual(before);
  });

  it("is canceled before it is sent", async () => {
    const before = venue.balance("KRW");
    const id = await created("99");
    venue.passTime(1_000);
    expect((await venue.post(`${REMITTANCES}/${id}/cancel`)).json.state).toBe("canceled");
    expect(venue.balance("KRW")).toEqual(before);
  });

  it("when it has no travel-rule data, is refused with the missing fields, and no money moves", async () => {
    const before = venue.balance("KRW");
    const id = await quoteId();
    const all =
      "beneficiary.name, beneficiary.account, beneficiary.bank_code, beneficiary.country, originator_vasp_id, purpose_code";
    const missing = (names: string) => `ECompliance:Missing travel-rule metadata: ${names}`;
    expect(refusalOf(await venue.post(REMITTANCES, { quote_id: id }))).toEqual([
      422,
      missing(all),
      "beneficiary",
      undefined,
    ]);
    const { name: _, ...nameless } = beneficiary;
    const partly = sending(id, { beneficiary: nameless, purpose_code: undefined });
    expect(refusalOf(await venue.post(REMITTANCES, partly))).toEqual([
      422,
      missing("beneficiary.name, purpose_code"),
      "beneficiary",
      undefined,
    ]);
    // Only when nothing else is wrong.
    expect(refusalOf(await venue.post(REMITTANCES, { ...partly, quote_id: "1" }))[1]).toBe(
      "EGeneral:Invalid arguments:quote_id",
    );
    expect(venue.balance("KRW")).toEqual(before);
    expect((await venue.post(REMITTANCES, sending(id))).status).toBe(201);
  });

  it.each([
    ["amount", { ...asked, target_amount: "100" }],
    ["amount", { ...asked, amount: undefined }],
    ["target_currency", { ...asked, target_currency: "XXX" }],
    ["destination_country", { ...asked, destination_country: "JP" }],
    ["amount", { ...asked, amount: "138000.5" }],
    ["sourceAsset", { ...asked, sourceAsset: "KRW" }],
  ])("is not quoted with a wrong %s: %j", async (field, body) => {
    expect(refusalOf(await venue.post(QUOTES, body))).toEqual([
      400,
      `EGeneral:Invalid arguments:${field}`,
      field,
      undefined,
    ]);
  });

  it.each([
    ["beneficiary.country", { beneficiary: { ...beneficiary, country: "JP" } }],
    ["beneficiary.account", { beneficiary: { ...beneficiary, account: "1 2" } }],
    ["beneficiary.iban", { beneficiary: { ...beneficiary, iban: "1" } }],
  ])("is not created with a wrong %s", async (field, fields) => {
    const reply = await venue.post(REMITTANCES, sending(await quoteId(), fields));
    expect(refusalOf(reply).slice(0, 3)).toEqual([400, `EGeneral:Invalid arguments:${field}`, field]);
  });

  it("is visible to its account only, and limited to what the account has", async () => {
    const id = await created("7");
    expect(refusalOf(await venue.maker.get(`${REMITTANCES}/${id}`))[0]).toBe(404);
    const big = await quoteId({ amount: "90000000" });
    expect(refusalOf(await venue.post(REMITTANCES, sending(big)))[1]).toBe("EOrder:Insufficient funds");
  });
});

describe("remittances", () => {
  it("are listed newest first, by state, page by page", async () => {
    const all = (await venue.paper.get(`${REMITTANCES}?limit=500`)).json;
    expect(remittanceList.strict().parse(all)).toEqual(all);
    const ids = all.remittances.map(({ remittance_id: id }: { remittance_id: string }) => id) as string[];
    expect(ids).toEqual([...ids].sort().reverse());
    const first = (await venue.paper.get(`${REMITTANCES}?limit=2`)).json;
    const next = (await venue.paper.get(`${REMITTANCES}?limit=500&cursor=${first.next_cursor as string}`)).json;
    expect([...first.remittances, ...next.remittances]).toEqual(all.remittances);
    const rejected = (await venue.paper.get(`${REMITTANCES}?state=rejected`)).json.remittances;
    expect(rejected).toMatchObject([{ state: "rejected" }]);
  });
});
