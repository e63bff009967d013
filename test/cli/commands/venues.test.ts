import { afterAll, describe, expect, it } from "vitest";
import { CARDS } from "../../../src/venues/index.ts";
import { oneLine } from "../../fixture/command.ts";
import { cleanUp, run } from "../../fixture/in-process.ts";

afterAll(cleanUp);

const NAMES = CARDS.map(({ name }) => name);

describe("the exchanges that hoga can trade on", () => {
  it("are listed with how far each is proved, and a program gets their cards", async () => {
    const { stdout } = await run(["venues"]);
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.split(" ")[0]),
    ).toEqual(NAMES);
    expect(oneLine<{ venues: readonly { name: string }[] }>(await run(["venues", "--json"])).venues).toEqual(CARDS);
  });

  it.each(NAMES)("are shown by name in both languages, with what to do before a key is made: %s", async (name) => {
    const english = (await run(["venues", name], { env: { HOGA_LOCALE: "en" } })).stdout;
    expect(english).toMatch(/Make a key for hoga alone.*Never the right to withdraw/);
    expect(english).not.toMatch(/undefined|\{\w+\}/);
    const korean = (await run(["venues", name], { env: { HOGA_LOCALE: "ko" } })).stdout;
    expect(korean).toMatch(/출금 권한은 절대/);
    expect(korean).not.toMatch(/undefined|\{\w+\}/);
    expect(oneLine(await run(["venues", name, "--json"]))).toEqual(CARDS.find((card) => card.name === name));
  });

  it("are named to whoever asks for another one", async () => {
    const refused = await run(["venues", "nasdaq"]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(`Name one of: ${NAMES.join(", ")}`);
  });
});
