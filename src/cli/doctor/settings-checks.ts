/** The settings: which profile is in force, what the policy allows, and what a person should know of both. */
import { type Environment, type Home, notifyIn, type Profile, policySource } from "../../config/index.ts";
import type { VenueCard } from "../../contract/index.ts";
import { defaultPolicy } from "../../desk/index.ts";
import { shownSettings, sumSettingName } from "../../policy/index.ts";
import { proofWords, titleOf } from "../../words/index.ts";
import { unprovenAt } from "../composition/open-venue.ts";
import { triedAt } from "../probe/probe-file.ts";
import { type Check, explained, fine, isCheck, warned, wrongBy } from "./check.ts";

export interface Chosen {
  readonly profile: Profile;
  readonly card: VenueCard;
  /** Absent of the embedded exchange. */
  readonly baseUrl?: string;
}

export function configurationCheck({ profile, card, baseUrl }: Chosen, { dir }: Home): Check {
  const { name, environment, unit } = profile;
  return fine("configuration", (say, words) => {
    const where = baseUrl ?? say("configuration.embedded");
    const money = say(`configuration.${environment}`);
    return say("configuration.is", { name, exchange: titleOf(card, words), where, money, unit, dir });
  });
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
  const { isDefault } = read.value;
  const settings = [`mode = ${shown.mode}`, ...sums].join(", ");
  return fine("policy", (say) => say("policy.is", { from: isDefault ? say("policy.default") : path, settings }));
}

export function noticeChecks({ profile, card }: Chosen, home: Home): readonly Check[] {
  const told = (profile.notices ?? []).map((notice) =>
    warned(
      "notices",
      () => notice,
      (say) => say("notices.change", { file: home.config }),
    ),
  );
  if (unprovenAt(profile, card, home) !== undefined)
    return [
      ...told,
      warned(
        "proof",
        (say, words) => say("proof.none", { exchange: titleOf(card, words) }),
        (say) => say("proof.try", { exchange: card.name, profile: profile.name }),
      ),
    ];
  const tried = triedAt(home, card.name);
  const proof = fine("proof", (say, words) =>
    say("proof.is", { exchange: titleOf(card, words), proof: proofWords(card, words, tried) }),
  );
  return [...told, proof];
}

/** Where plans tell what they have to; said where it is set. */
export async function receiverCheck(home: Home, env: Environment): Promise<readonly Check[]> {
  const settings = await explained("notices", () => notifyIn(home, env));
  // Trading goes on without it.
  if (isCheck(settings)) return [{ ...settings, required: false }];
  if (settings === undefined) return [];
  const { host } = new URL(settings.url);
  return [fine("notices", (say) => say("notices.sent", { host }))];
}
