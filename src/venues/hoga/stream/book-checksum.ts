/**
 * The checksum of a book. The sandbox has its own implementation on purpose; both agree at published test vectors.
 *
 * Source: service.md#book-checksum.
 */
import { crc32 } from "node:zlib";
import { type BookLevel, CHECKSUM_LEVELS } from "../../../contract/index.ts";

export function bookChecksum(buys: readonly BookLevel[], asks: readonly BookLevel[]): number {
  return crc32(`${sideText(buys)}|${sideText(asks)}`);
}

function sideText(levels: readonly BookLevel[]): string {
  let text = "";
  for (let index = 0; index < levels.length && index < CHECKSUM_LEVELS; index++) {
    const [price, volume] = levels[index] ?? ["", ""];
    text += `${index === 0 ? "" : ","}${price}:${volume}`;
  }
  return text;
}
