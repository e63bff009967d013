/** Owns what a person is told whose PIN did not count, on a terminal and in the console. */
import type { Words } from "./words.ts";

/** Why a try did not count. `left`: tries before the lock. `closed` and `passkeys_only` are the console's. */
export type PinTrouble =
  | { readonly why: "wrong"; readonly left: number }
  | { readonly why: "locked"; readonly untilMs: number }
  | { readonly why: "closed" }
  | { readonly why: "passkeys_only"; readonly untilMs: number }
  | { readonly why: "unset" };

/** @param command sets the PIN. @returns what is wrong, and what to do */
export function pinRefusal(
  trouble: PinTrouble,
  { say, when }: Words,
  command: string,
): readonly [message: string, fix: string] {
  switch (trouble.why) {
    case "wrong":
      return [say("pin.wrong"), say("pin.left", { left: trouble.left })];
    case "locked":
      return [say("pin.locked"), say("pin.locked_until", { time: when(trouble.untilMs) })];
    case "closed":
      return [say("pin.closed"), say("pin.closed_do")];
    case "passkeys_only":
      return [say("pin.passkeys_only"), say("pin.passkeys_only_do", { time: when(trouble.untilMs) })];
    case "unset":
      return [say("pin.unset"), say("pin.set_with", { command })];
    default:
      return trouble satisfies never;
  }
}
