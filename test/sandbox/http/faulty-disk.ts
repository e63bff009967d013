/** Sandboxes on a disk whose writes and syncs can be made to fail, or to wait. */
import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { type OpenedExchange, openExchange } from "../../../src/sandbox/engine/index.ts";
import { type Disk, NODE_DISK } from "../../../src/sandbox/engine/storage/disk.ts";
import { familiesOf } from "../../../src/sandbox/families.ts";
import { createApiServer } from "../../../src/sandbox/http/server.ts";
import { ensurePaperAccount } from "../../../src/sandbox/paper-account.ts";
import { createService, DEFAULT_LIMITS } from "../../../src/sandbox/service/service.ts";

export class FaultyDisk implements Disk {
  /** What every write throws. */
  writeError: Error | undefined;
  /** What every sync rejects with. */
  syncError: Error | undefined;
  /** What every sync waits for. */
  syncWaitsFor: Promise<void> | undefined;

  write(file: number, bytes: Buffer): void {
    if (this.writeError !== undefined) throw this.writeError;
    NODE_DISK.write(file, bytes);
  }

  async sync(file: number): Promise<void> {
    await this.syncWaitsFor;
    if (this.syncError !== undefined) throw this.syncError;
    await NODE_DISK.sync(file);
  }
}

export const PAPER_KEY = { accountId: "paper", apiKey: "key", apiSecret: randomBytes(64).toString("base64") };

interface Served {
  readonly url: string;
  readonly opened: OpenedExchange;
  close(): Promise<void>;
}

/** Serves the exchange of a directory, with the paper account under `PAPER_KEY`. */
export async function serveOn(
  disk: Disk,
  dir: string,
  { now = Date.now, drafts = false }: { readonly now?: () => number; readonly drafts?: boolean } = {},
): Promise<Served> {
  const opened = await openExchange({ dir, seed: 1, marketMaker: false, now, disk });
  await ensurePaperAccount(opened, PAPER_KEY, now(), { drafts });
  const service = createService({ journaled: opened, limits: DEFAULT_LIMITS, now, randomBytes, onDefect: () => {} });
  const api = createApiServer(service, familiesOf(service, { drafts }));
  await new Promise<void>((resolve) => api.server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`,
    opened,
    async close() {
      await api.close(100);
      await opened.close().catch(() => {});
    },
  };
}
