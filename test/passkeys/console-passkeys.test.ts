/** Passkeys as a console uses them: enrolled by a proof, asked for one thing at a time, and only as good as what vouched for them. */
import { beforeEach, describe, expect, it } from "vitest";
import { ConsoleAddress, ConsolePasskeys, passkeyCheck } from "../../src/passkeys/index.ts";
import { openStore, type Store } from "../../src/store/index.ts";
import { answerOf, ORIGIN, type Signing, type SoftwarePasskey, softwarePasskey } from "../fixture/passkey.ts";
import { unwrap } from "../fixture/result.ts";

const session = {};
const at = { origin: ORIGIN, session };
let store: Store<string, unknown>;
let rising: number;
let isPractice: boolean;
let console: ConsolePasskeys;

beforeEach(async () => {
  const clock = { now: () => 1_000, sleep: async () => undefined };
  store = await openStore({ memory: true }, { clock, random: Math.random });
  rising = 0;
  isPractice = false;
  const address = new ConsoleAddress();
  address.servedAt("http://127.0.0.1:8421");
  const check = passkeyCheck({ passkeys: store.passkeys, origin: () => address.origin });
  console = new ConsolePasskeys({
    ...{ passkeys: store.passkeys, check, address, clock, pinCommand: "hoga pin" },
    ...{ isPractice: () => isPractice, rising: () => rising },
  });
  return () => store.close();
});

type Purpose = Parameters<ConsolePasskeys["challenge"]>[0];
type Voucher = NonNullable<Parameters<ConsolePasskeys["begin"]>[2]> | "nothing";
const PIN: Voucher = { way: "pin" };

async function asked(purpose: Purpose, place = at): Promise<string> {
  const { options } = await unwrap(console.challenge(purpose, place));
  return hexOf(options);
}
function hexOf(options: object): string {
  const { challenge } = options as { readonly challenge: string };
  return Buffer.from(challenge, "base64url").toString("hex");
}
async function enrolled(voucher: Voucher = PIN, name = "laptop"): Promise<SoftwarePasskey> {
  const made = softwarePasskey();
  const challenge = hexOf((await unwrap(console.begin(name, at, voucher === "nothing" ? undefined : voucher))).options);
  await unwrap(console.finish(made.register({ challenge }), at));
  return made;
}
const refusal = async (result: Promise<{ readonly ok: boolean; readonly fault?: { readonly message?: string } }>) => {
  const { ok, fault } = await result;
  return ok ? "done" : (fault?.message ?? "");
};
const check = (
  passkey: SoftwarePasskey,
  challenge: string,
  purpose: Purpose,
  more: Partial<Signing> = {},
  place = at,
) => console.check(answerOf(passkey.sign({ challenge, ...more })), purpose, place);

