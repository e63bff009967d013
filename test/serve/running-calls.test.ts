/** What is taken for a request, beside what the SDK takes for one: whoever is not noted as waiting is not told when the server stops. */
import { isJSONRPCRequest } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { expect, it } from "vitest";
import { canceledBy } from "../../src/serve/sessions/running-calls.ts";
import { isRequest } from "../../src/serve/wire/request-message.ts";

const request = { jsonrpc: "2.0", id: 1, method: "tools/call" };

it.each([
  request,
  { ...request, id: "a" },
  { ...request, params: { name: "get_ticker" } },
  { ...request, id: undefined },
  { ...request, id: null },
  { ...request, id: 1.5 },
  { ...request, id: 2 ** 53 },
  { ...request, jsonrpc: "1.0" },
  { ...request, method: 5 },
  { ...request, params: null },
  { ...request, params: [] },
  { ...request, result: {} },
  [request],
  null,
  "request",
])("%j is one where it is one to the SDK", (message) => {
  const given: unknown = JSON.parse(JSON.stringify(message));
  expect(isRequest(given)).toBe(isJSONRPCRequest(given));
});

it("misses none that the SDK would serve", () => {
  const part = fc.oneof(fc.constantFrom("2.0", 1, "tools/call", undefined, null), fc.object({ maxDepth: 2 }));
  const message = fc.record(
    { jsonrpc: fc.constantFrom("2.0", "1.0"), id: part, method: part, params: part, result: part },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(message, (given) => {
      expect({ given, isMissed: isJSONRPCRequest(given) && !isRequest(given) }).toEqual({ given, isMissed: false });
    }),
  );
});

it("finds what is canceled in notifications alone", () => {
  const canceled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
  const others = [{ ...canceled, id: 1 }, { ...canceled, params: { requestId: {} } }, request];
  expect([canceled, ...others].map(canceledBy)).toEqual([7, undefined, undefined, undefined]);
});
