/**
 * The description of stream and webhooks follows AsyncAPI 3.0: the rules of its schema that concern us, written down here, as
 * no validator for it is among the dependencies.
 */
import { describe, expect, it } from "vitest";
import {
  PRIVATE_CHANNELS,
  PUBLIC_CHANNELS,
  STREAM_CLOSE,
  STREAM_LIMITS,
  STREAM_PATH,
  WEBHOOK_DELIVERY,
  WEBHOOK_TYPES,
  WEBHOOK_VECTORS,
} from "../../../src/contract/index.ts";
import { asyncApiDocument } from "../../../src/contract/openapi/asyncapi.ts";

const document = asyncApiDocument();
const { channels, operations, components } = document;

const lastOf = (reference: string) => reference.split("/").at(-1) ?? "";

interface Payload {
  readonly properties: Readonly<Record<string, { readonly const?: string; readonly $ref?: string }>>;
  readonly required: readonly string[];
  readonly additionalProperties?: boolean;
}
const payloadOf = (name: string) => components.messages[name]?.payload as unknown as Payload;
const referenceOf = (name: string) => components.messages[name]?.payload["$ref"] as string;
const schemaOf = (name: string) => components.schemas[name] as unknown as Payload;

/** Every object in the document that is a place of its own in AsyncAPI, and the fields the standard allows there. */
const ALLOWED: readonly (readonly [string, readonly object[], RegExp])[] = [
  ["root", [document], /^(asyncapi|id|info|servers|defaultContentType|channels|operations|components|x-.+)$/],
  ["info", [document.info], /^(title|version|description|termsOfService|contact|license|tags|externalDocs|x-.+)$/],
  [
    "server",
    Object.values(document.servers),
    /^(host|protocol|protocolVersion|pathname|description|title|summary|variables|security|tags|externalDocs|bindings|x-.+)$/,
  ],
  [
    "channel",
    Object.values(channels),
    /^(address|messages|title|summary|description|servers|parameters|tags|externalDocs|bindings|x-.+)$/,
  ],
  [
    "operation",
    Object.values(operations),
    /^(action|channel|title|summary|description|security|tags|externalDocs|bindings|traits|messages|reply|x-.+)$/,
  ],
  [
    "message",
    Object.values(components.messages),
    /^(headers|payload|correlationId|contentType|name|title|summary|description|tags|externalDocs|bindings|examples|traits|x-.+)$/,
  ],
];

describe("the description of stream and webhooks", () => {
  it("is AsyncAPI 3.0", () => {
    expect(document.asyncapi).toBe("3.0.0");
    expect(document.info).toMatchObject({ title: expect.any(String), version: "1.4.0" });
  });

  it.each(ALLOWED)("has no field at a %s that the standard does not know", (_, objects, allowed) => {
    expect(objects.length).toBeGreaterThan(0);
    expect(objects.flatMap((each) => Object.keys(each)).filter((key) => !allowed.test(key))).toEqual([]);
  });

  it("uses the standard's own dialect of JSON Schema, draft 7", () => {
    expect(JSON.stringify(document)).not.toMatch(/"(\$defs|prefixItems|\$schema)"/);
  });

  it("names servers by host and protocol, and every variable of theirs", () => {
    for (const server of Object.values(document.servers)) {
      const { host, protocol, variables } = server as Readonly<Record<string, string>>;
      expect(protocol).toMatch(/^(ws|https)$/);
      expect([...(host ?? "").matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(Object.keys(variables ?? {}));
    }
  });

  it("gives each operation an action, and messages of its own channel", () => {
    for (const [name, { action, channel, messages, reply }] of Object.entries(operations)) {
      expect(["send", "receive"], `${name}`).toContain(action);
      for (const { $ref } of [...messages, ...(reply?.messages ?? [])]) {
        expect($ref.startsWith(`${channel.$ref}/messages/`), `${name}`).toBe(true);
        const channelName = lastOf(channel.$ref) as keyof typeof channels;
        expect(channels[channelName].messages, `${name}`).toHaveProperty([lastOf($ref)]);
      }
    }
  });

  it("says each message in one operation at least", () => {
    const said = Object.values(operations).flatMap(({ messages, reply }) => [...messages, ...(reply?.messages ?? [])]);
    expect(new Set(said.map(({ $ref }) => lastOf($ref)))).toEqual(new Set(Object.keys(components.messages)));
  });
});

describe("the stream as described", () => {
  it("stands at its path, and has an operation and an event for each channel", () => {
    expect(channels.stream.address).toBe(STREAM_PATH);
    for (const channel of [...PUBLIC_CHANNELS, ...PRIVATE_CHANNELS]) {
      expect(operations[channel]?.action).toBe("send");
      const { properties } = schemaOf(lastOf(referenceOf(channel)));
      expect(properties["channel"]?.const).toBe(channel);
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(["symbol", "type", "seq", "time"]));
    }
  });

  it("says which channels need a token", () => {
    const tokened = Object.entries(operations).filter(([, operation]) => operation["x-permission"] !== undefined);
    expect(tokened.map(([name]) => name)).toEqual([...PRIVATE_CHANNELS]);
  });

  it("refuses unknown fields in what a client says, and lets the service's events gain some", () => {
    for (const name of ["StreamSubscription", "StreamPing"]) expect(schemaOf(name).additionalProperties).toBe(false);
    for (const name of ["StreamAck", "OrderbookEvent", "OrdersEvent"])
      expect(schemaOf(name)).not.toHaveProperty("additionalProperties");
  });

  it("states limits and close codes", () => {
    expect(document["x-stream-limits"]).toEqual(STREAM_LIMITS);
    expect(document["x-close-codes"]).toEqual(STREAM_CLOSE);
  });
});

describe("the webhooks as described", () => {
  it("have a message for each type, which says the type and has the three headers", () => {
    expect(Object.keys(channels.webhooks.messages)).toEqual(WEBHOOK_TYPES);
    for (const type of WEBHOOK_TYPES) {
      const { properties, required, additionalProperties } = payloadOf(type);
      expect(properties["type"]).toEqual({ const: type });
      expect(required).toEqual(["type", "id", "created_at", "data"]);
      expect(additionalProperties).toBe(false);
      expect(schemaOf(lastOf(properties["data"]?.$ref ?? "")).additionalProperties, `${type}`).toBe(false);
      expect(Object.keys(components.messages[type]?.headers?.["properties"] as object)).toEqual([
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
      ]);
    }
  });

  it("say when they are sent again, how they are signed, and give vectors", () => {
    expect(document.info.description).toContain("5 s, 30 s, 2 min, 10 min, 1 h, 6 h, 24 h (±10 %)");
    expect(document.info.description).toContain('HMAC-SHA256( key, id "." timestamp "." body )');
    expect(document["x-webhook-delivery"]).toEqual(WEBHOOK_DELIVERY);
    expect(document["x-webhook-vectors"]).toEqual(WEBHOOK_VECTORS);
  });
});
