import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { ApprovalRequest } from "../../src/desk/index.ts";
import { wordsFor } from "../../src/words/index.ts";
import { cleanUp } from "../fixture/command-line.ts";
import { DISMISSED, kinds, type Question } from "./clients.ts";
import { confirmHome, LIMIT, waitingIn } from "./home.ts";

afterAll(cleanUp);

const { when } = wordsFor({ locale: "ko", timeZone: "Asia/Seoul" });

describe.each(kinds())("a Korean before a $name", ({ open }) => {
  it("is asked in Korean, in won by 만 and by the clock of Seoul; the model is answered in English", async () => {
    const home = await confirmHome();
    writeFileSync(join(home, "config.toml"), 'locale = "ko"\n', { mode: 0o600 });
    const asked: Question[] = [];
    const asker = await open(home, {
      elicitation: { form: {} },
      answer: (question) => {
        asked.push(question);
        return DISMISSED;
      },
    });
    const limit = await asker.call("place_order", { ...LIMIT, userref: "one", post_only: true });
    await asker.call("place_order", {
      symbol: "XRP/KRW",
      side: "sell",
      type: "market",
      base_volume: "10",
      userref: "two",
    });
    await asker.call("place_order", { ...LIMIT, base_volume: "0.0015", time_in_force: "IOC", userref: "three" });
    await asker.close();
    const [one, two] = (await waitingIn(home)) as unknown as readonly ApprovalRequest[];
    expect(asked[0]?.message.split("\n")).toEqual([
      "[sandbox · 모의] 이 주문을 승인하시겠습니까?",
      "매수 0.001 BTC, BTC/KRW, 개당 ₩90,000,000 (9,000만원) (지정가, 취소할 때까지 유효(GTC), 호가에 남는 경우만(post-only)).",
      "한도 계산 금액: ₩90,000 (9만원).",
      expect.stringMatching(/^예상 수수료: ₩\d\d \(메이커\)\. 수수료를 더하면 모두 ₩90,0\d\d \(9만 \d\d원\)\.$/),
      expect.stringMatching(/^지금 시세: .* 이 주문 가격은 시세보다 \d+\.\d\d% 낮습니다\.$/),
      'hoga: 계좌 "paper", 프로필 paper, 모의 돈.',
      `예를 고르면 정확히 이 주문을 한 번만 냅니다. 승인 기한 ${when(one?.expires_at ?? "")}.`,
      "승인이 필요한 이유: 설정(mode = confirm)에 따라 모두 사람이 승인합니다. userref one.",
    ]);
    expect(asked[0]?.message).toContain("UTC+9");
    expect(asked[0]?.requestedSchema["properties"]).toEqual({
      approve: {
        type: "boolean",
        title: "이 주문을 냅니다",
        description: "예를 고르면 정확히 이 주문을 한 번만 냅니다.",
        default: false,
      },
    });
    expect(asked[1]?.message.split("\n")[1]).toBe("매도 10 XRP, XRP/KRW, 시장 가격 (시장가).");
    expect(two?.userref).toBe("two");
    expect(asked[2]?.message.split("\n").at(-1)).toBe(
      "요청 당시 주의 사항: ₩90,000,000 (9,000만원) 또는 더 좋은 가격의 호가가 0.0015 BTC 가운데 0뿐이어서, IOC 주문은 체결되지 않고 끝납니다.",
    );
    expect(limit.text).toMatch(/^\[sandbox\] WAITING FOR A PERSON/);
  });
});
