/**
 * JSON as some exchanges write it: quotations have numbers, and they look as a Java program prints a double (`8.4E7`, `5.0E-5`, `5000.0`).
 * Entry points: `double`, `long`, `writtenJson`.
 *
 * Invariant: a number is written from its exact decimal and never was a floating-point number; digits beyond the 17 of a double are cut.
 */
import { SCALE, type Units } from "../model/index.ts";

/** A number whose text is made already. */
export class WrittenNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Json = string | number | boolean | null | WrittenNumber | readonly Json[] | JsonObject;

/** A field that is undefined is left out. */
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

const SIGNIFICANT_MAX = 17;
/** A double from 10⁻³ up to 10⁷ is printed without an exponent. */
const [PLAIN_FROM, PLAIN_BELOW] = [-3, 7];

export function double(units: Units): WrittenNumber {
  return new WrittenNumber(units < 0n ? `-${doubleText(-units)}` : doubleText(units));
}

/** An integer, which may be larger than a reader's safe ones. */
export function long(value: number | bigint): WrittenNumber {
  return new WrittenNumber(value.toString());
}

function doubleText(units: Units): string {
  if (units === 0n) return "0.0";
  const all = units.toString();
  const exponent = all.length - 1 - SCALE;
  const digits = all.slice(0, SIGNIFICANT_MAX).replace(/0+$/, "");
  if (exponent < PLAIN_FROM || exponent >= PLAIN_BELOW) return `${pointed(digits, 1)}E${exponent}`;
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${digits}`;
  return pointed(digits, exponent + 1);
}

/** The digits with a point after the first so many, and at least one digit after it. */
function pointed(digits: string, before: number): string {
  return `${digits.slice(0, before).padEnd(before, "0")}.${digits.slice(before) || "0"}`;
}

export function writtenJson(value: Json): string {
  if (value instanceof WrittenNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(writtenJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).flatMap(([name, each]: [string, Json | undefined]) =>
    each === undefined ? [] : [[JSON.stringify(name), writtenJson(each)].join(":")],
  );
  return `{${members.join(",")}}`;
}
