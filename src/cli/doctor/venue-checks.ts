/**
 * The exchange: whether it answers, how far its clock is from ours, whether it takes the key, what the key may do and when it ends.
 *
 * Invariants: it is only read; nothing is kept on disk, and of the specified exchange no nonce is used up.
 */
import type { Home } from "../../config/index.ts";
import type { Fault, VenueCard } from "../../contract/index.ts";
import { systemClock } from "../../transport/index.ts";
import type { CredentialOptions, OpenedVenue } from "../../venues/index.ts";
import { lookingClient, otherClient, revealed } from "../composition/open-venue.ts";
import { hostedIn } from "../paper/exchange.ts";
import { probeSay } from "../probe/probe-words.ts";
import type { ProbedVenue } from "../probe/probed-venue.ts";
import { type Finding, READ_STEPS, type ReadContext } from "../probe/read-steps.ts";
import { type Check, explained, fine, isCheck, type Sentence, warned, wrong, wrongBy } from "./check.ts";
import type { Chosen } from "./settings-checks.ts";

export async function venueChecks(chosen: Chosen, home: Home): Promise<readonly Check[]> {
  const { profile, card, baseUrl } = chosen;
  if (baseUrl === undefined) return paperChecks(chosen, home);
  const key = await explained("key", async () => profile.credentials?.(AbortSignal.timeout(KEY_MS)));
  if (isCheck(key)) return [key];
  const address = { card, where: () => baseUrl };
  return looked(await clientOf(chosen, key && revealed(key), baseUrl), key !== undefined, address);
}

/** For a command of a password manager, which may ask its person. */
const KEY_MS = 60_000;

async function clientOf(
  { profile }: Chosen,
  credentials: CredentialOptions | undefined,
  baseUrl: string,
): Promise<OpenedVenue> {
  if (profile.exchange !== "hoga") return otherClient(profile, credentials, baseUrl);
  return lookingClient(profile, credentials, baseUrl);
}

/** It lives in one of the processes that use it, and is not started for a look. */
async function paperChecks(chosen: Chosen, { sandbox }: Home): Promise<readonly Check[]> {
  const hosted = await hostedIn(sandbox);
  if (hosted === undefined) return [fine("reachability", (say) => say("reachability.at_rest"))];
  const { base_url: baseUrl, pid, key } = hosted;
  const credentials: CredentialOptions | undefined = key && {
    apiKey: key.apiKey,
    apiSecret: () => key.apiSecret,
  };
  const where: Sentence = (say) => say("reachability.hosted", { address: baseUrl, pid });
  return looked(await clientOf(chosen, credentials, baseUrl), key !== undefined, { card: chosen.card, where });
}

interface Address {
  readonly card: VenueCard;
  readonly where: Sentence;
}

async function looked(client: OpenedVenue, hasKey: boolean, { card, where }: Address): Promise<readonly Check[]> {
  const venue: ProbedVenue = client;
  const now = (): number => systemClock.now();
  const context: ReadContext = { venue, card, unit: "", now, freshId: () => "", markets: [] };
  try {
    const clock = await READ_STEPS.clock(context);
    if (clock.fault !== undefined) return [wrongBy("reachability", clock.fault)];
    const reached = fine("reachability", (say, words) => say("reachability.is", { where: where(say, words) }));
    return [reached, clockCheck(clock), ...(await keyChecks(context, hasKey))];
  } finally {
    await client.close();
  }
}

/** As a probe says it. */
function noted({ note }: Finding): Sentence {
  return (_, words) => note(probeSay(words));
}

function clockCheck(clock: Finding): Check {
  if (clock.result === "ok") return fine("clock", noted(clock));
  return wrong("clock", noted(clock), (say) => say("clock.set"));
}

async function keyChecks(context: ReadContext, hasKey: boolean): Promise<readonly Check[]> {
  if (!hasKey) {
    const none = warned(
      "key",
      (say) => say("key.none"),
      (say) => say("key.give"),
    );
    return [none];
  }
  const held = await READ_STEPS.balances(context);
  if (held.fault !== undefined && !isKnown(held.fault)) return [wrongBy("key", held.fault)];
  const told = await READ_STEPS.key(context);
  return [fine("key", (say) => say("key.taken")), permissionsCheck(told)];
}

/** A nonce that is refused was signed with a key and a secret that are right. */
function isKnown({ code }: Fault): boolean {
  return code === "EAPI:Invalid nonce";
}

function permissionsCheck(told: Finding): Check {
  if (told.fault !== undefined) return { ...wrongBy("permissions", told.fault), required: false };
  if (told.result !== "differs") return fine("permissions", noted(told));
  return warned("permissions", noted(told), (say) => say("permissions.another"));
}
