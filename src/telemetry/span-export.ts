/**
 * Owns the way of spans to a collector: OTLP over HTTP, in batches.
 *
 * Invariants: what is waiting is bounded, and what is more is dropped; nobody waits for a collector but the end of the process, for a second at
 * most; a collector that fails is told of once, and nothing that it said.
 *
 * Source: decision 0042.
 */
import { Agent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";

export interface CollectorSettings {
  /** Takes traces; `OTEL_EXPORTER_OTLP_*` say how else it is spoken to, as the exporter reads them by itself. */
  readonly url: string;
  /** The profile. */
  readonly account: string;
  readonly environment: "sandbox" | "live";
  readonly version: string;
  readonly onNotice: (message: string) => void;
}

export interface SpanExport {
  readonly tracer: Tracer;
  readonly close: () => Promise<void>;
}

const BATCH_EVERY_MS = 1_000;
const WAITING_MAX = 4_096;
/** Bounds one batch, with what is repeated of it; the next one waits for it. */
const BATCH_MS = 3_000;
const LAST_BATCH_MS = 1_000;

export function exportTo({ url, account, environment, version, onNotice }: CollectorSettings): SpanExport {
  const agent = url.startsWith("https:") ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const exporter = new OTLPTraceExporter({
    url,
    timeoutMillis: BATCH_MS,
    concurrencyLimit: 2,
    httpAgentOptions: () => agent,
  });
  const processor = new BatchSpanProcessor(told(exporter, onNotice), {
    scheduledDelayMillis: BATCH_EVERY_MS,
    maxQueueSize: WAITING_MAX,
    exportTimeoutMillis: BATCH_MS,
  });
  const resource = resourceFromAttributes({
    "service.name": "hoga",
    "service.version": version,
    "deployment.environment.name": environment,
    "hoga.account": account,
  }).merge(detectResources({ detectors: [envDetector] }));
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  return {
    tracer: provider.getTracer("hoga", version),
    close: async () => {
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, sleep(LAST_BATCH_MS, undefined, { ref: false })]);
      agent.destroy();
    },
  };
}

/** Says when the collector stops taking spans, and when it takes them again. */
function told(exporter: SpanExporter, onNotice: (message: string) => void): SpanExporter {
  let takes = true;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const taken = result.code === 0;
        if (taken !== takes)
          onNotice(
            taken
              ? "The collector takes spans again."
              : "The collector does not take spans; they are dropped until it does. Nothing else changes.",
          );
        takes = taken;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
