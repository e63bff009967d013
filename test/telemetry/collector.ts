/** A collector of spans: takes OTLP over real HTTP, and can be slow or refuse. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly kind: number;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly links: readonly string[];
  /** Of the process. */
  readonly resource: Readonly<Record<string, string | number>>;
}

export interface Collector {
  readonly env: Readonly<Record<string, string>>;
  readonly spans: ReceivedSpan[];
  /** Everything that arrived. */
  bytes(): string;
  requests(): number;
}

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, string | number>> }[];

interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

interface OtlpSpan extends Omit<ReceivedSpan, "attributes" | "failed" | "links"> {
  readonly attributes: Attributes;
  readonly status: { readonly code: number };
  readonly links: readonly { readonly spanId: string }[];
}

/** @param behaviour `hangs`: takes every byte and never answers */
export async function startCollector(behaviour: "takes" | "hangs" | "refuses" = "takes"): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      bodies.push(body);
      if (behaviour === "hangs") return;
      if (behaviour === "takes" && request.url === "/v1/traces") spans.push(...spansIn(JSON.parse(body) as Batch));
      response.writeHead(behaviour === "takes" ? 200 : 400, { "content-type": "application/json" }).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
  return { env, spans, bytes: () => bodies.join("\n"), requests: () => bodies.length };
}

function spansIn({ resourceSpans }: Batch): readonly ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ attributes, status, links, ...span }) => ({
        ...span,
        failed: status.code === 2,
        links: links.map(({ spanId }) => spanId),
        attributes: valuesOf(attributes),
        resource: valuesOf(resource.attributes),
      })),
  );
}

function valuesOf(attributes: Attributes): Readonly<Record<string, string | number>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? ""]));
}
