/**
 * Ports that open the store or exchange behind them at their first call, so that a desk can be composed before either is open.
 *
 * Invariant: where that fails, every call returns a fault that says why; nothing was sent.
 *
 * Owns too how a person acts outside of the assistant: on a terminal, and by a touch in the console, which a process that serves none loads nothing of.
 */

import type { Home } from "../../config/index.ts";
import { failed, localFault, onFirstUse, type Result } from "../../contract/index.ts";
import type { PasskeyCheck, Terminal, Venue } from "../../desk/index.ts";
import { ConsoleAddress } from "../../passkeys/index.ts";
import { type Lane, LocalLane, systemClock } from "../../transport/index.ts";
import { isExplained } from "../failure.ts";
import type { DeskStore } from "./home-store.ts";
import { once, SOON_MS, within } from "./opening.ts";

type Call = (...args: readonly unknown[]) => Promise<Result<unknown>>;

/** @param open called by every call of the port; it remembers what it has opened */
export function lazyPort<Port extends object>(open: () => Promise<Port>): Port {
  const call =
    (name: string): Call =>
    async (...args) => {
      let port: Port;
      try {
        port = await open();
      } catch (error) {
        return failed(openingFault(error));
      }
      return (port as Readonly<Record<string, Call>>)[name]?.(...args) ?? failed(localFault("ELocal:Not started"));
    };
  // `await` must not take a port for a promise.
  const get = (_: object, name: string | symbol) =>
    typeof name === "symbol" || name === "then" ? undefined : call(name);
  return new Proxy({}, { get }) as Port;
}

/**
 * The store's lane, from the call on that finds the store open; before, one of this process's memory, whose orders the journal does not
 * let leave.
 */
export function lazyLane(open: (keyId: string, isUrgent: boolean) => Promise<Lane | undefined>): Lane {
  const local = onFirstUse(() => new LocalLane(systemClock));
  let opened: Lane | undefined;
  const laneOf = async (keyId: string, isUrgent: boolean): Promise<Lane> => {
    if (opened !== undefined) return opened;
    const opening = open(keyId, isUrgent);
    const found = await (isUrgent ? within(SOON_MS, opening) : opening);
    opened ??= found;
    return opened ?? local();
  };
  return {
    enter: async (keyId, request) => (await laneOf(keyId, request.urgent === true)).enter(keyId, request),
    pause: async (keyId, forMs) => (await laneOf(keyId, true)).pause(keyId, forMs),
    learn: async (keyId, news) => (await laneOf(keyId, true)).learn?.(keyId, news),
  };
}

type VenueFacts = Pick<Venue, "environment" | "card" | "needsCompliance">;

/** @param opened the venue once it is open: what it says without a call is not known before */
export function lazyVenue(
  open: () => Promise<Venue>,
  opened: () => Venue | undefined,
  { environment, card, needsCompliance }: VenueFacts,
): Venue {
  const port = lazyPort(open);
  const known = {
    ...{ environment, card, needsCompliance },
    ...(card.cancel_timer ? {} : { setCancelTimer: undefined }),
    ...(card.market_rules === "one_by_one" ? {} : { rules: undefined }),
    get keyId() {
      return opened()?.keyId;
    },
    get writeTimeoutMs() {
      // While it is not known, no request counts as over.
      return opened()?.writeTimeoutMs ?? Number.POSITIVE_INFINITY;
    },
    clockOffsetMs: () => opened()?.clockOffsetMs(),
  };
  const get = (_: object, name: string) =>
    name in known ? known[name as keyof typeof known] : port[name as keyof Venue];
  return new Proxy({}, { get }) as Venue;
}

/** An error of opening, as a fault; a defect is thrown on. */
function openingFault(error: unknown) {
  if (!isExplained(error)) throw error;
  return localFault("ELocal:Not started", { message: error.message, nextAction: error.fix });
}

interface Terminals {
  readonly commandLine: Terminal["command"];
  readonly home: Pick<Home, "policy">;
}

export function personParts(
  { commandLine: command, home }: Terminals,
  store: () => Promise<DeskStore>,
  isPractice: () => boolean | undefined,
) {
  const consoleAddress = onFirstUse(() => new ConsoleAddress());
  const stored = lazyPort<DeskStore["passkeys"]>(async () => (await store()).passkeys);
  const origin = (): string | undefined => consoleAddress.made()?.origin;
  const passkeys = lazyPort<PasskeyCheck>(async () => {
    const { passkeyCheck } = await import("../../passkeys/index.ts");
    return passkeyCheck({ passkeys: stored, origin });
  });
  const consolePasskeys = once(async () => {
    const { ConsolePasskeys } = await import("../../passkeys/index.ts");
    return new ConsolePasskeys({
      ...{ passkeys: stored, check: passkeys, address: consoleAddress(), pinCommand: command("pin") },
      ...{ isPractice: () => isPractice() === true, clock: systemClock, rising: () => performance.now() },
    });
  });
  const terminal: Terminal = {
    command,
    policyPath: home.policy,
    hasPin: async () => (await store()).pin.isSet(),
    approvalPage: (id) => consoleAddress.made()?.approvalPage(id),
  };
  return { consoleAddress, consolePasskeys, passkeys, terminal };
}
