/**
 * The checksum of a book. The client has an implementation of its own, on purpose: shared code would hide shared bugs. Entry point:
 * `checksumOf`. Source: service.md#book-checksum.
 */
import { crc32 } from "node:zlib";
import { type BookLevel, CHECKSUM_LEVELS } from "../../../contract/index.ts";

/** @param buys best first, as `asks`; only the levels that count are used */
export function checksumOf(buys: readonly BookLevel[], asks: readonly BookLevel[]): number {
  const [buyText, askText] = [buys, asks].map((side) =>
    side
      .slice(0, CHECKSUM_LEVELS)
      .map((level) => level.join(":"))
      .join(","),
  );
  return crc32(Buffer.from(`${buyText}|${askText}`, "ascii"));
}
