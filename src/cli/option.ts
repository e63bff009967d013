/** Options of several commands, and how the values of options are read. */
import { InvalidArgumentError, Option } from "commander";

export function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    // not money: a port
    throw new InvalidArgumentError("write a port from 0 (any free one) to 65535");
  return Number(text); // not money: a port
}

export function positive(text: string): number {
  const value = Number(text); // not money: a speed or seed
  if (!(Number.isFinite(value) && value > 0)) throw new InvalidArgumentError("write a number greater than 0");
  return value;
}

export function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("write a whole number");
  return Number(text); // not money: a seed or count
}

export function count(text: string): number {
  const value = whole(text);
  if (value === 0) throw new InvalidArgumentError("write a whole number from 1 on");
  return value;
}

export const profileOption = (): Option =>
  new Option("--profile <name>", "profile to use (default: HOGA_PROFILE, or paper)");
export const jsonOption = (): Option => new Option("--json", "print the result as JSON, one line");
