import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { cleanUp, freshHome, limitBuy, oneLine, run } from "./program.ts";

afterAll(cleanUp);

describe("the brake, where the profile's desk does not open", () => {
  it("is on for every process all the same, and says what it could not cancel", async () => {
    const home = freshHome();
    const locked = [
      "[profiles.paper]",
      'environment = "sandbox"',
      "[profiles.locked]",
      'environment = "live"',
      'base_url = "https://127.0.0.1:9"',
      'key_command = "exit 7"',
      "",
    ];
    writeFileSync(join(home, "config.toml"), locked.join("\n"), { mode: 0o600 });
    const halted = await run(["halt", "--profile", "locked", "--json"], { home });
    expect(halted.code).toBe(1);
    expect(oneLine(halted)).toMatchObject({ brake: "everywhere", remaining: null, outcome: "not_sent" });
    const denied = await run(["call", "--json", ...limitBuy("145000000", "0.0001")], { home });
    expect(denied.code).toBe(3);
    expect(oneLine(denied)).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Trading halted" } });
    const resumed = await run(["resume", "--profile", "paper"], { home });
    expect(resumed).toMatchObject({ code: 3, stderr: expect.stringContaining("a person's to do") });
  });
});
