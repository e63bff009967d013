import { format, inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { Secret } from "../../src/config/index.ts";

const CANARY = "canary-c0ffee";
const secret = new Secret(CANARY);

/** Every way a value gets into text by accident. */
const WAYS: Record<string, () => string> = {
  String: () => String(secret),
  template: () => `${secret}`,
  concatenation: () => "".concat(secret as unknown as string),
  join: () => [secret, [secret]].join(),
  JSON: () => JSON.stringify({ secret, deep: [{ secret }] }),
  inspect: () => inspect(secret),
  "inspect, everything": () =>
    inspect({ deep: { deeper: { secret } } }, { showHidden: true, depth: 99, getters: true }),
  "inspect, without custom": () => inspect(secret, { customInspect: false, showHidden: true }),
  format: () => format("%s %o %O %j", secret, secret, secret, secret),
  error: () => inspect(new Error(`failed with ${secret}`, { cause: secret })),
  entries: () => JSON.stringify([Object.entries(secret), Object.getOwnPropertyNames(secret), { ...secret }]),
  clone: () => inspect(structuredClone({ ...secret })),
};

describe("a secret", () => {
  it.each(Object.keys(WAYS))("does not print by %s", (way) => {
    expect(WAYS[way]?.()).not.toContain(CANARY);
  });

  it("shows that something is hidden", () => {
    expect([String(secret), JSON.stringify(secret), inspect(secret)]).toEqual(["[secret]", '"[secret]"', "[secret]"]);
  });

  it("is given out on request only", () => {
    expect(secret.reveal()).toBe(CANARY);
  });
});
