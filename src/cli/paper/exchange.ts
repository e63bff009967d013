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
import { type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { makeDir, readOwnFile, scrubber } from "../../config/index.ts";
import { SANDBOX_HEADER } from "../../contract/index.ts";
import type { Sandbox, SandboxOptions } from "../../sandbox/index.ts";
import type { HeldLock } from "../../store/index.ts";
import { ExplainedError } from "../failure.ts";
import { PaperHost } from "./host.ts";

interface PortFile {
  readonly base_url: string;
  readonly pid: number;
  /** As its answers name it, whatever API it speaks. */
  readonly sandbox_id?: string;
}

/** Whose API it speaks that speaks its own. */
const OWN = "hoga";

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
  /** Whose API it speaks, by the name of the exchange. One that the directory has of another is not taken over. */
  readonly speaks?: string;
  /** Whose API a directory of an earlier version spoke, which did not write that down; whatever is wanted, unless given. */
  readonly unmarked?: string;
  readonly sandbox?: Omit<SandboxOptions, "dir" | "port" | "as">;
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

  get #speaks(): string {
    return this.#options.speaks ?? OWN;
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
      this.#checkApi();
      const known = portFileIn(this.#options.dir);
      if (known !== undefined && (await answers(known, this.#speaks, keptKeyIn(this.#options.dir)?.apiKey)))
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

  /** Accounts and orders of one exchange are nothing to another one. */
  #checkApi(): void {
    const { dir, speaks = OWN, unmarked = speaks } = this.#options;
    const before = markIn(dir) ?? (keptKeyIn(dir) && unmarked);
    if (before === undefined || before === speaks) return;
    throw new PaperExchangeError(
      `The exchange in ${dir} is ${before}, with its accounts and orders, and ${speaks} is asked for.`,
      `Go on with it: exchange = "${before}" in [profiles.paper]${before === OWN ? ", or no such line" : ""}. Or move ${dir} away, and ${speaks} begins anew.`,
    );
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
      writeWhole(markPath(this.#options.dir), { speaks: this.#speaks });
      writeWhole(this.#portFile, portFileOf(sandbox));
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
    const { dir, preferredPort, exactPort } = this.#options;
    const sandbox = await this.#settings();
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

  async #settings(): Promise<Omit<SandboxOptions, "dir" | "port">> {
    const { sandbox = {} } = this.#options;
    const speaks = this.#speaks;
    if (speaks === OWN) return sandbox;
    const { VENUE_NAMES } = await import("../../sandbox/index.ts");
    const as = VENUE_NAMES.find((name) => name === speaks);
    if (as !== undefined) return { ...sandbox, as };
    throw new PaperExchangeError(
      `The sandbox does not speak the API of ${speaks}.`,
      `Name one of: ${[OWN, ...VENUE_NAMES].join(", ")}.`,
    );
  }

  /** Starts again after a failure: on the same port, which everybody knows, else on any where that is allowed. */
  async #reopen(previousUrl: string): Promise<Sandbox> {
    const { startSandbox, SandboxStartError } = await import("../../sandbox/index.ts");
    const { dir, exactPort } = this.#options;
    const given = await this.#settings();
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
      writeWhole(this.#portFile, portFileOf(sandbox));
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
const markPath = (dir: string): string => join(dir, "speaks.json");

function portFileIn(dir: string): PortFile | undefined {
  const read = readJson(portFilePath(dir)) as Partial<PortFile> | undefined;
  const fits = typeof read?.base_url === "string" && /^http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/.test(read.base_url);
  if (!fits || typeof read.pid !== "number") return undefined;
  const { base_url, pid, sandbox_id } = read;
  return { base_url: base_url as string, pid, ...(typeof sandbox_id === "string" && { sandbox_id }) };
}

/** Whose API the exchange of a directory speaks; undefined where that was not written down. */
function markIn(dir: string): string | undefined {
  const read = readJson(markPath(dir)) as { readonly speaks?: unknown } | undefined;
  return typeof read?.speaks === "string" ? read.speaks : undefined;
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
  const isThere = known !== undefined && (await answers(known, markIn(dir) ?? OWN, key?.apiKey));
  return isThere ? { ...known, key } : undefined;
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

function portFileOf({ baseUrl, sandboxId }: Sandbox): PortFile {
  return { base_url: baseUrl, pid: process.pid, sandbox_id: sandboxId };
}

function writeWhole(path: string, content: object): void {
  const temporary = `${path}.${randomUUID()}`;
  writeFileSync(temporary, JSON.stringify(content), { mode: 0o600, flag: "wx" });
  renameSync(temporary, path);
}

/** For the whole answer; an exchange on this machine needs a few milliseconds. */
const TOTAL_MS = 1_500;
const BODY_MAX = 4 * 1024;

/**
 * The port may belong to another program by now, or to the exchange of another directory. Only ours knows our key: it answers a
 * request without a signature that the signature is wrong, and not the key. One that speaks another exchange's API names itself.
 */
function answers({ base_url, sandbox_id }: PortFile, speaks: string, apiKey: string | undefined): Promise<boolean> {
  const isOwn = speaks === OWN;
  const headers = isOwn && apiKey !== undefined ? { "API-Key": apiKey, "API-Nonce": "0", "API-Sign": "" } : {};
  const path = isOwn ? (apiKey === undefined ? "/v1/time" : "/v1/accounts") : "/";
  const isOurs = ({ headers: said, statusCode }: IncomingMessage, body: string): boolean => {
    if (!isOwn) return sandbox_id !== undefined && said[SANDBOX_HEADER.toLowerCase()] === sandbox_id;
    const isKnown = apiKey === undefined ? statusCode === 200 : body.includes('"EAPI:Invalid signature"');
    return isKnown && said["api-version"] !== undefined;
  };
  return new Promise((resolve) => {
    const probe = request(`${base_url}${path}`, { agent: false, headers }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
        if (body.length > BODY_MAX) probe.destroy();
      });
      // Cut off in the middle: `close` of the request follows.
      response.on("error", () => undefined);
      response.on("end", () => resolve(isOurs(response, body)));
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
