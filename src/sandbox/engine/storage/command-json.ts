/** Writes commands as JSON-safe values, with BigInts as decimal text, and reads them. Entry points: `writeCommand`, `readCommand`. */
import type { Command } from "../../model/index.ts";

type Text = string | null;

/** A copy of the command with every BigInt as text. */
export function writeCommand(command: Command): object {
  switch (command.type) {
    case "place": {
      const { price, volume, amount } = command;
      return { ...command, price: textOf(price), volume: textOf(volume), amount: textOf(amount) };
    }
    case "nonce":
      return { ...command, nonce: textOf(command.nonce) };
    case "deposit":
    case "withdraw":
    case "quotePayment":
    case "refundPayment":
      return { ...command, amount: textOf(command.amount) };
    case "quoteRemittance":
      return { ...command, amount: textOf(command.amount), targetAmount: textOf(command.targetAmount) };
    case "cancel":
    case "cancelAll":
    case "createAccount":
    case "createKey":
    case "confirmPayment":
    case "cancelPayment":
    case "createRemittance":
    case "cancelRemittance":
    case "setKey":
    case "revokeKey":
    case "registerWebhook":
    case "unregisterWebhook":
    case "advanceClock":
    case "setMarketStatus":
    case "linkKrwAccount":
    case "armCancelTimer":
    case "passTime":
    case "tick":
      return command;
    default:
      return command satisfies never;
  }
}

/** @param written made by `writeCommand`; its checksum was verified. */
export function readCommand(written: { readonly [name: string]: unknown }): Command {
  const command = { ...written };
  for (const name of ["price", "volume", "amount", "targetAmount", "nonce"])
    if (name in command) command[name] = unitsOf(command[name] as Text);
  return command as unknown as Command;
}

function textOf(units: bigint | null): Text {
  return units === null ? null : units.toString();
}

function unitsOf(text: Text): bigint | null {
  return text === null ? null : BigInt(text);
}
