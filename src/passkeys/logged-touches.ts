/**
 * Owns proving from the audit log alone that each yes by touch in it was one: a passkey that was enrolled when it was given has signed exactly what was
 * sent.
 *
 * Invariant: nothing but the log is asked, whose rows are known to be as they were written; what a row does not hold is not made up.
 *
 * Source: decision 0045, decision 0051.
 */
import { z } from "zod";
import type { approvalDigest, IntentBody, PasskeyAssertion } from "../desk/index.ts";
import { originOf, verifyAssertion } from "./assertion.ts";

/** Its rows, oldest first, each as a line of JSON. */
export interface WrittenLog {
  export(write: (line: string) => void): Promise<void>;
}

export type TouchesVerdict =
  | { readonly ok: true; readonly count: number }
  /** The first row whose yes is not proven. @param why a sentence */
  | { readonly ok: false; readonly seq: number; readonly why: string };

const enrolled = z.object({ credential_id: z.string(), public_key: z.string(), rp_id: z.string() });
type Enrolled = z.output<typeof enrolled>;

const assertion = z.object({
  credentialId: z.string(),
  authenticatorData: z.string(),
  clientDataJson: z.string(),
  signature: z.string(),
}) satisfies z.ZodType<PasskeyAssertion>;

/** Has the whole body of an order in the log; of what may name another person, what was signed alone. */
const approved = z.union([
  z.object({
    to: z.literal("approved"),
    body: z.looseObject({
      approval: z.looseObject({
        approvedBy: z.literal("passkey"),
        digest: z.string(),
        assertion: assertion.optional(),
      }),
    }),
  }),
  z.object({
    to: z.literal("approved"),
    approved_by: z.literal("passkey"),
    approval: z.object({ digest: z.string(), assertion }).optional(),
  }),
]);

const row = z.object({
  seq: z.number(),
  account: z.string(),
  event: z.string(),
  intent_id: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
});
type LoggedRow = z.output<typeof row>;

/** Says, as the desk does, what a person approves of an order. */
type DigestOf = typeof approvalDigest;

export async function verifyTouches(log: WrittenLog, digestOf: DigestOf): Promise<TouchesVerdict> {
  const rows: LoggedRow[] = [];
  await log.export((line) => {
    // Most rows have nothing to do with a passkey.
    const read = line.includes("passkey") ? row.safeParse(JSON.parse(line)).data : undefined;
    if (read !== undefined) rows.push(read);
  });
  const passkeys = new Map<string, Enrolled>();
  let count = 0;
  for (const each of rows) {
    const { event, detail, seq } = each;
    const known = enrolled.safeParse(detail).data;
    if (event === "passkey_enrolled" && known !== undefined) passkeys.set(known.credential_id, known);
    if (event === "passkey_removed") passkeys.delete(String(detail["credential_id"]));
    // A submission of whatever kind.
    if (!event.endsWith("_moved")) continue;
    const yes = approved.safeParse(detail).data;
    if (yes === undefined) continue;
    const isAnother = "body" in yes && digestIn(each, yes.body, digestOf) !== yes.body.approval.digest;
    const why = isAnother ? "What was signed is not the order." : await problemOf(yes, passkeys);
    if (why !== undefined) return { ok: false, seq, why };
    count += 1;
  }
  return { ok: true, count };
}

/** @param body as the desk wrote it: the rows are whole */
function digestIn({ intent_id, account }: LoggedRow, body: object, digestOf: DigestOf): string | undefined {
  const written = body as IntentBody;
  return written.approval && digestOf({ intentId: intent_id ?? "", account, body: written }, written.approval);
}

async function problemOf(
  yes: z.output<typeof approved>,
  passkeys: ReadonlyMap<string, Enrolled>,
): Promise<string | undefined> {
  const { digest, assertion: given } = ("body" in yes ? yes.body.approval : yes.approval) ?? {};
  if (digest === undefined || given === undefined) return "It holds nothing that a passkey has signed.";
  const passkey = passkeys.get(given.credentialId);
  if (passkey === undefined) return "The passkey was not enrolled then.";
  const { public_key: publicKey, rp_id: rpId, credential_id: credentialId } = passkey;
  const origin = originOf(given);
  if (!URL.canParse(origin) || new URL(origin).hostname !== rpId) return "It was given to a page of another host.";
  // How often it had signed is looked at when it is given.
  const known = { credentialId, publicKey, rpId, counter: 0 };
  const challenge = Buffer.from(digest, "hex").toString("base64url");
  const verdict = await verifyAssertion(given, { passkey: known, origin, challenge });
  return verdict.ok ? undefined : verdict.why;
}
