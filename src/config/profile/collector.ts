/**
 * Owns where spans are sent, as the standard variables of OpenTelemetry say it. Without them, or where they switch spans off, nothing of
 * tracing is loaded.
 *
 * Invariant: these variables are often set for all programs of a machine, so what is wrong with them stops nothing.
 *
 * Source: settings.md#environment-variables, decision 0042.
 */
import type { Environment } from "../files/home.ts";

/** @returns the URL that takes traces; undefined where there are to be none. @param tell is told why not, where one was named */
export function collectorIn(env: Environment, tell: (message: string) => void): string | undefined {
  const [whole, base] = [env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"], env["OTEL_EXPORTER_OTLP_ENDPOINT"]];
  const named = whole || (base ? `${base.replace(/\/$/, "")}/v1/traces` : "");
  const isOff = env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true" || env["OTEL_TRACES_EXPORTER"] === "none";
  if (named === "" || isOff) return undefined;
  const protocol = env["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] || env["OTEL_EXPORTER_OTLP_PROTOCOL"];
  if (protocol === "grpc") tell("No spans leave: they would go over HTTP, and OTEL_EXPORTER_OTLP_PROTOCOL says grpc.");
  else if (isHttp(named)) return named;
  else tell("No spans leave: OTEL_EXPORTER_OTLP_ENDPOINT is not a URL of HTTP.");
  return undefined;
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol);
}
