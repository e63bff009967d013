import { describe, expect, expectTypeOf, it } from "vitest";
import { type Defined, defined } from "../../src/contract/index.ts";

describe("an object of what is defined", () => {
  it("has every other field in its order, null, false, zero and empty text too, and is a copy", () => {
    const given = {
      z: null,
      gone: undefined,
      a: false,
      zero: 0,
      text: "",
      list: [undefined],
      deep: { gone: undefined },
    };
    expect(Object.entries(defined(given))).toEqual([
      ["z", null],
      ["a", false],
      ["zero", 0],
      ["text", ""],
      ["list", [undefined]],
      ["deep", { gone: undefined }],
    ]);
    expect(given).toHaveProperty("gone");
  });

  it("fits a type whose optional fields may not be undefined", () => {
    interface Given {
      readonly always: string;
      readonly maybe: number | undefined;
      readonly optional?: boolean | undefined;
    }
    expectTypeOf<Defined<Given>>().toEqualTypeOf<{
      readonly always: string;
      readonly maybe?: number;
      readonly optional?: boolean;
    }>();
  });
});
