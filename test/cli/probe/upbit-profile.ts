/** A data directory whose profile trades on a sandbox that speaks Upbit's API. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SandboxLine } from "../../fixture/command.ts";

/** @param more further lines of the profile */
export function writeUpbitProfile(
  home: string,
  { base_url, api_key, api_secret }: Pick<SandboxLine, "base_url" | "api_key" | "api_secret">,
  environment: "sandbox" | "live" = "sandbox",
  more = "",
): void {
  const lines = [
    'default_profile = "upbit"\n[profiles.upbit]\nexchange = "upbit"',
    `environment = "${environment}"\nbase_url = "${base_url}"\nkey = "${api_key}"\nsecret = "${api_secret}"\n${more}`,
  ];
  writeFileSync(join(home, "config.toml"), lines.join("\n"), { mode: 0o600 });
}
