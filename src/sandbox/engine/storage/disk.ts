/** A port for the two disk calls that may fail while an exchange runs, so that tests can make them fail. Entry point: `NODE_DISK`. */
import { fdatasync, writeSync } from "node:fs";
import { promisify } from "node:util";

export interface Disk {
  /** Writes all bytes at the end of the file, to the operating system. Throws as `fs` does (ENOSPC, EIO). */
  write(file: number, bytes: Buffer): void;
  sync(file: number): Promise<void>;
}

export const NODE_DISK: Disk = {
  write(file, bytes) {
    // A nearly full disk may write a part, which only the returned count shows.
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  },
  sync: promisify(fdatasync),
};
