/**
 * Owns the tenants that a server over HTTP serves: a composition and servers for each, opened in the background or when first asked for, and
 * kept open, as orders without an answer and dead-man's switches go on whether anybody calls or not.
 *
 * Invariants: nothing of one composition reaches another; a tenant that cannot be opened is tried again and disturbs nobody; one that was
 * removed, or was given another key, is closed once its writes have ended.
 *
 * Source: decision 0040.
 */
import { homeOf, type MasterKeys, masterKeysIn, tenantHome } from "../../config/index.ts";
import type { Desk } from "../../desk/index.ts";
import type { ServerFactory } from "../../mcp/index.ts";
import type { KeptTenant, Tenants } from "../../store/index.ts";
import { ExplainedError, isExplained, unwrap } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import type { Composition } from "./compose.ts";
import type { ServedProfile } from "./served-profile.ts";
import { noTenant, tenantOf } from "./tenants.ts";

export interface TenantParts {
  readonly run: Invocation;
  /** Lists the tenants of the operator's store. */
  readonly register: Pick<Tenants, "list" | "find">;
  /** Makes desk and servers; nothing is opened yet. @param tell notices and troubles of this one */
  readonly make: (served: ServedProfile, tell: (message: string) => void) => Promise<MadeTenant>;
  /** Opens everything, and goes on to look after it. */
  readonly open: (composition: Composition, onNotice: (message: string) => void) => Promise<void>;
  readonly onNotice: (message: string) => void;
}

export interface MadeTenant {
  readonly composition: Composition;
  readonly desk: Desk;
  readonly factory: ServerFactory;
}

interface Entry {
  /** Changes with whatever takes a new composition. */
  readonly made: string;
  readonly kept: KeptTenant;
  opening: Promise<MadeTenant> | undefined;
  /** Once it is. */
  opened: MadeTenant | undefined;
  failure: { readonly error: unknown; readonly atMs: number } | undefined;
}

const LOOK_EVERY_MS = 1_000;
/** Between two attempts at one that could not be opened. */
const AGAIN_MS = 5_000;
/** Bounds how long a call waits for one that is being opened; it is told to come again then. */
const OPENED_WITHIN_MS = 5_000;

export class ServedTenants {
  readonly #parts: TenantParts;
  readonly #entries = new Map<string, Entry>();
  readonly #closing = new Set<Promise<void>>();
  #keys: MasterKeys | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: TenantParts) {
    this.#parts = parts;
  }

  /** Follows the register from now on: who is new is opened, who is gone closed. */
  follow(): void {
    this.#timer = setTimeout(() => {
      this.#look()
        .catch(() => undefined)
        .finally(() => {
          if (!this.#isClosed) this.follow();
        });
    }, LOOK_EVERY_MS).unref();
  }

  /** Those that are open, by name. */
  get desks(): ReadonlyMap<string, Desk> {
    const open = [...this.#entries].flatMap(([name, { opened }]) =>
      opened === undefined ? [] : [[name, opened.desk] as const],
    );
    return new Map(open);
  }

  /** Rejects with what keeps it from being served, in words for its callers. */
  async serversOf(name: string): Promise<ServerFactory> {
    if (!this.#entries.has(name)) {
      const kept = unwrap(await this.#parts.register.find(name));
      if (kept === undefined) throw noTenant(name);
      if (!this.#entries.has(name)) this.#add(kept);
    }
    const entry = this.#entries.get(name);
    if (entry === undefined) throw noTenant(name);
    try {
      return (await inTime(this.#open(entry))).factory;
    } catch (error) {
      if (!isExplained(error)) throw new Error("it could not be opened. The operator's log says why.");
      // Where things lie is the operator's business.
      throw new Error(error.message.replaceAll(homeOf(this.#parts.run.env).dir, "HOGA_HOME"));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const name of [...this.#entries.keys()]) this.#drop(name);
    await Promise.all(this.#closing);
  }

  async #look(): Promise<void> {
    const listed = await this.#parts.register.list();
    if (!listed.ok || this.#isClosed) return;
    const now = new Map(listed.value.map((kept) => [kept.name, kept]));
    for (const [name, { made }] of this.#entries) {
      const kept = now.get(name);
      if (kept === undefined || madeOf(kept) !== made) this.#drop(name);
      else this.#entries.set(name, Object.assign(this.#entries.get(name) as Entry, { kept }));
    }
    for (const kept of now.values()) {
      if (this.#isClosed) return;
      const entry = this.#entries.get(kept.name) ?? this.#add(kept);
      // One after the other: whoever calls does not wait for all of them.
      if (entry.opened === undefined) await this.#open(entry).catch(() => undefined);
    }
  }

  #add(kept: KeptTenant): Entry {
    const entry = { made: madeOf(kept), kept, opening: undefined, opened: undefined, failure: undefined };
    this.#entries.set(kept.name, entry);
    return entry;
  }

  #open(entry: Entry): Promise<MadeTenant> {
    if (entry.opening !== undefined) return entry.opening;
    const { failure } = entry;
    if (failure !== undefined && performance.now() - failure.atMs < AGAIN_MS) return Promise.reject(failure.error);
    const { name } = entry.kept;
    entry.opening = this.#begin(entry).then(
      (made) => {
        entry.opened = made;
        return made;
      },
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        const before = failure?.error instanceof Error ? failure.error.message : undefined;
        if (message !== before) this.#parts.onNotice(`tenant ${name}: it cannot be served: ${message}`);
        entry.failure = { error, atMs: performance.now() };
        entry.opening = undefined;
        throw error;
      },
    );
    return entry.opening;
  }

  async #begin({ kept }: Entry): Promise<MadeTenant> {
    const { run, make, open, onNotice } = this.#parts;
    const operator = homeOf(run.env);
    const keys = (): MasterKeys => {
      // Once for all of them: a command is not run for each.
      this.#keys ??= masterKeysIn(operator, run.env);
      return this.#keys;
    };
    const home = tenantHome(operator, tenantOf(kept, keys));
    const { configuredProfile } = await import("./configured-profile.ts");
    const tell = (message: string): void => onNotice(`tenant ${kept.name}: ${message}`);
    const made = await make({ home, ...configuredProfile(home, run.env, undefined) }, tell);
    try {
      await open(made.composition, tell);
      return made;
    } catch (error) {
      await made.composition.close();
      throw error;
    }
  }

  #drop(name: string): void {
    const entry = this.#entries.get(name);
    this.#entries.delete(name);
    const closing = this.#end(entry?.opening).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  async #end(opening: Promise<MadeTenant> | undefined): Promise<void> {
    const made = await opening?.catch(() => undefined);
    await made?.factory.idle();
    await made?.composition.close();
  }
}

/** Whoever calls is not held up by what is settled first; the opening goes on. */
async function inTime<T>(opening: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const why = "it is being opened, and what is without an answer settled first.";
    timer = setTimeout(() => reject(new ExplainedError(why, "Try again.")), OPENED_WITHIN_MS);
  });
  try {
    return await Promise.race([opening, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Sealed anew it is the same key. */
function madeOf({ profile, key }: KeptTenant): string {
  return JSON.stringify([profile, key?.digest]);
}
