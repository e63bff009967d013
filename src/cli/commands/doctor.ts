/**
 * `hoga doctor`: looks at everything that trading needs, and says what is wrong with it and what to do.
 *
 * Invariants: nothing is written, made or placed, not even a data directory; no secret is printed.
 *
 * Source: commands.md#doctor, decision 0097.
 */
import { loadProfile } from "../../config/index.ts";
import { defined } from "../../contract/index.ts";
import { adviceLines, adviceList } from "../../words/index.ts";
import { commandLine } from "../command-line.ts";
import { exchangeOf } from "../composition/open-venue.ts";
import { type Check, explained, isCheck, reportOf } from "../doctor/check.ts";
import { checkLines } from "../doctor/check-lines.ts";
import { processesCheck, versionsCheck } from "../doctor/machine-checks.ts";
import {
  type Chosen,
  configurationCheck,
  noticeChecks,
  policyCheck,
  receiverCheck,
} from "../doctor/settings-checks.ts";
import { storeChecks } from "../doctor/store-checks.ts";
import { venueChecks } from "../doctor/venue-checks.ts";
import { EXIT } from "../failure.ts";
import type { Invocation } from "../invocation.ts";

export interface DoctorOptions {
  readonly profile?: string;
  readonly json?: boolean;
}

export async function doctor(options: DoctorOptions, run: Invocation): Promise<void> {
  const chosen = await explained("configuration", () => choose(options, run));
  const checks = await allChecks(chosen, run);
  const advice = isCheck(chosen) || chosen.baseUrl === undefined ? [] : adviceLines(chosen.card, run.words);
  if (checks.some(({ ok, required }) => required && !ok)) run.exitCode = EXIT.failed;
  if (options.json === true) return run.out.printJson({ checks: checks.map(reportOf), advice });
  run.out.print([...checkLines(checks, run), ...adviceText(advice, run)].join("\n"));
}

function choose({ profile: named }: DoctorOptions, { home, env }: Invocation): Chosen {
  const profile = loadProfile(home, env, named);
  return { profile, ...exchangeOf(profile) };
}

/** Where the settings cannot be used, the rest is still looked at, as when money is real. */
async function allChecks(chosen: Chosen | Check, run: Invocation): Promise<readonly Check[]> {
  const { home } = run;
  const profile = isCheck(chosen) ? undefined : chosen.profile;
  const store = {
    home,
    isLive: profile?.environment !== "sandbox",
    commandLine: commandLine(run, { ...defined({ name: profile?.name }), tenant: home.tenant?.name }),
  };
  const settings = isCheck(chosen)
    ? [chosen]
    : [
        configurationCheck(chosen, home),
        policyCheck(chosen, home),
        ...noticeChecks(chosen, home),
        ...(await receiverCheck(home, run.env)),
      ];
  const venue = isCheck(chosen) ? [] : await venueChecks(chosen, home);
  return [...settings, ...(await storeChecks(store)), ...venue, versionsCheck(), processesCheck(home)];
}

function adviceText(advice: readonly string[], { words }: Invocation): readonly string[] {
  return advice.length === 0 ? [] : ["", ...adviceList(advice, words)];
}
