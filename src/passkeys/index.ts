/** A yes by touch: what a passkey has signed, verified; enrolling one. */
export { ConsoleAddress } from "./console-address.ts";
export { ConsolePasskeys } from "./console-passkeys.ts";
export { verifyTouches } from "./logged-touches.ts";
export { passkeyCheck } from "./passkey-check.ts";