describe("enrolling", () => {
  it("keeps the key that signs, at the host's name, proven by the PIN", async () => {
    const made = await enrolled(PIN, "my  phone\u202e");
    const [kept] = await unwrap(store.passkeys.list());
    const { credentialId, publicKey } = made.enrolled;
    expect(kept).toMatchObject({
      credentialId,
      publicKey,
      rpId: "localhost",
      isProven: true,
      transports: ["internal"],
    });
    expect(await unwrap(console.list())).toEqual([
      { id: credentialId, name: kept?.name, created_at: "1970-01-01T00:00:01.000Z", last_used_at: null, proven: true },
    ]);
    expect(kept?.name).toMatch(/^my phone/);
    expect(kept?.name).not.toContain("\u202e");
  });

  it("asks for a device that verifies the person, and for none that is enrolled", async () => {
    const { enrolled: first } = await enrolled();
    const { options } = await unwrap(console.begin("other", at, PIN));
    expect(options).toMatchObject({
      ...{ rp: { id: "localhost", name: "hoga" }, attestation: "none", timeout: 120_000 },
      authenticatorSelection: { userVerification: "required" },
      excludeCredentials: [{ id: first.credentialId }],
    });
  });

  it("serves practice alone when the PIN is missing, and so does what such a one vouches for", async () => {
    expect(await refusal(console.begin("a", at, undefined))).toContain("enrolled with the PIN");
    expect(await refusal(console.begin("a", at, { way: "passkey", isProven: false }))).toContain(
      "enrolled with the PIN",
    );
    isPractice = true;
    await enrolled("nothing");
    await enrolled({ way: "passkey", isProven: false });
    await enrolled({ way: "passkey", isProven: true });
    expect((await unwrap(store.passkeys.list())).map(({ isProven }) => String(isProven)).toSorted()).toEqual([
      "false",
      "false",
      "true",
    ]);
  });

  it.each<[string, Partial<Signing>]>([
    ["for another address", { origin: "http://127.0.0.1:8421" }],
    ["in a frame", { said: { crossOrigin: true } }],
    ["for another host", { rpId: "evil.example" }],
    ["for an answer", { type: "webauthn.get" }],
    ["without the person verified", { isVerified: false }],
    ["for no question", { challenge: "00".repeat(32) }],
  ])("takes none that was made %s", async (_, more) => {
    const challenge = hexOf((await unwrap(console.begin("a", at, PIN))).options);
    expect(await refusal(console.finish(softwarePasskey().register({ challenge, ...more }), at))).not.toBe("done");
    expect(await unwrap(store.passkeys.list())).toEqual([]);
  });

  it("is answered once, in two minutes, by the session that began it", async () => {
    const begin = async () => hexOf((await unwrap(console.begin("a", at, PIN))).options);
    const finish = (challenge: string, place = at) =>
      refusal(console.finish(softwarePasskey().register({ challenge }), place));
    const challenge = await begin();
    expect(await finish(challenge)).toBe("done");
    expect(await finish(challenge)).toContain("no question that stands");
    expect(await finish(await begin(), { ...at, session: {} })).toContain("no question that stands");
    const late = await begin();
    rising += 120_000;
    expect(await finish(late)).toContain("no question that stands");
    expect(await unwrap(store.passkeys.list())).toHaveLength(1);
  });
});

