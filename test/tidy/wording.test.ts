import { describe, expect, it } from "vitest";
import { matchingLines, readSources, type Source } from "./source.ts";

/** What is merged is finished, and runs on any machine. Patterns are in pieces so as not to match themselves. */
const unfinished = new RegExp(`\\b(${["TO" + "DO", "FIX" + "ME", "[Ss]" + "tub"].join("|")})\\b`);
const machinePath = new RegExp(`(^|[^\\w.-])/${["wo" + "rk", "ro" + "ot"].join("/|/")}/`);

const wording = (source: Source) => [
  ...matchingLines(source, unfinished, "is not finished"),
  ...matchingLines(source, machinePath, "names a path of one machine"),
];

describe("wording", () => {
  it("leaves nothing unfinished and names no machine's paths", () => {
    expect(readSources("src", "bench", "web").flatMap(wording)).toEqual([]);
    expect(readSources("test").flatMap((source) => matchingLines(source, machinePath, "names a path"))).toEqual([]);
  });
});

describe("the wording rule itself", () => {
  const judge = (text: string) => wording({ path: "src/a.ts", text: `\n${text}` });

  it.each([`// ${"TO"}${"DO"}: later`, `// ${"FIX"}${"ME"}`, `const ${"st"}${"ub"} = 1;`])("catches %s", (text) => {
    expect(judge(text)).toEqual(["src/a.ts:2 is not finished"]);
  });

  it.each([`"/${"wo"}${"rk"}/main"`, `/${"ro"}${"ot"}/x`])("catches %s", (text) => {
    expect(judge(text)).toEqual(["src/a.ts:2 names a path of one machine"]);
  });

  it.each(["const stubborn = 1;", '"https://example.com/net' + 'work/"', '"../work' + '/x"'])(
    "lets %s pass",
    (text) => {
      expect(judge(text)).toEqual([]);
    },
  );
});
