import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wideHome } from "../../fixture/home.ts";
import { cleanUp, start, startSandbox } from "../../fixture/program.ts";

const home = wideHome();
beforeAll(async () => {
  await startSandbox({ home });
});
afterAll(cleanUp);

describe("hoga orders", () => {
  it("is no failure when its reader has gone", async () => {
    const running = start(["orders", "--state", "all"], { home });
    running.child.stdout.destroy();
    running.child.stdin.end();
    const { code, signal, stderr } = await running.ended;
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: "" });
  });
});
