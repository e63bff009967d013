import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { confirmHome, LIMIT, waitingIn } from "../approval/home.ts";
import { oneLine } from "../fixture/command.ts";
import { PIN, runTerminal } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { cleanUp, run } from "../fixture/in-process.ts";

afterAll(cleanUp);

const KOREAN = { HOGA_LOCALE: "ko", HOGA_TIMEZONE: "Asia/Seoul" };
const SEOUL_TIME = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\+9/;

describe("a Korean at the terminal", () => {
  let place: { readonly home: string; readonly env: typeof KOREAN };
  const order = (userref: string, price: string): string => JSON.stringify({ ...LIMIT, price, userref });

  beforeAll(async () => {
    place = { home: await confirmHome(), env: KOREAN };
    for (const [userref, price] of [
      ["one", "90000000"],
      ["two", "80000000"],
    ] as const)
      await run(["call", "place_order", order(userref, price)], { home: place.home });
  });

  it("lists what waits, by the clock of Seoul", async () => {
    const { stdout, code } = await run(["pending"], place);
    const [whose = "", head = "", first = ""] = stdout.split("\n");
    expect([code, whose]).toEqual([0, '[sandbox · 모의] 계좌 "paper"에서 승인을 기다리는 것:']);
    expect(head.split(/ {2,}/)).toEqual([
      "번호",
      "마켓",
      "구분",
      "주문 유형",
      "수량/금액",
      "가격",
      "한도 계산 금액",
      "승인 기한",
    ]);
    expect(first).toMatch(/BTC\/KRW {2}매수 {2}지정가 +0\.001 +₩90,000,000 +₩90,000 /);
    expect(first).toMatch(SEOUL_TIME);
    expect((await waitingIn(place.home))[0]).toMatchObject({ userref: "one", order: { price: "90000000" } });
  });

  it("sets the PIN, and approves what is shown whole, in Korean", async () => {
    const piped = await run(["approve", "one"], place);
    expect(piped.stderr).toBe(
      "hoga: 주문 승인: 사람이 터미널에서 PIN을 입력해야 합니다. 여기는 터미널이 아닙니다.\n  → 터미널 창에서 직접 명령을 실행하십시오.\n",
    );
    const unset = await runTerminal(["approve", "one"], place, []);
    expect(unset.screen).toMatch(/hoga: 아직 PIN이 없습니다\.\s+→ 터미널에서 설정하십시오: .+ pin/);
    const set = await runTerminal(["pin"], place, [
      ["새 PIN(6~64자): ", PIN],
      ["새 PIN 다시 입력: ", PIN],
    ]);
    expect(set.screen).toContain("PIN을 설정했습니다.");
    const wrong = await runTerminal(["approve", "one"], place, [["PIN 입력: ", "not it at all"]]);
    expect(wrong).toMatchObject({ code: 3, screen: expect.stringContaining("hoga: PIN이 틀렸습니다.") });
    const approved = await runTerminal(["approve", "one"], place, [["PIN 입력: ", PIN]]);
    expect(approved.code).toBe(0);
    for (const line of [
      "[sandbox · 모의] 이 주문을 승인하시겠습니까?",
      "매수 0.001 BTC, BTC/KRW, 개당 ₩90,000,000 (9,000만원) (지정가, 취소할 때까지 유효(GTC)).",
      "[sandbox] 거래소가 받아들였습니다.",
      "상태: 미체결. 체결 0 BTC, ₩0, 수수료 ₩0.",
      "userref one",
    ])
      expect(approved.screen).toContain(line);
  });

  it("denies, and is told what is not there", async () => {
    const missing = await run(["deny", "three"], place);
    expect(missing.stderr).toBe(
      "hoga: 이 번호로 승인을 기다리는 주문이 없습니다.\n  → hoga pending이 기다리는 주문을 보여 줍니다.\n",
    );
    const denied = await run(["deny", "two"], place);
    expect(denied).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^거부했습니다: .+\. 보낸 것은 없습니다\.\n$/),
    });
    expect((await run(["pending"], place)).stdout).toBe("[sandbox · 모의] 승인을 기다리는 주문이 없습니다.\n");
  });

  it("sees orders and the log in Korean; programs see them as ever", async () => {
    const { stdout } = await run(["orders"], place);
    const [head, columns, row = ""] = stdout.split("\n");
    expect(head).toBe('[sandbox · 모의] 계좌 "paper"');
    expect(columns?.trim().split(/ {2,}/)).toEqual([
      "주문 시각",
      "마켓",
      "구분",
      "주문 유형",
      "가격",
      "수량",
      "체결 수량",
      "상태",
      "주문 번호",
    ]);
    expect(row).toMatch(/UTC\+9 +BTC\/KRW +매수 +지정가 +₩90,000,000 +0\.001 +0 +미체결 /);
    expect(oneLine(await run(["orders", "--json"], place))).toMatchObject({
      orders: [{ side: "buy", price: "90000000", state: "open", created_at: expect.stringMatching(/T.*Z$/) }],
    });
    const log = await run(["audit"], place);
    expect(log.stdout).toMatch(/^순번 +시각 +기록 +상태 +요청 번호 +주문 번호\n/);
    expect(log.stdout).toMatch(/미체결/);
    expect((await run(["audit", "verify"], place)).stdout).toMatch(/^감사 기록은 온전합니다: \d+행/);
  });

  it("halts and resumes in Korean", async () => {
    const halted = await run(["halt", "now"], place);
    expect(halted.stdout).toMatch(
      /^이 데이터 디렉터리의 모든 프로세스에서 거래를 정지했습니다\. 사람이 재개하는 명령: .* resume\n/,
    );
    expect(halted.stdout).toContain("sandbox, 계좌 paper: 주문 1건 취소, 미체결 0건 남음.");
    expect(halted.stdout).toContain('주의: 이 말은 무시하고 정지했습니다: "now".');
    const resumed = await runTerminal(["resume"], place, [["PIN 입력: ", PIN]]);
    expect(resumed.screen).toContain("거래를 재개했습니다.");
  });

  it("is told of a fault by its code, and then in full in English", async () => {
    const { stderr, code } = await run(["orders", "--symbol", "NOPE/KRW"], place);
    expect(code).toBe(2);
    expect(stderr.split("\n")).toEqual([
      "hoga: 그런 이름의 마켓이 없습니다. 보낸 것은 없습니다.",
      "  → 아래에 나온 마켓 중에서 고르거나 이름을 다시 찾으십시오.",
      expect.stringMatching(/^ {2}자세히\(영문\): There is no market "NOPE\/KRW"/),
      "",
    ]);
    const usage = await run(["audit", "burn"], place);
    expect(usage.stderr).toMatch(/^hoga: 입력이 빠졌거나.*\n.*\n {2}자세히\(영문\): hoga audit cannot "burn"\./);
  });
});

