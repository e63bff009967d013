/**
 * Opens the store of a data directory, and makes the desk's ports of it: nothing is opened before the first call of one.
 */
import type { Home } from "../../config/index.ts";
import type { DeskParts, KillSwitchStore } from "../../desk/index.ts";
import { systemClock } from "../../transport/index.ts";
import type { ComposeOptions } from "./compose-options.ts";
import { haltHome } from "./home-kill-switch.ts";
import { type DeskStore, openHomeStore } from "./home-store.ts";
import { lazyPort } from "./lazy-ports.ts";
import { checkStore } from "./store-check.ts";

/** Looks, where it keeps running, at what it has opened, while it works; the store is closed after that. */
export async function openChecked(
  { home, standBy, onTrouble }: ComposeOptions,
  signal: AbortSignal,
  closers: (() => Promise<void> | void)[],
): Promise<DeskStore> {
  const store = await openHomeStore(home, closers, onTrouble, standBy);
  if (!standBy) return store;
  const onError = (error: unknown): void => {
    if (!signal.aborted) onTrouble(`The store could not be looked at. ${String(error)}`);
  };
  const now = (): number => systemClock.now();
  const looking = checkStore(home, store, { signal, now, onTrouble }).catch(onError);
  closers.push(() => looking);
  return store;
}

interface StoreOpening {
  readonly store: () => Promise<DeskStore>;
  /** Opens the store once the key is there. */
  readonly keyed: () => Promise<DeskStore>;
  readonly watch: ComposeOptions["watch"] | undefined;
}

/** The desk's ports of the store. */
export function storePorts(
  home: Home,
  { store, keyed, watch }: StoreOpening,
): Pick<
  DeskParts,
  "journal" | "plans" | "notices" | "audit" | "fills" | "vouchedSinceMs" | "killSwitch" | "timers" | "seal"
> {
  const journal = lazyPort<DeskStore["journal"]>(async () => (await keyed()).journal);
  const killSwitch = lazyPort<KillSwitchStore>(async () => (await store()).killSwitch);
  return {
    journal: watch?.port?.("journal", journal) ?? journal,
    plans: lazyPort<DeskStore["plans"]>(async () => (await keyed()).plans),
    notices: lazyPort<DeskStore["notices"]>(async () => (await keyed()).notices),
    audit: lazyPort(async () => (await store()).audit),
    fills: lazyPort(async () => (await keyed()).fills),
    vouchedSinceMs: async () => (await keyed()).vouchedSinceMs(),
    killSwitch: {
      state: () => killSwitch.state(),
      engage: (record, soon) => haltHome(home, record, killSwitch, soon),
      spread: () => killSwitch.spread(),
      release: () => killSwitch.release(),
    },
    timers: lazyPort(async () => (await keyed()).timers),
    seal: lazyPort(async () => (await keyed()).seal),
  };
}