describe("a passkey that is asked", () => {
  const digest = "ab".repeat(32);
  const approve: Purpose = { purpose: "approve", id: "i1", digest };

  it("signs an approval's digest itself, which is left to the desk", async () => {
    const passkey = await enrolled();
    const { options } = await unwrap(console.challenge(approve, at));
    expect(hexOf(options)).toBe(digest);
    expect(options).toMatchObject({ userVerification: "required", rpId: "localhost" });
    const assertion = passkey.sign({ challenge: digest });
    expect(await console.check(answerOf(assertion), approve, at)).toEqual({
      ok: true,
      value: { way: "passkey", assertion },
    });
    expect(await refusal(console.challenge({ ...approve, digest: "everything" }, at))).toContain(
      "Nothing of this name",
    );
  });

  it("answers one question of one session, for one purpose, once", async () => {
    const passkey = await enrolled();
    const resume: Purpose = { purpose: "resume" };
    const challenge = await asked(resume);
    expect(await check(passkey, challenge, resume)).toEqual({ ok: true, value: { way: "passkey", isProven: true } });
    const stale = "no question that stands";
    expect(await refusal(check(passkey, challenge, resume))).toContain(stale);
    expect(await refusal(check(passkey, await asked({ purpose: "enrol" }), resume))).toContain(stale);
    expect(await refusal(check(passkey, await asked(resume), resume, {}, { ...at, session: {} }))).toContain(stale);
    expect(await refusal(check(passkey, digest, resume))).toContain(stale);
    const other: Purpose = { purpose: "remove", passkey_id: "a" };
    expect(await refusal(check(passkey, await asked(other), { ...other, passkey_id: "b" }))).toContain(stale);
    const late = await asked(resume);
    rising += 120_000;
    expect(await refusal(check(passkey, late, resume))).toContain(stale);
    const unverified = await asked(resume);
    expect(await refusal(check(passkey, unverified, resume, { isVerified: false }))).toContain("verify the person");
    expect(await refusal(check(passkey, unverified, resume))).toContain(stale);
  });

  it("when it is for practice, neither approves for real money, nor resumes, nor removes one that is proven", async () => {
    const proven = await enrolled();
    isPractice = true;
    const practice = await enrolled("nothing", "practice");
    const remove: Purpose = { purpose: "remove", passkey_id: proven.enrolled.credentialId };
    for (const purpose of [remove, { purpose: "resume" }] as const) {
      const { options } = await unwrap(console.challenge(purpose, at));
      expect(options).toMatchObject({ allowCredentials: [{ id: proven.enrolled.credentialId }] });
      expect(await refusal(check(practice, hexOf(options), purpose))).toContain("without the PIN");
    }
    const own: Purpose = { purpose: "remove", passkey_id: practice.enrolled.credentialId };
    expect(await check(practice, await asked(own), own)).toEqual({
      ok: true,
      value: { way: "passkey", isProven: false },
    });
    const shown = async () =>
      ((await unwrap(console.challenge(approve, at))).options as { allowCredentials: object[] }).allowCredentials
        .length;
    expect(await shown()).toBe(2);
    isPractice = false;
    expect(await shown()).toBe(1);
  });

  it("when it is for a plan, counts for that plan and what was to be done with it, and has to be proven for real money", async () => {
    const passkey = await enrolled();
    const resume: Purpose = { purpose: "plan", plan_id: "plan-1", action: "resume" };
    expect(await check(passkey, await asked(resume), resume)).toMatchObject({ ok: true, value: { isProven: true } });
    for (const other of [{ plan_id: "plan-2" }, { action: "cancel" }])
      expect(await refusal(check(passkey, await asked(resume), { ...resume, ...other }))).toContain("no question");
    isPractice = true;
    const practice = await enrolled("nothing", "practice");
    expect(await check(practice, await asked(resume), resume)).toMatchObject({ ok: true });
    isPractice = false;
    expect(await refusal(check(practice, await asked(resume), resume))).toContain("without the PIN");
  });

  it("is asked at the console's own address alone", async () => {
    await enrolled();
    const elsewhere = { origin: "http://127.0.0.1:8421", session };
    expect(await refusal(console.challenge(approve, elsewhere))).toContain(`Passkeys work at ${ORIGIN} alone`);
    expect(await refusal(console.begin("a", elsewhere, { way: "pin" }))).toContain("open the console there");
    expect(console.originAt()).toBe(ORIGIN);
  });

  it("is gone once it is removed", async () => {
    const { enrolled: gone } = await enrolled();
    await unwrap(console.remove(gone.credentialId));
    expect(await unwrap(console.list())).toEqual([]);
    expect(await refusal(console.remove(gone.credentialId))).toContain("no such passkey");
    expect(await refusal(console.challenge(approve, at))).toContain("No passkey is enrolled");
  });
});

describe("the address at which passkeys work", () => {
  it.each([
    ["http://127.0.0.1:8421", "http://localhost:8421"],
    ["http://localhost:8421", "http://localhost:8421"],
    ["http://[::1]:8421", "http://localhost:8421"],
    ["https://hoga.example", "https://hoga.example"],
    ["https://hoga.example:8443/mcp", "https://hoga.example:8443"],
    ["https://192.0.2.7:8443", undefined],
    ["https://[2001:db8::7]", undefined],
    ["http://hoga.example", undefined],
  ])("comes from %s as %s", (url, origin) => {
    const address = new ConsoleAddress();
    expect(address.origin).toBeUndefined();
    address.servedAt(url);
    expect(address.origin).toBe(origin);
  });
});