describe("the settings", () => {
  it("hold for the terminal too when the file has them, and one that cannot be used is named in the reader's language", async () => {
    const home = freshHome();
    writeFileSync(join(home, "config.toml"), 'locale = "ko"\n', { mode: 0o600 });
    expect((await run(["pending"], { home })).stdout).toBe("[sandbox · 모의] 승인을 기다리는 주문이 없습니다.\n");
    const wrong = await run(["pending"], { home, env: { LANG: "ko_KR.UTF-8", HOGA_TIMEZONE: "Seoul" } });
    expect(wrong.stderr).toMatch(
      /^hoga: 명령을 실행할 수 없습니다\.\n.*\n {2}자세히\(영문\): HOGA_TIMEZONE has a value/,
    );
  });
});

describe("a portfolio in Korean", () => {
  it("is a table of what is held, with its sums by 만; programs get what they ever got", async () => {
    const place = { home: await confirmHome(), env: KOREAN };
    const { stdout, code } = await run(["portfolio", "--period", "today"], place);
    const [head, worth, columns = "", ...rows] = stdout.trimEnd().split("\n");
    expect(code).toBe(0);
    expect(head).toMatch(/^\[sandbox · 모의\] 계좌 "paper", 지금 \d{4}-.* UTC\+9$/);
    expect(worth).toMatch(/^평가 금액 ₩[\d,.]+ \(.*만.*원\)\. 매수 원가 ₩0, 평가 손익 ₩0\.$/);
    expect(rows.at(-1)).toMatch(/^기간 \d{4}-\d\d-\d\d 00:00:00 UTC\+9 ~ .*: 수수료를 뺀 실현 손익 ₩0, 수수료 ₩0\.$/);
    expect(columns.trim().split(/ {2,}/)).toEqual([
      "자산",
      "보유",
      "주문 가능",
      "평단가",
      "평가 금액",
      "평가 손익",
      "원가 모름",
    ]);
    expect(rows.some((row) => /^KRW +₩[\d.,]+ +₩/.test(row))).toBe(true);
    expect(oneLine(await run(["portfolio", "--json"], place))).toMatchObject({
      environment: "sandbox",
      method: "average",
    });
  });
});
