import { describe, expect, it } from "vitest";
import { collectorIn } from "../../src/config/index.ts";

const BASE = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };

describe("the collector of spans", () => {
  it.each([
    ["of all signals", BASE, "http://127.0.0.1:4318/v1/traces"],
    ["with a path", { OTEL_EXPORTER_OTLP_ENDPOINT: "https://o.example/otlp/" }, "https://o.example/otlp/v1/traces"],
    [
      "of traces alone, as it is",
      { ...BASE, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://t.example/in" },
      "https://t.example/in",
    ],
  ])("is the one %s", (_, env, url) => {
    expect(collectorIn(env, expect.unreachable)).toBe(url);
  });

  it.each([
    ["none is named", {}],
    ["nothing is named", { OTEL_EXPORTER_OTLP_ENDPOINT: "" }],
    ["the SDK is switched off", { ...BASE, OTEL_SDK_DISABLED: "TRUE" }],
    ["traces are", { ...BASE, OTEL_TRACES_EXPORTER: "none" }],
  ])("is none where %s", (_, env) => {
    expect(collectorIn(env, expect.unreachable)).toBeUndefined();
  });

  it.each([
    ["the protocol is not HTTP", { ...BASE, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /PROTOCOL says grpc/],
    ["there is no scheme", { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }, /not a URL of HTTP/],
  ])("is none where %s, and that is said", (_, env, reason) => {
    const told: string[] = [];
    expect(collectorIn(env, (message) => told.push(message))).toBeUndefined();
    expect(told.join()).toMatch(reason);
  });
});
