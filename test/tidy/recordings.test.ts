/** The recordings and pictures of the documents: whole, small, of no machine in particular, and of what the program says today. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { PNG } from "pngjs";
import { describe, expect, it } from "vitest";
import { doctorSay } from "../../src/cli/doctor/check.ts";
import { initSay } from "../../src/cli/init/init-words.ts";
import { CARDS } from "../../src/venues/index.ts";
import { ROOT } from "./source.ts";

const IMAGES = join(ROOT, "docs", "images");
const [EN, KO] = [{ locale: "en" }, { locale: "ko" }] as const;

type Event = readonly [seconds: number, kind: string, text: string];

function castOf(name: string): { readonly header: object; readonly events: readonly Event[]; readonly said: string } {
  const [header = {}, ...events] = readFileSync(join(IMAGES, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { header, events, said: events.map(([, , text]: Event) => text).join("") };
}

const NAMES = readdirSync(IMAGES);

describe("a recording", () => {
  const casts = NAMES.filter((name) => name.endsWith(".cast"));

  it.each(casts)("is an asciicast with the times as they were: %s", (name) => {
    const { header, events } = castOf(name);
    expect(header).toMatchObject({ version: 2, width: expect.any(Number), height: expect.any(Number) });
    expect(events.length).toBeGreaterThan(1);
    expect(events.every(([seconds, kind, text]) => seconds >= 0 && kind === "o" && typeof text === "string")).toBe(
      true,
    );
    expect(events.map(([seconds]) => seconds)).toEqual(events.map(([seconds]) => seconds).toSorted((a, b) => a - b));
  });

  it.each(casts)("tells nothing of the machine that it was played on, and has a picture: %s", (name) => {
    expect(castOf(name).said).not.toMatch(/\/(?:tmp|work|root|Users|dev)\//);
    expect(NAMES).toContain(name.replace(/cast$/, "png"));
  });

  it("asks and ends as hoga init does today", () => {
    const { said } = castOf("init.cast");
    const say = initSay(EN);
    const exchanges = CARDS.map((card) => card.name).join(", ");
    expect(said).toContain(`${say("ask.begin", { profile: "paper", exchanges })}: `);
    expect(said).toContain(`${say("written.next")}\r\n${say("written.doctor")}\r\n`);
  });

  it.each([
    ["doctor.cast", EN],
    ["doctor.ko.cast", KO],
  ] as const)("looks as hoga doctor does today: %s", (name, language) => {
    const { said } = castOf(name);
    const say = doctorSay(language);
    for (const part of ["configuration", "policy", "store", "audit", "orders", "clock", "key"] as const)
      expect(said).toContain(`\u001b[39m  ${say(`check.${part}`)}: `);
    expect(said).toContain(say("key.taken"));
  });
});

describe("a picture", () => {
  it.each(NAMES.filter((name) => name.endsWith(".png")))("is whole, and at most 250 KB: %s", (name) => {
    const { width, height } = PNG.sync.read(readFileSync(join(IMAGES, name)));
    expect(Math.min(width, height)).toBeGreaterThan(100);
    expect(statSync(join(IMAGES, name)).size).toBeLessThan(250_000);
  });
});
