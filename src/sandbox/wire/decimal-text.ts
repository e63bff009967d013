/**
 * Converts between the engine's integers and the decimal strings on the wire. Entry points: `decimalText`, `nullableText`,
 * `fixedText`, `unitsOf`, `quotient`.
 *
 * Invariants: conversion is exact both ways; a written decimal has no trailing zeros, so equal amounts have equal texts.
 * Source: service.md#decimal-form, service.md#amounts-are-strings.
 */
import { ONE, SCALE, type Units } from "../model/index.ts";

/** 1_500_000n is "0.015". */
export function decimalText(units: Units): string {
  if (units < 0n) return `-${decimalText(-units)}`;
  const digits = units.toString().padStart(SCALE + 1, "0");
  let end = digits.length;
  const point = digits.length - SCALE;
  while (end > point && digits.charCodeAt(end - 1) === ZERO) end--;
  return end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`;
}

export function nullableText(units: Units | null): string | null {
  return units === null ? null : decimalText(units);
}

/** The decimal with all 8 decimals, as in `descr.order`: "0.01500000". */
export function fixedText(units: Units): string {
  const digits = units.toString().padStart(SCALE + 1, "0");
  return `${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`;
}

/** The units of a plain decimal, which was checked against the contract's schema. */
export function unitsOf(text: string): Units {
  const point = text.indexOf(".");
  if (point < 0) return BigInt(text) * ONE;
  return BigInt(text.slice(0, point) + text.slice(point + 1).padEnd(SCALE, "0"));
}

/** `numerator ÷ denominator` in units, rounded half-even to 8 decimals. @param denominator positive */
export function quotient(numerator: Units, denominator: Units): Units {
  const negative = numerator < 0n;
  const scaled = (negative ? -numerator : numerator) * ONE;
  const whole = scaled / denominator;
  const twice = (scaled % denominator) * 2n;
  const up = twice > denominator || (twice === denominator && whole % 2n === 1n);
  const rounded = up ? whole + 1n : whole;
  return negative ? -rounded : rounded;
}

const ZERO = 48;
