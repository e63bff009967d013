/** What the page tells of a request keeps what is true apart: placed, rejected, never sent, unknown. */
import { describe, expect, it } from "vitest";
import type { Told } from "../../../web/console/request.ts";
import { pageWords } from "../../../web/console/words/page-words.ts";
import {
  approvalTitle,
  cancelNote,
  eventText,
  failureText,
  haltNote,
  stateText,
  writeNote,
} from "../../../web/console/words/said.ts";

const en = pageWords("en", "Asia/Seoul");
const ko = pageWords("ko", "Asia/Seoul");
const stamp = { environment: "sandbox", account: "paper", unit: "KRW", warnings: [] } as const;

describe("a write", () => {
  it.each<[Pick<Told<"cancel">, "outcome" | "state">, string, string, string]>([
    [{ outcome: "accepted", state: "partially_filled" }, "good", "Placed: partially filled.", "일부 체결"],
    [{ outcome: "rejected", state: "rejected" }, "bad", "The exchange rejected it.", "거부"],
    [{ outcome: "not_sent", state: "denied" }, "warn", "Nothing was sent: denied.", "아무것도 보내지 않았습니다"],
    [{ outcome: "unknown", state: "unknown" }, "bad", "Sent, and no answer has come.", "응답이 없습니다"],
  ])("when it is %j, is told as that", (report, tone, english, korean) => {
    expect(writeNote({ ...stamp, ...report }, en)).toMatchObject({ tone, title: english });
    expect(writeNote({ ...stamp, ...report }, ko).title).toContain(korean);
  });

  it("when it has no answer, says not to do it again", () => {
    expect(writeNote({ ...stamp, outcome: "unknown", state: "unknown" }, en).lines.join()).toContain(
      "Do not place it again",
    );
    expect(failureText({ ok: false, kind: "unreachable" }, en, true)).toContain("may have been done");
    expect(failureText({ ok: false, kind: "unreachable" }, en)).not.toContain("may have been done");
  });

  it("when it was denied, says why, in Korean by its code too", () => {
    const error = { code: "ELocal:Denied by policy", class: "ELocal", message: "too large", retryable: false };
    const report = { ...stamp, outcome: "not_sent", state: "denied", error } as const;
    expect(writeNote(report, en).lines).toEqual(["too large"]);
    expect(writeNote(report, ko).lines[0]).toMatch(/[가-힣].*too large$/);
  });

  it("when it cancels, says what became of the order", () => {
    expect(cancelNote({ ...stamp, outcome: "accepted", state: "canceled" }, en).title).toBe("Cancel: canceled.");
    expect(cancelNote({ ...stamp, outcome: "unknown", state: "unknown" }, en).tone).toBe("bad");
  });
});

describe("a halt", () => {
  const done: Told<"halt"> = {
    ...stamp,
    ...{ brake: "everywhere", outcome: "accepted", results: [], canceled: 2, withdrawn: [], remaining: 0 },
    ...{ unresolved: [], elsewhere: [] },
  };

  it("is good only where all of it is known to have worked", () => {
    expect(haltNote(done, en)).toMatchObject({ tone: "good", lines: ["Orders canceled: 2; 0 still open."] });
    const unresolved = [{ intent_id: "i", userref: "u", symbol: "BTC/KRW", state: "unknown", since: "" }] as const;
    const worse: readonly Partial<Told<"halt">>[] = [
      { brake: "directory" },
      { brake: "here" },
      { brake: "nowhere" },
      { remaining: 1 },
      { remaining: null },
      { unresolved },
    ];
    for (const part of worse) expect(haltNote({ ...done, ...part }, en).tone).toBe("bad");
    expect(haltNote({ ...done, remaining: null }, en).lines[0]).toContain("could not be verified");
  });
});

describe("what waits", () => {
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.01", price: "148000000" } as const;
  const asked = (given: object) => ({ summary: "as the server says", order: { order: given } }) as never;

  it("is told in a line, with amounts as people write them", () => {
    expect(approvalTitle(asked(order), en)).toBe("Buy 0.01 BTC on BTC/KRW, at ₩148,000,000");
    expect(approvalTitle(asked(order), ko)).toBe("BTC/KRW 매수 0.01 BTC, 개당 ₩148,000,000 (1억 4,800만원)");
    const market = { symbol: "BTC/KRW", side: "sell", type: "market", amount: "50000" };
    expect(approvalTitle(asked(market), en)).toBe("Sell ₩50,000 on BTC/KRW, at the market price");
    expect(approvalTitle({ summary: "as the server says" } as never, en)).toBe("as the server says");
  });
});

describe("a name of the desk's", () => {
  it("is said in words where there are some, and shown as it is where there are none", () => {
    expect([stateText("partially_filled", en), stateText("partially_filled", ko)]).toEqual([
      "partially filled",
      "일부 체결",
    ]);
    expect([eventText("halted", ko), eventText("something_new", ko)]).toEqual(["거래 정지", "something_new"]);
  });
});
