import { describe, expect, it } from "vitest";
import { withParticle } from "../../src/words/particle.ts";
import { wordsFor } from "../../src/words/words.ts";

describe("the particle behind what is filled in", () => {
  it.each([
    ["0.1 BTC", "을(를)", "0.1 BTC를"],
    ["0.5 SOL", "을(를)", "0.5 SOL을"],
    ["100 ATOM", "이(가)", "100 ATOM이"],
    ["₩50,002", "은(는)", "₩50,002은"],
    ["₩50,000 (5만원)", "을(를)", "₩50,000 (5만원)을"],
    ["plan-01a2220b-4626-7120-9d06-56c2fd22e1b6", "을(를)", "plan-01a2220b-4626-7120-9d06-56c2fd22e1b6을"],
    ["01a2220d-8c60-735b-9259-c02d4bf9e18f", "이(가)", "01a2220d-8c60-735b-9259-c02d4bf9e18f가"],
    ["p-000000000001-0002", "이(가)", "p-000000000001-0002가"],
    ["60%", "(으)로", "60%로"],
    ["120 USDT", "(으)로", "120 USDT로"],
    ["버전 7", "(으)로", "버전 7로"],
    ["버전 6", "(으)로", "버전 6으로"],
    ["서울", "(으)로", "서울로"],
    ["업비트", "은(는)", "업비트는"],
    ["빗썸", "은(는)", "빗썸은"],
  ])("goes by the last sound: %s with %s is %s", (text, pair, said) => {
    expect(withParticle(text, pair)).toBe(said);
  });

  it.each(["my-dip", "/home/me/hoga", "–", ""])("stays open where the last sound is not certain: %j", (text) => {
    expect(withParticle(text, "이(가)")).toBe(`${text}이(가)`);
  });

  it("is chosen in a sentence of a catalog and in one of the desk's, and never in what is filled in", () => {
    const { say, told } = wordsFor({ locale: "ko", timeZone: "Asia/Seoul" });
    const sizes = { id: "O-1", size: "1 BTC이(가)", price: "₩5" };
    expect(say("approval.replaces", sizes)).toMatch(/^주문 O-1을 대신합니다\. .*1 BTC이\(가\)가 미체결/);
    expect(told("Order O-2 has ended and bought nothing.")).toBe("매수 주문 O-2가 체결 없이 끝났습니다.");
  });
});
