/** The two disk calls that may fail under a running exchange, as a port, so that tests can make them fail. */
import { fdatasync, writeSync } from "node:fs";
import { promisify } from "node:util";

export interface Disk {
  /** Hands all bytes to the operating system, at the end of the file. Throws as `fs` does (ENOSPC, EIO). */
  write(file: number, bytes: Buffer): void;
  sync(file: number): Promise<void>;
}

export const NODE_DISK: Disk = {
  write(file, bytes) {
    // A nearly full disk may take a part and say so by its count only.
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  },
  sync: promisify(fdatasync),
};
