/** Writes commands as JSON-safe values, with BigInts as decimal text, and reads them. Entry points: `writeCommand`, `readCommand`. */
import type { Command } from "../../model/index.ts";
import { written } from "../snapshot/record-rows.ts";
import { type Fields, isFields } from "./record-line.ts";

/** All there are, so that a journal with a command of another program is not taken for ours. */
const TYPES: Readonly<Record<Command["type"], true>> = {
  ...{ createAccount: true, deposit: true, withdraw: true, linkKrwAccount: true, setMarketStatus: true },
  ...{ createKey: true, setKey: true, revokeKey: true, nonce: true, registerWebhook: true, unregisterWebhook: true },
  ...{ place: true, cancel: true, cancelAll: true, armCancelTimer: true },
  ...{ advanceClock: true, passTime: true, tick: true },
  ...{ quotePayment: true, confirmPayment: true, cancelPayment: true, refundPayment: true },
  ...{ quoteRemittance: true, createRemittance: true, cancelRemittance: true },
};

/** A copy of the command with every BigInt as text. */
export function writeCommand(command: Command): object {
  return written(command);
}

/** @param value made by `writeCommand`; its checksum was verified. @returns undefined for what is no command */
export function readCommand(value: unknown): Command | undefined {
  if (!isFields(value)) return undefined;
  const command: Record<string, unknown> = { ...value };
  for (const name of ["price", "volume", "amount", "targetAmount", "nonce"]) {
    const text = command[name];
    if (typeof text === "string") command[name] = BigInt(text);
  }
  return isCommand(command) ? command : undefined;
}

/** Whoever wrote the record has checked the rest of it. */
function isCommand(value: Fields): value is Fields & Command {
  return typeof value["type"] === "string" && Object.hasOwn(TYPES, value["type"]);
}
