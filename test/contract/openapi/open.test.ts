import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FAULT_CODES, FAULTS, LOCAL_FAULTS, SIGNING_VECTORS } from "../../../src/contract/index.ts";
import { faultPage } from "../../../src/contract/openapi/fault-page.ts";
import { openApiDocument } from "../../../src/contract/openapi/open.ts";

const reference = (name: string) =>
  readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "reference", name), "utf8");

interface Named {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
}
interface Answer {
  readonly description: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly content: Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>;
  readonly "x-fault-codes"?: readonly string[];
}
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly (Named | { readonly $ref: string })[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: Pick<Answer, "content">;
  readonly responses: Readonly<Record<string, Answer>>;
  readonly "x-weight": number;
  readonly "x-added-in": string;
  readonly "x-permission"?: string;
}
interface Schema {
  readonly additionalProperties?: boolean;
  readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly "x-change-history": readonly { readonly version: string }[];
  readonly "x-faults": Readonly<Record<string, { readonly status: number }>>;
  readonly "x-signing-vectors": readonly unknown[];
}

const document = openApiDocument() as unknown as Document;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
const operationAt = (method: string, path: string): Operation => {
  const found = operations.find((each) => each.method === method && each.path === path);
  if (found === undefined) throw new Error(`no ${method} ${path}`);
  return found.operation;
};

/** service.md#open-api, row by row: method, path, auth, version, query fields. */
const ROWS: readonly (readonly [string, string, string, string, readonly string[]])[] = [
  ["GET", "/v1/time", "", "1.0.0", []],
  ["GET", "/v1/markets", "", "1.0.0", []],
  ["GET", "/v1/tickers", "", "1.0.0", ["symbols"]],
  ["GET", "/v1/orderbook/{symbol}", "", "1.0.0", ["depth"]],
  ["GET", "/v1/trades/{symbol}", "", "1.0.0", ["limit"]],
  ["GET", "/v1/candles/{symbol}", "", "1.0.0", ["interval", "from", "to"]],
  ["GET", "/v1/accounts", "query", "1.0.0", []],
  ["POST", "/v1/orders", "trade", "1.0.0", []],
  ["GET", "/v1/orders", "query", "1.0.0", ["symbol", "state", "userref", "from", "to", "cursor", "limit"]],
  ["DELETE", "/v1/orders/{symbol}/{uuid}", "trade", "1.0.0", []],
  ["GET", "/v1/trades/history", "query", "1.0.0", ["symbol", "from", "to", "cursor", "limit"]],
  ["POST", "/v1/ws/token", "query", "1.0.0", []],
  ["DELETE", "/v1/orders/batch", "trade", "1.3.0", ["symbol"]],
  ["GET", "/v1/orders/{symbol}/{uuid}", "query", "1.4.0", []],
];

describe("the reference pages", () => {
  it("say what the contract says (if not: npm run docs)", () => {
    expect(reference("openapi.json")).toBe(`${JSON.stringify(openApiDocument(), null, 2)}\n`);
    expect(reference("errors.md")).toBe(faultPage());
  });
});

describe("the API description", () => {
  it("describes the 14 endpoints and no other", () => {
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      ROWS.map(([method, path]) => `${method} ${path}`).sort(),
    );
  });

  it.each(ROWS)(
    "%s %s needs the right permission, and knows its version and query",
    (method, path, auth, since, query) => {
      const operation = operationAt(method, path);
      expect(operation["x-permission"] ?? "").toBe(auth);
      expect(operation.security).toEqual(auth === "" ? [] : [{ ApiKey: [], ApiNonce: [], ApiSign: [] }]);
      expect(operation["x-added-in"]).toBe(since);
      const named = operation.parameters.filter((parameter): parameter is Named => "name" in parameter);
      expect(named.filter((parameter) => parameter.in === "query").map(({ name }) => name)).toEqual(query);
      expect(named.filter((parameter) => parameter.in === "query" && parameter.required)).toEqual([]);
      expect(operation.parameters).toContainEqual({ $ref: "#/components/parameters/ApiVersion" });
    },
  );

  it("declares every path parameter, once and as required", () => {
    for (const { path, operation } of operations) {
      const declared = operation.parameters.filter((parameter): parameter is Named => "name" in parameter);
      const inPath = declared.filter((parameter) => parameter.in === "path");
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(inPath.every(({ required }) => required)).toBe(true);
    }
  });

  it("gives each operation an id of its own", () => {
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(14);
  });

  it("has no reference that leads nowhere, and no component nobody refers to", () => {
    const references = new Set(
      [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target = ""]) => target),
    );
    const resolve = (target: string) =>
      target
        .slice("#/".length)
        .split("/")
        .reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], document);
    expect([...references].filter((target) => typeof resolve(target) !== "object")).toEqual([]);
    const components = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(components.filter((target) => !references.has(target))).toEqual([]);
  });

  it("has the dialect of OpenAPI 3.1, the version served, and its history", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info.version).toBe("1.4.0");
    expect(document["x-change-history"].map(({ version }) => version)).toEqual([
      "1.4.0",
      "1.3.0",
      "1.2.0",
      "1.1.0",
      "1.0.0",
    ]);
  });

  it("says how to sign, and gives the vectors to test it with", () => {
    for (const word of [
      "API-Key",
      "API-Nonce",
      "API-Sign",
      "HMAC-SHA512",
      "SHA256( nonce || body )",
      "base64decode(secret)",
    ])
      expect(document.info.description).toContain(word);
    expect(document["x-signing-vectors"]).toEqual(SIGNING_VECTORS);
  });

  it("is the same text every time", () => {
    expect(JSON.stringify(openApiDocument())).toBe(JSON.stringify(openApiDocument()));
    const names = Object.keys(document.components.schemas);
    expect(names).toEqual([...names].sort());
  });
});

