/**
 * A call as the sender knows it, whatever the venue: how it is written to the wire, and how its outcome is read, are the call's own.
 */
import type { z } from "zod";
import type { Result } from "../../contract/index.ts";
import type { Address } from "./base-url.ts";
import type { Charge, WireOutcome, WireRequest } from "./ports.ts";

export type RequestParts = Pick<WireRequest, "path" | "headers" | "body">;

/** Signs what the venue wants signed. @returns the headers that show it */
export type Signer = (...parts: readonly string[]) => Record<string, string>;

/** A key in use: its secret is opened for one call at a time. */
export interface SigningKey {
  /** The key's name, never the key itself. */
  readonly keyId: string;
  /** @returns undefined when the secret cannot be read */
  signer(): Signer | undefined;
}

/** Hears of each answer with the schema that it is read by, before anything is made of it. */
export type AnswerListener = (answer: {
  readonly endpoint: string;
  readonly status: number;
  readonly body: Uint8Array;
  readonly response: z.ZodType;
}) => void;

export interface VenueCall<T, IsWrite extends boolean = boolean> {
  /** For logs and figures. */
  readonly endpoint: string;
  readonly method: WireRequest["method"];
  readonly weight: number;
  /** Of a venue with groups of calls: the groups it counts in. Then a public call takes a turn, too, and turns of a key do not exclude each other. */
  readonly charges?: readonly Charge[];
  readonly isPrivate: boolean;
  /** Whether it may change something at the venue. Then it is sent at most once, and no answer means unknown. Part of the type, so that a write cannot reach the code that retries reads. */
  readonly isWrite: IsWrite;
  /** The schema that its answer is read by, for whoever compares the two. */
  readonly response?: z.ZodType;
  /** @param signed of a private call: its nonce, and what signs it */
  request(address: Address, signed?: { readonly nonce: string; readonly signer: Signer }): RequestParts;
  /** A value of the contract, or a fault that says truthfully whether the venue was reached. */
  answer(outcome: WireOutcome, nowMs: number): Result<T>;
}
