/** What the view of a plan is given beside the result: the very question that a person is asked, in both languages, and nothing that a yes could be made of. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer, planQuestionText } from "../../src/mcp/index.ts";
import type { PlanCard, PlanSheet } from "../../src/mcp/person/view-data.ts";
import { type Locale, wordsFor } from "../../src/words/index.ts";
import { openWorld, type World } from "../fixture/desk-over-sandbox.ts";
import { changeablePolicy, LOOSE } from "../fixture/policy.ts";
import { connect, ERAS, type TestClient } from "./client.ts";

const SHOWS_VIEWS = {
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
};
const READER = { locale: "ko", timeZone: "Asia/Seoul" } as const;
const POLICY = {
  ...LOOSE,
  approveBy: ["client", "pin"] as const,
  plans: { ...LOOSE.plans, approve: "always", stopRemoval: "ask" } as const,
};
const STOP = { kind: "stop", symbol: "BTC/KRW", stop_price: "-10%" };

interface Whole {
  readonly content: unknown;
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

let world: World;
let desk: Desk;
beforeAll(async () => {
  world = await openWorld();
  world.rest("buy", "100000000", "1");
  world.rest("sell", "101000000", "1");
  ({ desk } = await world.seat({ patient: true, plans: (book) => book, policy: changeablePolicy(POLICY) }));
});
afterAll(() => world.close());

/** No two are alike, as the second would be taken for the first. */
let stops = 0;
const another = () => {
  stops += 1;
  return { ...STOP, base_volume: `0.01${stops}1` };
};

const kept = () => {
  if (desk.plans === undefined) throw new Error("the desk keeps no plans");
  return desk.plans;
};

async function waiting(id: string) {
  const pending = await kept().pending();
  const found = pending.ok ? pending.value.find(({ asked }) => asked.id === id) : undefined;
  if (found === undefined) throw new Error(`nothing waits of ${id}`);
  return found;
}

const oursOf = ({ _meta = {} }: Whole) =>
  Object.fromEntries(Object.entries(_meta).filter(([name]) => name.startsWith("hoga/")));

function sheetOf(result: Whole): PlanSheet {
  const sheet = result._meta?.["hoga/plan"] as PlanSheet | undefined;
  if (sheet === undefined) throw new Error(`no sheet: ${JSON.stringify(result)}`);
  return sheet;
}

const idOf = (result: Whole): string => {
  const { planId } = sheetOf(result);
  if (planId === null) throw new Error("no plan was recorded");
  return planId;
};

const questionIn = ({ lines }: PlanCard) => lines.join("\n");

