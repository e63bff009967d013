/**
 * Encodes a text as one WebSocket frame of a server (RFC 6455 §5.2: final, not masked), which can be written to any number of
 * sockets. Entry points: `textFrame`, `jsonFrame`.
 */

const FINAL_TEXT = 0x81;
/** The second byte has the length up to this; the two values above it say that the length follows in 2 or 8 bytes. */
const SHORT_MAX = 125;
const IN_TWO_BYTES = 126;
const IN_EIGHT_BYTES = 127;
const TWO_BYTES_MAX = 0xff_ff;

export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length <= SHORT_MAX ? 2 : length <= TWO_BYTES_MAX ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = FINAL_TEXT;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = IN_TWO_BYTES;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = IN_EIGHT_BYTES;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, head);
  return frame;
}

export function jsonFrame(value: object): Buffer {
  return textFrame(JSON.stringify(value));
}
