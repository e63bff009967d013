/** Owns the part of the reference page about the stream and the webhooks. */
import { type AsyncApiDocument, STREAM_CLOSE, STREAM_LIMITS, type StreamSubscription } from "../../contract/index.ts";
import { code, escaped, folded, inline, prose, table } from "./html.ts";
import { placeOf } from "./rest-section.ts";
import { descriptionOf, isObject, resolved, type Shapes, schemaTable, shapeList } from "./schema-table.ts";

/** What a client may say, to begin with. */
export const STREAM_SAMPLES: readonly StreamSubscription[] = [
  { op: "subscribe", id: 1, channel: "orderbook", symbol: "BTC/KRW", depth: 10 },
  { op: "subscribe", id: "mine", channel: "orders", token: "the token of POST /v1/ws/token" },
];

export function eventSection(name: string, document: AsyncApiDocument): string {
  const shapes: Shapes = { place: placeOf(name), schemas: document.components.schemas };
  return `<section id="${shapes.place}">
<h2>Stream and webhooks <small>${escaped(document.info.version)}</small></h2>
${folded("How they work", prose(document.info.description))}
<h3 id="stream">Stream, ${code(`GET ${document.channels.stream.address ?? ""}`)}</h3>
<pre>${STREAM_SAMPLES.map((sample) => escaped(JSON.stringify(sample))).join("\n")}</pre>
${streamOperations(document, shapes)}
${folded("Limits", table(["Limit", "Value"], figures(STREAM_LIMITS)))}
${folded("Close codes", table(["Reason", "Code"], figures(STREAM_CLOSE)))}
<h3 id="webhooks">Webhooks</h3>
${webhookTypes(document, shapes)}
${shapeList(shapes)}
<p>For programs: <a href="/reference/${escaped(name)}">${escaped(name)}</a></p>
</section>`;
}

/** The operations of the stream by name; those that are events are channels. */
function streamOperations({ operations, components }: AsyncApiDocument, shapes: Shapes): string {
  return Object.entries(operations)
    .filter(([, { channel }]) => channel.$ref === "#/channels/stream")
    .map(([name, { action, summary, description = "", messages }]) => {
      const facts = action === "receive" ? "from the client" : "from the service";
      const forms = messages.map(({ $ref }) => components.messages[$ref.split("/").at(-1) ?? ""]?.payload ?? {});
      const head = `<span class="call"><b>${escaped(name)}</b></span> <span>${escaped(summary)}</span> <small>${facts}</small>`;
      return folded(
        head,
        `<p>${inline(description)}</p>\n${forms.map((form) => schemaTable(form, shapes)).join("\n")}`,
      );
    })
    .join("\n");
}

function webhookTypes({ channels, components }: AsyncApiDocument, shapes: Shapes): string {
  return Object.keys(channels.webhooks.messages)
    .map((type) => {
      const payload = components.messages[type]?.payload ?? {};
      const { properties } = payload;
      const data = isObject(properties) && isObject(properties["data"]) ? resolved(properties["data"], shapes) : {};
      const head = `<span class="call">${code(type)}</span> <small>${descriptionOf(data)}</small>`;
      return folded(head, schemaTable(payload, shapes));
    })
    .join("\n");
}

function figures(values: Readonly<Record<string, number>>): string[][] {
  return Object.entries(values).map(([name, value]) => [code(name), String(value)]);
}
