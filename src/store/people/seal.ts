/**
 * Owns the store's seal: text that went out and comes back is known to be what went out.
 *
 * Invariants: the key is made once per store, by the first process that needs it, and never leaves it; a sealed text can be
 * read by anybody. A token has one spelling only.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Seal } from "../../desk/index.ts";
import type { Connection } from "../sql/connection.ts";
import type { Row } from "../sql/statement.ts";
import { resultOf, StoreInvariantError } from "../sql/store-error.ts";

const KEY_BYTES = 32;
const READ = "SELECT key FROM seal";
const MAKE = "INSERT INTO seal (id, key) VALUES (1, ?) ON CONFLICT (id) DO NOTHING";

export function createSeal(connection: Connection, randomBytes: (size: number) => Buffer): Seal {
  const read = async () => keyIn(await connection.single(({ get }) => get(READ, [])));
  const make = () =>
    connection.transaction(function* ({ run, get }) {
      yield* run(MAKE, [randomBytes(KEY_BYTES)]);
      return keyIn(yield* get(READ, []));
    });
  const sign = async (text: string): Promise<string> => {
    const key = (await read()) ?? (await make());
    if (key === undefined) throw new StoreInvariantError("the seal was not kept");
    const bytes = Buffer.from(text, "utf8");
    return `${bytes.toString("base64url")}.${macOf(key, bytes).toString("base64url")}`;
  };
  const open = async (token: string): Promise<string | undefined> => {
    const parts = token.split(".").map((part) => Buffer.from(part, "base64url"));
    const [bytes, mac] = parts;
    // Decoding forgives more than one spelling of the same bytes.
    if (bytes === undefined || mac === undefined || parts.map((part) => part.toString("base64url")).join(".") !== token)
      return;
    const key = await read();
    if (parts.length !== 2 || mac.length !== KEY_BYTES || key === undefined) return;
    return timingSafeEqual(macOf(key, bytes), mac) ? bytes.toString("utf8") : undefined;
  };
  return { sign: (text) => resultOf(sign(text)), open: (token) => resultOf(open(token)) };
}

function macOf(key: Buffer, bytes: Buffer): Buffer {
  return createHmac("sha256", key).update(bytes).digest();
}

function keyIn(row: Row | undefined): Buffer | undefined {
  const key = row?.["key"];
  if (key === undefined || (Buffer.isBuffer(key) && key.length === KEY_BYTES)) return key;
  throw new StoreInvariantError("the seal's row holds no key");
}
