/** What `hoga venues NAME` says of an exchange, in both languages. */
import { describe, expect, it } from "vitest";
import type { VenueCard } from "../../src/contract/index.ts";
import { CARDS, KOREAN } from "../../src/venues/index.ts";
import { cardLines, wordsFor } from "../../src/words/index.ts";

async function linesOf(card: VenueCard, locale: "en" | "ko"): Promise<readonly string[]> {
  const translated = locale === "ko" ? (await KOREAN[card.name]?.())?.KOREAN : {};
  return cardLines(card, wordsFor({ locale, timeZone: "Asia/Seoul" }), translated ?? {});
}

const cardOf = (name: string) => CARDS.find((card) => card.name === name) as VenueCard;

describe("an exchange shown by its card", () => {
  it.each(CARDS)("has a sentence in Korean for each in English: $name", async (card) => {
    const [english, korean] = [await linesOf(card, "en"), await linesOf(card, "ko")];
    expect(korean).toHaveLength(english.length);
    for (const [at, line] of korean.entries())
      if (line !== "") expect([english[at], line]).toEqual([english[at], expect.stringMatching(/[가-힣]/)]);
    for (const line of korean) expect(line).not.toMatch(/\b(the|is|are|of|not)\b/);
  });

  it.each([
    ["upbit", "It does not check orders in advance: a preview is hoga's own."],
    ["upbit", "Where nobody says from when, the orders of the last 30 days are read."],
    ["upbit", "A refused order uses up its id too; hoga gives each order a new one."],
    ["korbit", "It lists ended orders and trades of the last 36 hours alone: hoga keeps what it has read."],
    ["korbit", "An order that ended without a trade is found for 3 days."],
    ["bithumb", "Its answer to an order is an id alone: hoga looks what became of it."],
    ["coinone", "It has no timer of its own that cancels: hoga cancels, only while it runs."],
  ])("says what it has not: %s, %s", async (name, sentence) => {
    expect(await linesOf(cardOf(name), "en")).toContain(sentence);
  });
});
