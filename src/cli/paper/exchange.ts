/**
 * The paper exchange as shared by the processes of one data directory: the first that needs it hosts it, the others find it by
 * its port file, and when the host ends another takes over.
 *
 * Invariants: at most one process hosts (a lock of the kernel's, which ends with the process however that dies); nothing is
 * locked or bound before the exchange is needed; what the host answered is on disk, so that a takeover loses nothing.
 *
 * Asks whether the paper exchange of a data directory answers at an address that a file names. Bounded in time and size.
 */
import { randomUUID } from "node:crypto";
import { chmodSync, lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { makeDir, readOwnFile, scrubber } from "../../config/index.ts";
import type { Sandbox, SandboxOptions } from "../../sandbox/index.ts";
import type { HeldLock } from "../../store/index.ts";
import { ExplainedError } from "../failure.ts";
import { PaperHost } from "./host.ts";

interface PortFile {
  readonly base_url: string;
  readonly pid: number;
}

export interface PaperKeyPair {
  readonly apiKey: string;
  readonly apiSecret: string;
}

export interface PaperExchangeOptions {
  readonly dir: string;
  /** Take over when the host ends, without waiting for a call. For processes that stay. */
  readonly standBy: boolean;
  /** Port to host on when it is free; any free one otherwise. */
  readonly preferredPort?: number;
  /** Fail instead of hosting on another port. */
  readonly exactPort?: boolean;
  readonly sandbox?: Omit<SandboxOptions, "dir" | "port">;
  /** Called with a sentence when this process begins to host. */
  readonly onNotice?: (message: string) => void;
  /** Called with a sentence when the exchange hosted here fails, and when it works again. */
  readonly onTrouble: (message: string) => void;
}

/** The exchange can be neither found nor hosted. */
export class PaperExchangeError extends ExplainedError {
  override readonly name = "PaperExchangeError";
}

/** Bounds how long the exchange is looked for while another process holds the lock and does not answer. */
const SEARCH_MAX_MS = 15_000;
const SEARCH_PAUSE_MS = 40;

export class PaperExchange {
  readonly #options: PaperExchangeOptions;
  #hosted: { readonly host: PaperHost; readonly lock: HeldLock } | undefined;
  #located: Promise<string> | undefined;
  /** The host that was found, and a connection whose end shows at once that the host has ended. */
  #followed: { readonly baseUrl: string; readonly watch: Socket } | undefined;
  #closed = false;

  constructor(options: PaperExchangeOptions) {
    this.#options = options;
  }

  get isHost(): boolean {
    return this.#hosted !== undefined;
  }

  /** Tells where the exchange is administered; undefined unless it is hosted here and that was asked for. */
  get admin(): Sandbox["admin"] {
    return this.#hosted?.host.sandbox.admin;
  }

  /** Where its stream is; undefined unless it is hosted here. */
  get streamUrl(): string | undefined {
    return this.#hosted?.host.sandbox.streamUrl;
  }

  /** Base URL of the exchange, hosting it here when nobody does. Concurrent calls share one search. */
  async locate(): Promise<string> {
    const known = this.#hosted?.host.sandbox.baseUrl ?? this.#followed?.baseUrl;
    if (known !== undefined) return known;
    this.#located ??= this.#find().finally(() => {
      this.#located = undefined;
    });
    return this.#located;
  }

  /** The key of the paper account. The exchange must have been located before. */
  key(): PaperKeyPair {
    if (this.#hosted !== undefined) return hidden(this.#hosted.host.sandbox);
    const kept = keptKeyIn(this.#options.dir);
    if (kept !== undefined) return kept;
    throw new PaperExchangeError(
      `The paper account's key file ${this.#keyFile} cannot be read.`,
      "Move the sandbox directory away to start afresh.",
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#followed?.watch.destroy();
    await this.#located?.catch(() => undefined);
    const hosted = this.#hosted;
    this.#hosted = undefined;
    if (hosted === undefined) return;
    rmSync(this.#portFile, { force: true });
    await hosted.host.close();
    // A repair that was under way may have written it again.
    rmSync(this.#portFile, { force: true });
    hosted.lock.release();
  }

  get #portFile(): string {
    return portFilePath(this.#options.dir);
  }

  get #keyFile(): string {
    return keyFilePath(this.#options.dir);
  }

  async #find(): Promise<string> {
    if (this.#hosted !== undefined) return this.#hosted.host.sandbox.baseUrl;
    const deadline = Date.now() + SEARCH_MAX_MS;
    this.#makeDir();
    this.#closeKeyFile();
    for (;;) {
      const known = portFileIn(this.#options.dir);
      if (known !== undefined && (await answers(known.base_url, keptKeyIn(this.#options.dir)?.apiKey)))
        return this.#follow(known.base_url);
      if (this.#closed)
        throw new PaperExchangeError(
          "The program was stopped before it found the paper exchange.",
          "Run the command again.",
        );
      const own = await this.#tryHost(known);
      if (own !== undefined) return own;
      if (Date.now() > deadline)
        throw new PaperExchangeError(
          `Another process (${known === undefined ? "unknown" : `pid ${known.pid}`}) holds the paper exchange in ${this.#options.dir} but does not answer.`,
          "End that process, or wait until it has started.",
        );
      await pause(SEARCH_PAUSE_MS * (0.5 + Math.random()));
    }
  }

  #makeDir(): void {
    const { dir } = this.#options;
    try {
      makeDir(dir);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
      throw new PaperExchangeError(
        `The directory ${dir} of the paper exchange cannot be created${code}.`,
        "Choose a directory that you may write to.",
      );
    }
  }

  /** A key file that others can read is closed to them and used on: its money is paper only. */
  #closeKeyFile(): void {
    const found = lstatSync(this.#keyFile, { throwIfNoEntry: false });
    if (found?.isFile() !== true || (found.mode & 0o077) === 0 || process.platform === "win32") return;
    try {
      chmodSync(this.#keyFile, 0o600);
    } catch {
      throw new PaperExchangeError(
        `The paper account's key file ${this.#keyFile} can be read by other users of this machine.`,
        `Run: chmod 600 "${this.#keyFile}"`,
      );
    }
  }

  /** Hosts the exchange here, unless another process holds the lock. */
  async #tryHost(previous: PortFile | undefined): Promise<string | undefined> {
    const { tryHoldLock } = await import("../../store/index.ts");
    const lock = await tryHoldLock(join(this.#options.dir, "host.lock"));
    if (lock === undefined) return undefined;
    try {
      const sandbox = await this.#start(previous);
      hidden(sandbox);
      if (sandbox.admin !== undefined) scrubber.add(sandbox.admin.token);
      writePortFile(this.#portFile, { base_url: sandbox.baseUrl, pid: process.pid });
      const host = new PaperHost(sandbox, {
        reopen: (previousUrl) => this.#reopen(previousUrl),
        onTrouble: this.#options.onTrouble,
      });
      this.#hosted = { host, lock };
      if (sandbox.lost !== undefined) this.#options.onTrouble(`Data of the paper exchange was lost. ${sandbox.lost}`);
      this.#options.onNotice?.(`This process hosts the paper exchange at ${sandbox.baseUrl}.`);
      return sandbox.baseUrl;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Starts on the preferred port, else on the last host's (others still know it), else on any. */
  async #start(previous: PortFile | undefined): Promise<Sandbox> {
    const { startSandbox, SandboxStartError } = await import("../../sandbox/index.ts");
    const { dir, preferredPort, exactPort, sandbox } = this.#options;
    const lastPort = previous === undefined ? undefined : Number(new URL(previous.base_url).port); // not money: a port
    for (const port of [preferredPort, exactPort === true ? undefined : lastPort]) {
      if (port === undefined) continue;
      try {
        return await startSandbox({ ...sandbox, dir, port });
      } catch (error) {
        const taken = error instanceof SandboxStartError && error.code === "port_in_use";
        if (!taken || exactPort === true) throw error;
      }
    }
    return startSandbox({ ...sandbox, dir, port: 0 });
  }

  /** Starts again after a failure: on the same port, which everybody knows, else on any where that is allowed. */
  async #reopen(previousUrl: string): Promise<Sandbox> {
    const { startSandbox, SandboxStartError } = await import("../../sandbox/index.ts");
    const { dir, exactPort, sandbox: given } = this.#options;
    const portOf = (url: string): number => Number(new URL(url).port); // not money: a port
    const admin = this.admin === undefined ? {} : { admin: { port: portOf(this.admin.url) } };
    const settings = { ...given, ...admin, dir, afterFailure: true };
    const port = portOf(previousUrl);
    const sandbox = await startSandbox({ ...settings, port }).catch((error: unknown) => {
      const taken = error instanceof SandboxStartError && error.code === "port_in_use";
      if (!taken || exactPort === true) throw error;
      return startSandbox({ ...settings, port: 0 });
    });
    try {
      writePortFile(this.#portFile, { base_url: sandbox.baseUrl, pid: process.pid });
    } catch (error) {
      await sandbox.close();
      throw error;
    }
    return sandbox;
  }

  /** Uses the exchange of another process until the connection kept to it ends. */
  #follow(baseUrl: string): string {
    if (this.#closed) return baseUrl;
    const { hostname, port } = new URL(baseUrl);
    const watch = connect({ host: hostname.replace(/[[\]]/g, ""), port: Number(port) }); // not money: a port
    watch.unref();
    // Without a reader the end of the connection would never be noticed behind unread bytes.
    watch.resume();
    watch.on("error", () => undefined);
    watch.on("close", () => {
      this.#followed = undefined;
      // The next call searches again by itself, and says so if it fails.
      if (this.#options.standBy && !this.#closed) this.locate().catch(() => undefined);
    });
    this.#followed = { baseUrl, watch };
    return baseUrl;
  }
}

const portFilePath = (dir: string): string => join(dir, "host.json");
const keyFilePath = (dir: string): string => join(dir, "key.json");

function portFileIn(dir: string): PortFile | undefined {
  const read = readJson(portFilePath(dir)) as Partial<PortFile> | undefined;
  const fits = typeof read?.base_url === "string" && /^http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/.test(read.base_url);
  return fits && typeof read.pid === "number" ? { base_url: read.base_url as string, pid: read.pid } : undefined;
}

function keptKeyIn(dir: string): PaperKeyPair | undefined {
  const read = readJson(keyFilePath(dir)) as { readonly api_key?: unknown; readonly api_secret?: unknown } | undefined;
  return typeof read?.api_key === "string" && typeof read.api_secret === "string"
    ? hidden({ apiKey: read.api_key, apiSecret: read.api_secret })
    : undefined;
}

/** The exchange of a directory while a process hosts it; undefined while none does. Nothing is hosted, made or locked for it. */
export async function hostedIn(
  dir: string,
): Promise<(PortFile & { readonly key: PaperKeyPair | undefined }) | undefined> {
  const [known, key] = [portFileIn(dir), keptKeyIn(dir)];
  return known !== undefined && (await answers(known.base_url, key?.apiKey)) ? { ...known, key } : undefined;
}

/** A new sandbox makes its own pair, which is no `Secret` until now; from here on it does not print. */
function hidden({ apiKey, apiSecret }: PaperKeyPair): PaperKeyPair {
  scrubber.add(apiKey);
  scrubber.add(apiSecret);
  return { apiKey, apiSecret };
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readOwnFile(path, (problem) => new Error(problem)) ?? "");
  } catch {
    // Missing, half-written or not our own: the same to the caller, who decides what that means.
    return undefined;
  }
}

function writePortFile(path: string, content: PortFile): void {
  const temporary = `${path}.${randomUUID()}`;
  writeFileSync(temporary, JSON.stringify(content), { mode: 0o600, flag: "wx" });
  renameSync(temporary, path);
}

/** For the whole answer; an exchange on this machine needs a few milliseconds. */
const TOTAL_MS = 1_500;
const BODY_MAX = 4 * 1024;

/**
 * The port may belong to another program by now, or to the exchange of another directory. Only ours knows our key: it answers a
 * request without a signature that the signature is wrong, and not the key.
 */
export function answers(baseUrl: string, apiKey: string | undefined): Promise<boolean> {
  const headers = apiKey === undefined ? {} : { "API-Key": apiKey, "API-Nonce": "0", "API-Sign": "" };
  const path = apiKey === undefined ? "/v1/time" : "/v1/accounts";
  return new Promise((resolve) => {
    const probe = request(`${baseUrl}${path}`, { agent: false, headers }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
        if (body.length > BODY_MAX) probe.destroy();
      });
      // Cut off in the middle: `close` of the request follows.
      response.on("error", () => undefined);
      response.on("end", () => {
        const ours = apiKey === undefined ? response.statusCode === 200 : body.includes('"EAPI:Invalid signature"');
        resolve(ours && response.headers["api-version"] !== undefined);
      });
    });
    const timer = setTimeout(() => probe.destroy(), TOTAL_MS);
    probe.on("error", () => resolve(false));
    probe.on("close", () => {
      clearTimeout(timer);
      resolve(false);
    });
    probe.end();
  });
}
