import { expect, it } from "vitest";
import { canonicalJson, redacted } from "../../src/contract/index.ts";

it("redacts every string, and keys, in any depth", () => {
  const redact = (text: string) => text.replaceAll("secret", "*");
  const given = { secret: [{ deep: "a secret" }], z: "secret", a: 1 };
  expect(canonicalJson(redacted(given, redact))).toBe('{"*":[{"deep":"a *"}],"a":1,"z":"*"}');
  expect(canonicalJson(redacted({ secret: 1, "*": 2 }, redact))).toBe('{"*":2}');
});
