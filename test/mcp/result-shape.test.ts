import { expect, it } from "vitest";
import { z } from "zod";
import { closed, closedLike, flag, maybe, optional, text, whole } from "../../src/mcp/tool/result-shape.ts";

interface Point {
  readonly x: number;
  readonly y: number;
  readonly name?: string;
}

it("lists just the fields of a type, or does not compile", () => {
  expect(closed<Point>({ x: whole, y: whole, name: optional(text) })).toMatchObject({ additionalProperties: false });
  // @ts-expect-error: y is missing
  closed<Point>({ x: whole, name: optional(text) });
  // @ts-expect-error: a point has no z
  closed<Point>({ x: whole, y: whole, z: whole, name: optional(text) });
  // @ts-expect-error: name may be absent
  closed<Point>({ x: whole, y: whole, name: text });
  // @ts-expect-error: x is always there
  closed<Point>({ x: optional(whole), y: whole, name: optional(text) });
});

it("names each field with its type, and takes no other", () => {
  const fields = { a: text, b: maybe, c: flag, n: whole, l: { type: "array" }, o: optional(text) };
  expect(closed<Record<"a" | "b" | "c" | "n" | "l", unknown> & { readonly o?: string }>(fields)).toEqual({
    type: "object",
    properties: { a: text, b: maybe, c: flag, n: whole, l: { type: "array" }, o: text },
    additionalProperties: false,
  });
});

it("reads the contract, and refuses what it has no shape for", () => {
  const inner = z.object({ amount: z.string() });
  const schema = z.object({
    side: z.enum(["buy", "sell"]),
    price: z.string().nullable(),
    inner,
    all: z.array(inner).optional(),
  });
  const shape = {
    type: "object",
    properties: { amount: text },
    additionalProperties: false,
  };
  expect(closedLike(schema)).toMatchObject({
    properties: { side: text, price: maybe, inner: shape, all: { type: "array", items: shape } },
  });
  expect(closedLike(schema, "open")).toMatchObject({
    properties: { inner: { type: "object" }, all: { type: "array" } },
  });
  expect(() => closedLike(z.object({ at: z.date() }))).toThrow("no shape for a field of the kind date");
});
