/** What counts as a person's touch, and that one changed byte of it does not. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { PasskeyAssertion } from "../../src/desk/index.ts";
import { readAssertion, verifyAssertion } from "../../src/passkeys/assertion.ts";
import { ORIGIN, type Signing, softwarePasskey } from "../fixture/passkey.ts";

const challenge = randomBytes(32).toString("hex");
const passkey = softwarePasskey();
const asked = {
  passkey: passkey.enrolled,
  origin: ORIGIN,
  challenge: Buffer.from(challenge, "hex").toString("base64url"),
};
const verify = (assertion: PasskeyAssertion, counter = 0) =>
  verifyAssertion(assertion, { ...asked, passkey: { ...passkey.enrolled, counter } });
const signed = (signing: Partial<Signing> = {}) => passkey.sign({ challenge, ...signing });

describe("what a passkey has signed", () => {
  it.each([0, 1, 7])("counts when it is all as it was asked for, with its counter: %d", async (counter) => {
    expect(await verify(signed({ counter }))).toEqual({ ok: true, counter });
  });

  it.each<[string, Partial<Signing>, number, string]>([
    ["for another question", { challenge: "00".repeat(32) }, 0, "another question"],
    ["on a page at an IP address", { origin: "http://127.0.0.1:8421" }, 0, "another address"],
    ["on a page at another port", { origin: "http://localhost:3000" }, 0, "another address"],
    ["on a page over TLS", { origin: "https://localhost:8421" }, 0, "another address"],
    ["in a frame of another page", { said: { crossOrigin: true } }, 0, "no answer"],
    ["below a page of another", { said: { topOrigin: "https://evil.example" } }, 0, "no answer"],
    ["for another host", { rpId: "evil.example" }, 0, "another host"],
    ["at enrolment", { type: "webauthn.create" }, 0, "no answer"],
    ["without a touch", { isPresent: false }, 0, "touched"],
    ["without the person verified", { isVerified: false }, 0, "verify the person"],
    ["as often as before", { counter: 5 }, 5, "more often"],
    ["less often than before", { counter: 4 }, 5, "more often"],
    ["uncounted, where it had counted", { counter: 0 }, 5, "more often"],
  ])("does not count when it was signed %s", async (_, signing, counter, why) => {
    const verdict = await verify(signed(signing), counter);
    expect(verdict).toEqual({ ok: false, why: expect.stringContaining(why) });
  });

  it("does not count when another key signed it", async () => {
    const { enrolled } = passkey;
    const forged = softwarePasskey({ credentialId: enrolled.credentialId }).sign({ challenge });
    expect(await verify(forged)).toEqual({ ok: false, why: "The signature is not the passkey's." });
    expect(await verify(softwarePasskey().sign({ challenge }))).toMatchObject({ why: "It is of another passkey." });
  });

  it("does not count with any single byte changed, nor spelled in another way", async () => {
    const good = signed({ counter: 1 });
    const changed: PasskeyAssertion[] = [];
    for (const part of ["credentialId", "authenticatorData", "clientDataJson", "signature"] as const) {
      const bytes = Buffer.from(good[part], "base64url");
      for (let index = 0; index < bytes.length; index++) {
        for (const flip of [0x01, 0x80, 1 + ((randomBytes(1)[0] ?? 0) % 255)]) {
          const other = Buffer.from(bytes);
          other.writeUInt8(bytes.readUInt8(index) ^ flip, index);
          changed.push({ ...good, [part]: other.toString("base64url") });
        }
      }
      for (const spelling of [`${good[part]}=`, `${good[part]} `, bytes.toString("base64"), ""])
        if (spelling !== good[part]) changed.push({ ...good, [part]: spelling });
      for (const other of [bytes.subarray(1), bytes.subarray(0, -1), Buffer.concat([bytes, Buffer.alloc(1)])])
        changed.push({ ...good, [part]: other.toString("base64url") });
    }
    const verdicts = await Promise.all(changed.map((each) => verify(each)));
    expect(changed.filter((_, index) => verdicts[index]?.ok !== false)).toEqual([]);
    expect(verdicts.length).toBeGreaterThan(700);
    expect(await verify(good)).toMatchObject({ ok: true });
  });
});

describe("an answer as a browser brings it", () => {
  const { credentialId: id, authenticatorData, clientDataJson: clientDataJSON, signature } = signed();
  const response = { authenticatorData, clientDataJSON, signature };
  const answer = { id, rawId: id, type: "public-key", response };

  it("is read with what browsers add", () => {
    const more = { authenticatorAttachment: "platform", clientExtensionResults: { credProps: { rk: true } } };
    const whole = { ...answer, ...more, response: { ...response, userHandle: "aG9nYQ" } };
    expect(readAssertion(whole)).toEqual(readAssertion(answer));
    expect(readAssertion(answer)).toEqual({
      credentialId: id,
      authenticatorData,
      clientDataJson: clientDataJSON,
      signature,
    });
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a text", "yes"],
    ["a password", { ...answer, type: "password" }],
    ["two ids", { ...answer, rawId: "AAAA" }],
    ["more than there is", { ...answer, approved: true }],
    ["no signature", { ...answer, response: { authenticatorData, clientDataJSON } }],
    ["too much", { ...answer, response: { ...response, signature: "A".repeat(4_000) } }],
  ])("is no answer: %s", (_, given) => {
    expect(readAssertion(given)).toBeUndefined();
  });
});