describe.each(ERAS)("the view of a plan, for a client of %s,", (era) => {
  let client: TestClient;
  const opened = (capabilities?: object) =>
    connect(era, createMcpServer({ desk, reader: READER, version: "0.0.0" }), capabilities);
  const call = async (name: string, args: object, meta?: object, by = client): Promise<Whole> =>
    (await by.raw.callTool({
      name,
      arguments: { ...args },
      ...(meta && { _meta: { ...meta } }),
    } as Parameters<TestClient["raw"]["callTool"]>[0])) as unknown as Whole;
  beforeAll(async () => {
    client = await opened(SHOWS_VIEWS);
  });
  afterAll(() => client.close());

  it("has the question of a new plan in both languages, line by line as the console puts it", async () => {
    const made = await call("create_plan", another());
    const sheet = sheetOf(made);
    const { approval, account } = made.structuredContent as { account: string; approval: { text: string } };
    const pending = await waiting(idOf(made));
    for (const locale of ["en", "ko"] satisfies Locale[]) {
      const words = wordsFor({ locale, timeZone: READER.timeZone });
      expect(questionIn(sheet[locale])).toBe(planQuestionText(desk, account, pending, words));
    }
    expect(sheet.en.lines[0]).toBe(approval.text.split("\n")[0]);
    expect(sheet).toMatchObject({
      ...{ symbol: "BTC/KRW", isAsked: true },
      en: { kind: "stop", state: "waits for a person" },
      ko: { kind: "손절", state: "승인 대기" },
    });
    expect(sheet.en.figures.map(([name]) => name)).toEqual(["Worst case", "Set aside of the day's limit", "Ends"]);
    expect(sheet.ko.figures).toEqual([
      ["최악의 경우", expect.stringContaining("0.01")],
      ["하루 한도에서 미리 잡아 둔 금액", expect.stringContaining("0")],
      ["종료", expect.stringMatching(/ UTC\+9$/)],
    ]);
  });

  it("is of no other tool and no other client, and a list has none", async () => {
    const plain = await opened();
    const made = await call("create_plan", another(), undefined, plain);
    const { plan_id } = made.structuredContent["plan"] as { plan_id: string };
    expect(oursOf(made)).toEqual({});
    expect(oursOf(await call("list_plans", { plan_id }, undefined, plain))).toEqual({});
    expect(oursOf(await call("list_plans", {}))).toEqual({});
    expect(idOf(await call("list_plans", { plan_id }))).toBe(plan_id);
    await plain.close();
  });

  it("makes no yes of anything that it was given", async () => {
    const terms = another();
    const made = await call("create_plan", terms);
    const id = idOf(made);
    const { digest } = await waiting(id);
    expect(Object.keys(oursOf(made)).sort()).toEqual(["hoga/plan", "hoga/reader"]);
    expect(JSON.stringify(made)).not.toContain(digest);
    const given = [made._meta, { ...made._meta, "hoga/ticket": digest }, { "hoga/ticket": id }];
    for (const meta of given) {
      const again = await call("create_plan", terms, meta);
      expect(again.structuredContent).toMatchObject({ state: "awaiting_approval", plan: { plan_id: id } });
      await call("change_plan", { plan_id: id, action: "resume" }, meta);
      await call("list_plans", { plan_id: id }, meta);
    }
    expect((await waiting(id)).digest).toBe(digest);
  });

  it("looks again: it is active after a person's yes, and its removal is a question again", async () => {
    const id = idOf(await call("create_plan", another()));
    const { digest } = await waiting(id);
    expect((await kept().approve(id, "pin", digest)).state).toBe("active");
    const active = sheetOf(await call("list_plans", { plan_id: id }));
    expect(active).toMatchObject({ isAsked: false, en: { state: "active" }, ko: { state: "진행 중" } });
    expect(questionIn(active.en)).toMatch(/^Sell up to 0\.01\d* BTC on BTC\/KRW when the price has stood at or below /);
    const asked = await call("change_plan", { plan_id: id, action: "cancel" });
    const sheet = sheetOf(asked);
    const { account } = asked.structuredContent as { account: string };
    expect(sheet).toMatchObject({ planId: id, isAsked: true, en: { state: "active" } });
    expect(questionIn(sheet.en)).toBe(
      planQuestionText(desk, account, await waiting(id), wordsFor({ locale: "en", timeZone: READER.timeZone })),
    );
    expect(sheet.en.lines[0]).toContain("Take this protection away?");
  });

  it("shows of a preview what it would do, and why a person would be asked", async () => {
    const sheet = sheetOf(await call("create_plan", { ...another(), preview: true }));
    expect(sheet).toMatchObject({ planId: null, isAsked: false, en: { state: "preview" }, ko: { state: "미리보기" } });
    expect(sheet.en.lines.slice(1)).toContainEqual(expect.stringContaining("A person would have to approve it"));
    expect(sheet.ko.lines.slice(1)).toContainEqual(expect.stringContaining("사람의 승인이 필요합니다"));
  });

  it("has no sheet of what was refused", async () => {
    const refused = await call("create_plan", { ...STOP, base_volume: "1000000" });
    expect(refused.structuredContent).toMatchObject({ outcome: "not_sent" });
    expect(Object.keys(oursOf(refused))).toEqual(["hoga/reader"]);
  });
});
