/** Owns how a person acts outside of the assistant: on a terminal, and by a touch in the console, which a process that serves none loads nothing of. */
import type { Home } from "../../config/index.ts";
import { onFirstUse } from "../../contract/index.ts";
import type { PasskeyCheck, Terminal } from "../../desk/index.ts";
import { ConsoleAddress } from "../../passkeys/index.ts";
import { systemClock } from "../../transport/index.ts";
import type { DeskStore } from "./home-store.ts";
import { lazyPort } from "./lazy-ports.ts";
import { once } from "./opening.ts";

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
