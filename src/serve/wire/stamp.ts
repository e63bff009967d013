/**
 * Owns short texts that a client keeps for this server and brings back: only what went out is taken for it, by every server of the same store.
 *
 * Invariants: the key is the store's, a different one for each use, and never leaves the process; a stamped text can be read by anybody; it has one
 * spelling only. Without a store to ask the key is this process's own.
 *
 * Source: decision 0072.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Seal } from "../../desk/index.ts";

const KEY_BYTES = 32;

export class Stamp {
  readonly #use: string;
  readonly #seal: Pick<Seal, "sign"> | undefined;
  #key: Promise<Buffer | undefined> | undefined;

  /** @param use no two have the same */
  constructor(use: string, seal: Pick<Seal, "sign"> | undefined) {
    this.#use = use;
    this.#seal = seal;
  }

  /** @returns undefined where the store cannot be asked */
  async sign(text: string): Promise<string | undefined> {
    const key = await this.#known();
    if (key === undefined) return undefined;
    const bytes = Buffer.from(text, "utf8");
    return `${bytes.toString("base64url")}.${macOf(key, bytes).toString("base64url")}`;
  }

  /** @returns undefined for what was not signed here, and where the store cannot be asked */
  async open(token: string): Promise<string | undefined> {
    const parts = token.split(".").map((part) => Buffer.from(part, "base64url"));
    const [bytes, mac] = parts;
    // Decoding forgives more than one spelling of the same bytes.
    const spelling = parts.map((part) => part.toString("base64url")).join(".");
    if (bytes === undefined || mac?.length !== KEY_BYTES || parts.length !== 2 || spelling !== token) return undefined;
    const key = await this.#known();
    if (key === undefined) return undefined;
    return timingSafeEqual(macOf(key, bytes), mac) ? bytes.toString("utf8") : undefined;
  }

  async #known(): Promise<Buffer | undefined> {
    this.#key ??= this.#read();
    const key = await this.#key;
    if (key === undefined) this.#key = undefined;
    return key;
  }

  /** Reads what the store's seal makes of this text, which nobody else can: no other sealed text begins like it. */
  async #read(): Promise<Buffer | undefined> {
    if (this.#seal === undefined) return randomBytes(KEY_BYTES);
    const sealed = await this.#seal.sign(`hoga: the key of ${this.#use}`);
    return sealed.ok ? createHash("sha256").update(sealed.value).digest() : undefined;
  }
}

function macOf(key: Buffer, bytes: Buffer): Buffer {
  return createHmac("sha256", key).update(bytes).digest();
}
