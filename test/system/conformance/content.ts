/** The smallest picture and the smallest sound that are whole. */

/** One transparent pixel, PNG. */
export const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const RATE_HZ = 8_000;
const SAMPLE_BYTES = 2;

/** One silent sample, WAV. */
export const SOUND = wave(Buffer.alloc(SAMPLE_BYTES)).toString("base64");

function wave(samples: Buffer): Buffer {
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  // Uncompressed, one channel.
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE_HZ, 24);
  head.writeUInt32LE(RATE_HZ * SAMPLE_BYTES, 28);
  head.writeUInt16LE(SAMPLE_BYTES, 32);
  head.writeUInt16LE(8 * SAMPLE_BYTES, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}