describe("a described request", () => {
  it("refuses unknown fields", () => {
    for (const name of ["CreateOrder", "Compliance"])
      expect(document.components.schemas[name]?.additionalProperties).toBe(false);
    expect(operationAt("POST", "/v1/orders").requestBody?.content["application/json"]?.schema.$ref).toBe(
      "#/components/schemas/CreateOrder",
    );
  });

  it("marks the fields that came later", () => {
    const { CreateOrder, Fill } = document.components.schemas;
    expect(CreateOrder?.properties?.["amount"]?.["x-added-in"]).toBe("1.1.0");
    expect(Fill?.properties?.["fee"]?.["x-added-in"]).toBe("1.2.0");
    expect(Fill?.properties?.["fee_currency"]?.["x-added-in"]).toBe("1.2.0");
    expect(JSON.stringify(document.components.schemas).match(/x-added-in/g)).toHaveLength(3);
  });
});

describe("a described answer", () => {
  it("may gain fields", () => {
    for (const name of ["Order", "Fill", "Market", "Error", "Accounts"])
      expect(document.components.schemas[name]).not.toHaveProperty("additionalProperties");
  });

  it("states the version always, and what is left of the limits of the key or the address", () => {
    for (const { operation } of operations) {
      for (const [status, { headers }] of Object.entries(operation.responses)) {
        expect(headers).toHaveProperty("API-Version");
        const limited = !["401", "default"].includes(status);
        for (const name of ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"])
          expect(name in headers, `${operation.operationId} ${status} ${name}`).toBe(limited);
        expect("Retry-After" in headers).toBe(status === "429");
      }
    }
  });

  it("lists under each status the codes that have it, as errors of one form", () => {
    for (const { operation } of operations) {
      for (const [status, answer] of Object.entries(operation.responses)) {
        if (status.startsWith("2")) continue;
        expect(answer.content["application/json"]?.schema.$ref).toBe("#/components/schemas/Error");
        for (const code of answer["x-fault-codes"] ?? []) {
          expect(document["x-faults"][code]?.status).toBe(Number(status));
          expect(answer.description).toContain(code);
        }
      }
    }
  });

  it("says of an order what can go wrong with it", () => {
    const { responses } = operationAt("POST", "/v1/orders");
    expect(Object.keys(responses)).toEqual([
      "200",
      "201",
      "400",
      "401",
      "403",
      "404",
      "409",
      "422",
      "429",
      "503",
      "504",
      "default",
    ]);
    expect(responses["201"]?.content["application/json"]?.schema.$ref).toBe("#/components/schemas/Order");
    expect(responses["200"]?.content["application/json"]?.schema.$ref).toBe("#/components/schemas/ValidatedOrder");
    expect(responses["422"]?.["x-fault-codes"]).toContain("ECompliance:Missing travel-rule metadata");
    expect(responses["409"]?.["x-fault-codes"]).toEqual(["EOrder:Duplicate userref"]);
  });

  it("holds the whole catalogue once more, in one place", () => {
    expect(Object.keys(document["x-faults"])).toEqual(FAULT_CODES);
  });
});

describe("the error page", () => {
  const page = faultPage();

  it("has one row for every code, of the service and of this side", () => {
    const rows = [...page.matchAll(/^\| `(E[^`]+)` \|/gm)].map(([, code]) => code);
    expect(rows).toEqual([...FAULT_CODES, ...Object.keys(LOCAL_FAULTS)]);
  });

  it("gives status, meaning and next action", () => {
    const { status, meaning, nextAction } = FAULTS["EOrder:Insufficient funds"];
    expect(page).toContain(
      `| \`EOrder:Insufficient funds\` | ${status} | never unchanged | ${meaning} | ${nextAction} |`,
    );
  });

  it("has tables whose rows are as wide as their heads", () => {
    const widths = page.split("\n").map((line) => (line.startsWith("|") ? line.split(" | ").length : 0));
    expect([...new Set(widths)].sort((a, b) => a - b)).toEqual([0, 2, 5]);
  });
});
