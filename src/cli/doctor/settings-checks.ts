/** The settings: which profile is in force, what the policy allows, and what a person should know of both. */
import { type Home, type Profile, policySource } from "../../config/index.ts";
import type { VenueCard } from "../../contract/index.ts";
import { defaultPolicy } from "../../desk/index.ts";
import { shownSettings, sumSettingName } from "../../policy/index.ts";
import { proofWords, type Words } from "../../words/index.ts";
import { unprovenAt } from "../composition/open-venue.ts";
import { triedAt } from "../probe/probe-file.ts";
import { type Check, fine, warned, wrongBy } from "./check.ts";

export interface Chosen {
  readonly profile: Profile;
  readonly card: VenueCard;
  /** Absent of the embedded exchange. */
  readonly baseUrl?: string;
}

export function configurationCheck({ profile, card, baseUrl }: Chosen, { dir }: Home): Check {
  const { name, environment, unit } = profile;
  const where = baseUrl ?? "the exchange that hoga carries";
  return fine(
    "configuration",
    `Profile ${name}: ${card.title.en} at ${where}, ${environment === "live" ? "real money" : "paper money"} in ${unit}. Data directory: ${dir}`,
  );
}

/** Without a file the default of the environment is in force. */
export function policyCheck({ profile: { environment, unit } }: Chosen, { policy: path }: Home): Check {
  const read = policySource(path, unit, (given) => ({
    isDefault: Object.keys(given).length === 0,
    policy: defaultPolicy(environment, given, unit),
  })).read();
  if (!read.ok) return wrongBy("policy", read.fault);
  const shown = shownSettings(read.value.policy);
  const sums = (["max_order", "max_day", "max_open"] as const).map((stem) => {
    const name = sumSettingName(stem, unit);
    return `${name} = ${shown[name]}`;
  });
  const from = read.value.isDefault ? "The default, as policy.toml says nothing" : path;
  return fine("policy", `${from}: mode = ${shown.mode}, ${sums.join(", ")}.`);
}

export function noticeChecks({ profile, card }: Chosen, home: Home, words: Words): readonly Check[] {
  const told = (profile.notices ?? []).map((notice) => warned("notices", notice, `Change it in ${home.config}.`));
  const unproven = unprovenAt(profile, card, home);
  const proof = `${card.title.en}: ${proofWords(card, words, triedAt(home, card.name))}.`;
  return [
    ...told,
    unproven === undefined ? fine("proof", proof) : warned("proof", unproven.message, unproven.nextAction),
  ];
}
