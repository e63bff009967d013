/** The configuration for a live exchange that the guide shows whole is one that hoga takes, and every order of it waits for a person. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { homeOf, loadProfile, policySource, readerIn } from "../../src/config/index.ts";
import { defaultPolicy } from "../../src/desk/risk/policy-decision.ts";
import { ROOT } from "../tidy/source.ts";

const dir = mkdtempSync(join(tmpdir(), "hoga-whole-"));
afterAll(() => rmSync(dir, { recursive: true }));

const guide = readFileSync(join(ROOT, "docs/guides/live-exchange.md"), "utf8");
const [, whole = ""] = guide.split('<a id="whole"></a>');
const [config = "", policy = ""] = [...whole.matchAll(/```toml\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
writeFileSync(join(dir, "config.toml"), config, { mode: 0o600 });
writeFileSync(join(dir, "policy.toml"), policy, { mode: 0o600 });
const home = homeOf({ HOGA_HOME: dir });

describe("the whole configuration of the guide", () => {
  it("names a live profile by default, and the paper one beside it", () => {
    expect(loadProfile(home, {})).toMatchObject({ name: "upbit", environment: "live", exchange: "upbit", unit: "KRW" });
    expect(loadProfile(home, {}, "paper")).toMatchObject({ name: "paper", environment: "sandbox" });
    expect(readerIn(home, {})).toMatchObject({ locale: "ko", timeZone: "Asia/Seoul" });
  });

  it("has a policy under which every order waits for a person", () => {
    const answer = policySource(home.policy, "KRW", (given) => defaultPolicy("live", given)).read();
    expect(answer).toMatchObject({ ok: true });
    expect(answer.ok && answer.value).toMatchObject({
      mode: "confirm",
      approveBy: ["passkey", "pin"],
      markets: ["BTC/KRW", "ETH/KRW"],
    });
  });
});
