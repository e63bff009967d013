/**
 * The exchange: whether it answers, how far its clock is from ours, whether it takes the key, what the key may do and when it ends.
 *
 * Invariants: it is only read; nothing is kept on disk, and of the specified exchange no nonce is used up.
 */
import type { Home } from "../../config/index.ts";
import type { Fault, VenueCard } from "../../contract/index.ts";
import { systemClock } from "../../transport/index.ts";
import type { CredentialOptions, OpenedVenue } from "../../venues/index.ts";
import { wordsFor } from "../../words/index.ts";
import { lookingClient, otherClient, revealed } from "../composition/open-venue.ts";
import { hostedIn } from "../paper/exchange.ts";
import { probeSay } from "../probe/probe-words.ts";
import type { ProbedVenue } from "../probe/probed-venue.ts";
import { type Finding, READ_STEPS, type ReadContext } from "../probe/read-steps.ts";
import { type Check, explained, fine, isCheck, warned, wrong, wrongBy } from "./check.ts";
import type { Chosen } from "./settings-checks.ts";

const english = probeSay(wordsFor());

export async function venueChecks(chosen: Chosen, home: Home): Promise<readonly Check[]> {
  const { profile, card, baseUrl } = chosen;
  if (baseUrl === undefined) return paperChecks(chosen, home);
  const key = await explained("key", async () => profile.credentials?.(AbortSignal.timeout(KEY_MS)));
  if (isCheck(key)) return [key];
  const address = { card, baseUrl, where: baseUrl };
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
  if (hosted === undefined)
    return [fine("reachability", "The paper exchange does not run now: the next command or assistant starts it.")];
  const { base_url: baseUrl, pid, key } = hosted;
  const credentials: CredentialOptions | undefined = key && {
    apiKey: key.apiKey,
    apiSecret: () => key.apiSecret,
  };
  const where = `${baseUrl}, in process ${pid}`;
  return looked(await clientOf(chosen, credentials, baseUrl), key !== undefined, { card: chosen.card, baseUrl, where });
}

interface Address {
  readonly card: VenueCard;
  readonly baseUrl: string;
  readonly where: string;
}

async function looked(client: OpenedVenue, hasKey: boolean, { card, where }: Address): Promise<readonly Check[]> {
  const venue: ProbedVenue = client;
  const now = (): number => systemClock.now();
  const context: ReadContext = { venue, card, unit: "", now, freshId: () => "", markets: [] };
  try {
    const clock = await READ_STEPS.clock(context);
    if (clock.fault !== undefined) return [wrongBy("reachability", clock.fault)];
    return [fine("reachability", `It answers at ${where}.`), clockCheck(clock), ...(await keyChecks(context, hasKey))];
  } finally {
    await client.close();
  }
}

function clockCheck({ result, note }: Finding): Check {
  const detail = note(english);
  if (result === "ok") return fine("clock", detail);
  return wrong("clock", detail, "Set this machine's clock by a time server: with one that is off, orders are refused.");
}

async function keyChecks(context: ReadContext, hasKey: boolean): Promise<readonly Check[]> {
  if (!hasKey)
    return [warned("key", "The profile has no key: only the market can be looked at.", "Give it one in config.toml.")];
  const held = await READ_STEPS.balances(context);
  if (held.fault !== undefined && !isKnown(held.fault)) return [wrongBy("key", held.fault)];
  const told = await READ_STEPS.key(context);
  return [fine("key", "The exchange takes the key and its signature."), permissionsCheck(told)];
}

/** A nonce that is refused was signed with a key and a secret that are right. */
function isKnown({ code }: Fault): boolean {
  return code === "EAPI:Invalid nonce";
}

function permissionsCheck({ result, note, fault }: Finding): Check {
  if (fault !== undefined) return warned("permissions", fault.message, fault.nextAction);
  const detail = note(english);
  if (result !== "differs") return fine("permissions", detail);
  return warned(
    "permissions",
    detail,
    "Make another key for hoga, which may look and order and never withdraw, before this one ends.",
  );
}
