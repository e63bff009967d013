import { describe, expect, it } from "vitest";
import { DOCTOR_CATALOGS } from "../../src/cli/doctor/check.ts";
import { INIT_CATALOGS } from "../../src/cli/init/init-words.ts";
import { PROBE_CATALOGS } from "../../src/cli/probe/probe-words.ts";
import { PLAN_TEXT_CATALOGS } from "../../src/cli/text/plan-words.ts";
import { wordsFor } from "../../src/words/index.ts";
import { NOTICE_CATALOGS } from "../../src/words/plans/notice-words.ts";
import { PLAN_CATALOGS } from "../../src/words/plans/plan-catalog.ts";
import { REHEARSAL_CATALOGS } from "../../src/words/plans/rehearsal-catalog.ts";
import { VENUE_CATALOGS } from "../../src/words/venue-words.ts";
import { CATALOGS } from "../../src/words/words.ts";
import { PAGE_CATALOGS } from "../../web/console/words/page-words.ts";
import { VIEW_CATALOGS } from "../../web/views/words/view-words.ts";
import { readSources } from "../tidy/source.ts";

const placesOf = (sentence: string): readonly string[] =>
  [...sentence.matchAll(/\{(\w+)\}/g)].map(([place]) => place).sort();

type Catalog = Readonly<Record<string, string>>;

describe.each<{ of: string; folders: string[]; en: Catalog; ko: Catalog }>([
  { of: "the programs", folders: ["src", "web"], ...CATALOGS },
  { of: "the page", folders: ["web/console"], ...PAGE_CATALOGS },
  { of: "plans", folders: ["src"], ...PLAN_CATALOGS },
  { of: "exchanges", folders: ["src"], ...VENUE_CATALOGS },
  { of: "notices", folders: ["src"], ...NOTICE_CATALOGS },
  { of: "rehearsals", folders: ["src/words"], ...REHEARSAL_CATALOGS },
  { of: "plans on a terminal", folders: ["src/cli"], ...PLAN_TEXT_CATALOGS },
  { of: "a probe", folders: ["src/cli"], ...PROBE_CATALOGS },
  { of: "the doctor", folders: ["src/cli"], ...DOCTOR_CATALOGS },
  { of: "beginning", folders: ["src/cli"], ...INIT_CATALOGS },
  { of: "the views", folders: ["web/views"], ...VIEW_CATALOGS },
])("the catalogs of $of", ({ folders, en, ko }) => {
  it("have the same sentences, none of them empty", () => {
    expect(Object.keys(ko).sort()).toEqual(Object.keys(en).sort());
    for (const sentence of [...Object.values(en), ...Object.values(ko)]) expect(sentence.trim()).not.toBe("");
  });

  it.each(Object.keys(en))("have the same places to fill in %s", (name) => {
    expect(placesOf(ko[name] ?? "")).toEqual(placesOf(en[name] ?? ""));
    expect(ko[name]?.replace(/\{\w+\}/g, "")).not.toMatch(/[{}]/);
  });

  it("say in Korean what they do not leave to a code", () => {
    const foreign = Object.entries(ko).filter(([, sentence]) => {
      const own = sentence.replace(/\{\w+\}/g, "");
      return /[A-Za-z]/.test(own) && !/[가-힣]/.test(own);
    });
    expect(foreign.map(([name]) => name)).toEqual([]);
  });

  it("have no sentence that nobody says", () => {
    const source = readSources(...folders)
      .filter(({ path }) => !/\/words\/(en|ko|plan-catalog|rehearsal-catalog|notice-en|notice-ko)\.ts$/.test(path))
      .map(({ text }) => text)
      .join("\n");
    const unsaid = Object.keys(en).filter((name) => {
      const [group = ""] = name.split(".");
      return !source.includes(`"${name}"`) && !source.includes(`\`${group}.\${`);
    });
    expect(unsaid).toEqual([]);
  });
});

describe("a sentence", () => {
  it("is filled once: what is filled in is never a place itself", () => {
    const { say } = wordsFor();
    expect(
      say("approval.account", {
        ...{ exchange: "{exchange}", account: "{profile}", profile: "$& {account}", stake: "{stake}" },
      }),
    ).toBe("At {exchange}: account {profile}, profile $& {account}, {stake}.");
  });
});
