import { createHash, createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { AUTH_HEADERS, SIGNING_VECTORS, type SigningVector } from "../../src/contract/index.ts";

/** service.md#signature, written down once more, as no signing code is in the contract. */
function sign({ secret, prefix, nonce, body }: Omit<SigningVector, "name" | "signature">): string {
  const digest = createHash("sha256").update(nonce).update(body).digest();
  return createHmac("sha512", Buffer.from(secret, "base64")).update(prefix).update(digest).digest("base64");
}

describe("signing vectors", () => {
  it.each(SIGNING_VECTORS)("hold for $name", (vector) => {
    expect(sign(vector)).toBe(vector.signature);
  });

  it("begin with the sample the dialect's own documentation publishes", () => {
    expect(SIGNING_VECTORS[0]).toMatchObject({
      nonce: "1616492376594",
      prefix: "/0/private/AddOrder",
      signature: "4/dpxb3iT4tp/ZCVEwSnEsLxx0bqyhLpdfOpc6fn7OR8+UClSV5n9E6aSS8MPtnRfp32bAb0nmbRn6H8ndwLUQ==",
    });
  });

  it("cover every method, a query, a body that is not ASCII, and a nonce beyond the safe integers", () => {
    const prefixes = SIGNING_VECTORS.map(({ prefix }) => prefix);
    for (const method of ["GET", "POST", "DELETE"])
      expect(prefixes.some((prefix) => prefix.startsWith(method))).toBe(true);
    expect(prefixes.some((prefix) => prefix.includes("?"))).toBe(true);
    expect(SIGNING_VECTORS.some(({ body }) => Buffer.byteLength(body) !== body.length)).toBe(true);
    expect(SIGNING_VECTORS.some(({ nonce }) => BigInt(nonce) > BigInt(Number.MAX_SAFE_INTEGER))).toBe(true);
  });

  it.each(["secret", "nonce", "prefix", "body"] as const)("depend on the %s", (part) => {
    const [, , , vector] = SIGNING_VECTORS;
    if (vector === undefined) throw new Error("the vectors are shorter than this test thinks");
    const changed = { ...vector, [part]: `${part === "secret" ? "AAAA" : "0"}${vector[part]}` };
    expect(sign(changed)).not.toBe(vector.signature);
  });
});

describe("the headers of a private call", () => {
  it("are named as the service names them", () => {
    expect(AUTH_HEADERS).toEqual({ key: "API-Key", sign: "API-Sign", nonce: "API-Nonce" });
  });
});
