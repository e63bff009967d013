/** The port `PasskeyCheck`: what a passkey has signed is verified by it. Outside of the desk, as it needs the store and the address of the console. */
import type { Result } from "../../contract/index.ts";
import type { PasskeyAssertion } from "../model/submission.ts";

/** Says what has to have been signed. */
export interface PasskeyQuestion {
  /** The challenge, hex: of an approval its digest. */
  readonly challenge: string;
  /** For the log: what it is a yes to. */
  readonly purpose: string;
  /** Says that it counts only of a passkey that was enrolled with the PIN. */
  readonly forRealMoney: boolean;
  readonly nowMs: number;
}

export interface PasskeyCheck {
  /**
   * Verifies that a passkey which is enrolled has signed this challenge, with the person verified, for a page of this process's console; and counts the
   * signature as used.
   * @returns a fault that says why it is no yes
   */
  verify(assertion: PasskeyAssertion, question: PasskeyQuestion): Promise<Result<void>>;
  /** Tells whether a passkey is enrolled whose yes would count. */
  isEnrolled(forRealMoney: boolean): Promise<Result<boolean>>;
}
