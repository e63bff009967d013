/**
 * A key of Coinone: a call is JSON with the access token and a nonce, and what is signed is its base64 text.
 *
 * Source: SOURCES.md#sign.
 */
import { createHmac } from "node:crypto";
import { type KeyOptions, TextKey } from "../text-key.ts";

/** @param fields of the call, as the text of a JSON object */
export function payload(accessToken: string, nonce: string, fields: string): string {
  const head = JSON.stringify({ access_token: accessToken, nonce });
  return fields === "{}" ? head : `${head.slice(0, -1)},${fields.slice(1)}`;
}

/** The secret is the text itself, neither base64 nor in capitals. */
export function signedHeaders(secret: string, text: string) {
  const encoded = Buffer.from(text).toString("base64");
  const signature = createHmac("sha512", secret).update(encoded).digest("hex");
  return { "x-coinone-payload": encoded, "x-coinone-signature": signature };
}

/** What was signed, which is what the body has to be. */
export function signedText({ "x-coinone-payload": encoded = "" }: Readonly<Record<string, string>>): string {
  return Buffer.from(encoded, "base64").toString();
}

export class CoinoneKey extends TextKey {
  /**
   * @param makeNonce a UUID, used once
   * @throws TypeError for a key or a secret that is empty or not plain text
   */
  constructor(options: KeyOptions, makeNonce: () => string) {
    super(
      options,
      (token, secret) =>
        (fields = "{}") =>
          signedHeaders(secret, payload(token, makeNonce(), fields)),
    );
  }
}
