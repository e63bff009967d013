/** What all descriptions for programs promise together, and what is particular to those of the Trading API and the aliases. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  ALIAS_ENDPOINT_IDS,
  ALIAS_ENDPOINTS,
  ALIAS_FAULTS,
  ALIAS_PROBLEMS,
  type AliasEndpoint,
  FAULT_CODES,
  type OpenApiOperation,
  REFERENCE_NAMES,
  referenceDocuments,
  referenceText,
  TRADING_OPERATION_IDS,
  TRADING_OPERATIONS,
  TRANSFER_ENDPOINT_IDS,
  TRANSFER_ENDPOINTS,
  tradingPath,
} from "../../../src/contract/index.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "..", "docs", "reference");
const { rest, events } = await referenceDocuments();
const all = [...rest, events];

const resolve = (document: object, target: string): unknown =>
  target
    .replace(/^#\//, "")
    .split("/")
    .reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], document);

const documentOf = (name: string) => {
  const found = rest.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found.document;
};

const operationsOf = (name: string) =>
  Object.entries(documentOf(name).paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ call: `${method.toUpperCase()} ${path}`, operation })),
  );

const operationAt = (name: string, call: string): OpenApiOperation => {
  const found = operationsOf(name).find((each) => each.call === call);
  if (found === undefined) throw new Error(`no ${call} in ${name}`);
  return found.operation;
};

interface FormSchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  readonly additionalProperties: boolean;
}
const formOf = ({ requestBody }: OpenApiOperation) =>
  requestBody?.content["application/x-www-form-urlencoded"]?.schema as unknown as FormSchema;

describe("the descriptions", () => {
  it.each(all)("$name is the file of that name (if not: npm run docs)", ({ name, document }) => {
    expect(readFileSync(join(FOLDER, name), "utf8")).toBe(referenceText(document));
  });

  it("are all there, and no other", () => {
    const files = readdirSync(FOLDER).filter((file) => file.endsWith(".json"));
    expect(files.sort()).toEqual([...REFERENCE_NAMES].sort());
    expect(all.map(({ name }) => name)).toEqual(REFERENCE_NAMES);
  });

  it.each(all)("$name is the same text every time", async ({ name, document }) => {
    const again = await referenceDocuments();
    const same = [...again.rest, again.events].find((each) => each.name === name);
    expect(same && referenceText(same.document)).toBe(referenceText(document));
  });

  it.each(all)("$name has no reference that leads nowhere, and no schema nobody refers to", ({ document }) => {
    const targets = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target = ""]) => target);
    expect(targets.length).toBeGreaterThan(10);
    expect(targets.filter((target) => typeof resolve(document, target) !== "object")).toEqual([]);
    const schemas = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(schemas.filter((target) => !targets.includes(target))).toEqual([]);
  });

  it.each(all)("$name has no amount as a JSON number", ({ document }) => {
    const amounts = /^(price|volume|amount|fee|cost|total|available|locked|quantity|qty)$/i;
    const numeric: string[] = [];
    const look = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      for (const [key, inner] of Object.entries(value)) {
        const type = (inner as { readonly type?: unknown } | null)?.type;
        if (amounts.test(key) && (type === "number" || type === "integer")) numeric.push(key);
        look(inner);
      }
    };
    look(document);
    expect(numeric).toEqual([]);
  });
});

describe.each(rest)("$name", ({ name, document }) => {
  it("names a server that a generated client can call as it stands", () => {
    expect(document.servers.length).toBeGreaterThan(0);
    for (const { url, variables } of document.servers as readonly { url: string; variables?: unknown }[]) {
      expect(new URL(url).origin).toBe(url);
      expect(variables).toBeUndefined();
    }
  });

  it("declares counts and times of a request as whole numbers with bounds", () => {
    const whole = /^(depth|limit|from|to|count|ofs|fromId|startTime|endTime|timestamp|timeout)$/;
    const declared = operationsOf(name).flatMap(({ call, operation }) => [
      ...operation.parameters.flatMap((each) =>
        "name" in each ? [{ call, field: each.name, schema: each.schema }] : [],
      ),
      ...Object.entries(formOf(operation)?.properties ?? {}).map(([field, schema]) => ({ call, field, schema })),
    ]);
    const numbers = declared.filter(({ field }) => whole.test(field));
    expect(numbers.length).toBeGreaterThan(0);
    const odd = numbers.filter(({ schema }) => {
      const { $ref } = schema as { readonly $ref?: string };
      const { type, minimum, maximum, pattern } = ($ref === undefined ? schema : resolve(document, $ref)) as {
        readonly [field: string]: unknown;
      };
      return type !== "integer" || typeof minimum !== "number" || typeof maximum !== "number" || pattern !== undefined;
    });
    expect(odd.map(({ call, field }) => `${call} ${field}`)).toEqual([]);
  });

  it("is OpenAPI 3.1 with the fields it has to have", () => {
    expect(document.openapi).toBe("3.1.0");
    for (const text of Object.values(document.info)) expect(text).not.toBe("");
    expect(Object.keys(document).filter((key) => !/^(openapi|info|servers|paths|components|x-.+)$/.test(key))).toEqual(
      [],
    );
  });

  it("gives each operation an id of its own, a weight, a success and a form for failures", () => {
    const operations = operationsOf(name);
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
    for (const { call, operation } of operations) {
      expect(operation["x-weight"], `${call}`).toBeGreaterThan(0);
      expect(operation.summary, `${call}`).not.toBe("");
      const answers = Object.entries(operation.responses);
      expect(
        answers.some(([status]) => status.startsWith("2")),
        `${call}`,
      ).toBe(true);
      expect(
        answers.some(([, answer]) => answer["x-fault-codes"] !== undefined),
        `${call}`,
      ).toBe(true);
    }
  });

  it("names the security of private operations, out of the schemes it declares", () => {
    const declared = Object.keys(document.components.securitySchemes);
    for (const { call, operation } of operationsOf(name)) {
      const used = operation.security.flatMap((schemes) => Object.keys(schemes));
      expect(used, `${call}`).toEqual(operation["x-permission"] === undefined ? [] : declared);
    }
  });

  it("holds the whole catalogue of faults, and signing vectors", () => {
    expect(Object.keys(document["x-faults"] as object)).toEqual(FAULT_CODES);
    expect(document["x-signing-vectors"]).not.toHaveLength(0);
    expect(document.info.description).toContain("HMAC-SHA");
  });
});

describe("the description of the transfers", () => {
  const file = "openapi-transfers.json";

  it("has one operation for each row of their table, and no other", () => {
    const rows = TRANSFER_ENDPOINT_IDS.map((id) => {
      const { method, path, weight, auth } = TRANSFER_ENDPOINTS[id];
      return [`${method} ${path}`, { id, weight, auth }];
    });
    const described = operationsOf(file).map(({ call, operation }) => [
      call,
      { id: operation.operationId, weight: operation["x-weight"], auth: operation["x-permission"] },
    ]);
    expect(described).toHaveLength(rows.length);
    expect(Object.fromEntries(described)).toEqual(Object.fromEntries(rows));
  });

  it("is marked as a draft at the top, at each operation and in each resource", () => {
    const { info, components, ...rest } = documentOf(file);
    expect([rest["x-draft"], info.title]).toEqual([true, "Payment API and Remittance API (drafts)"]);
    for (const { call, operation } of operationsOf(file)) expect(operation["x-draft"], `${call}`).toBe(true);
    for (const name of ["Payment", "PaymentList", "Remittance", "RemittanceList", "RemittanceQuote"])
      expect(components.schemas[name]).toMatchObject({ properties: { draft: { const: true } } });
  });

  it("wants an idempotency key with every POST and no GET, and says what 409 is", () => {
    for (const { call, operation } of operationsOf(file)) {
      const takesKey = JSON.stringify(operation.parameters).includes("#/components/parameters/IdempotencyKey");
      expect(takesKey, `${call}`).toBe(call.startsWith("POST"));
      const conflict = operation.responses["409"]?.description ?? "";
      expect(conflict.includes("ETransfer:Idempotency key reused"), `${call}`).toBe(takesKey);
    }
  });

  it("names the two accounts that no money reaches, and the travel-rule fields", () => {
    const text = referenceText(documentOf(file));
    for (const part of ["0000000001", "0000000002", "beneficiary.bank_code", "originator_vasp_id", "purpose_code"])
      expect(text).toContain(part);
  });
});

describe("the description of the Trading API", () => {
  const file = "openapi-trading.json";

  it("has one operation for each row of its table, and no other", () => {
    expect(
      operationsOf(file).map(({ call, operation }) => [call, operation["x-weight"], operation["x-permission"]]),
    ).toEqual(
      TRADING_OPERATION_IDS.map((id) => {
        const { auth, weight } = TRADING_OPERATIONS[id];
        return [`${auth === "none" ? "GET" : "POST"} ${tradingPath(id)}`, weight, auth === "none" ? undefined : auth];
      }),
    );
  });

  it("wants a nonce in every private form, and knows no other field than those named", () => {
    for (const { call, operation } of operationsOf(file).filter((each) => each.call.startsWith("POST"))) {
      const form = formOf(operation);
      expect(form.required[0], `${call}`).toBe("nonce");
      expect(form.properties, `${call}`).toHaveProperty("nonce");
      expect(form.additionalProperties, `${call}`).toBe(false);
    }
  });

  it("wants the four compliance fields with an order", () => {
    const { required } = formOf(operationAt(file, "POST /0/private/AddOrder"));
    for (const field of ["vasp_purpose_code", "originator_vasp_id", "kyc_level", "settlement_mode"])
      expect(required).toContain(field);
  });

  it("answers 200 always, with the faults of the operation beside its result", () => {
    for (const { operation } of operationsOf(file)) expect(Object.keys(operation.responses)).toEqual(["200"]);
    const codes = operationAt(file, "POST /0/private/AddOrder").responses["200"]?.["x-fault-codes"];
    for (const code of ["ECompliance:Missing travel-rule metadata", "EAPI:Invalid nonce", "EOrder:Post only order"])
      expect(codes).toContain(code);
    expect(operationAt(file, "GET /0/public/Time").responses["200"]?.["x-fault-codes"]).not.toContain(
      "EAPI:Invalid nonce",
    );
  });

  it("describes results that are keyed by pair or id", () => {
    const ticker = operationAt(file, "GET /0/public/Ticker").responses["200"]?.content["application/json"]?.schema;
    expect(JSON.stringify(ticker)).toContain('"additionalProperties":{');
  });
});

describe("the description of the alias endpoints", () => {
  const file = "openapi-alias.json";

  it("has one operation for each row of their table, and no other", () => {
    const rows = ALIAS_ENDPOINT_IDS.map((id) => {
      const { method, path, weight, auth }: AliasEndpoint = ALIAS_ENDPOINTS[id];
      return [`${method} ${path}`, id, weight, auth === "none" ? undefined : auth];
    });
    const described = operationsOf(file).map(({ call, operation }) => [
      call,
      operation.operationId,
      operation["x-weight"],
      operation["x-permission"],
    ]);
    expect(described).toHaveLength(rows.length);
    expect(described).toEqual(expect.arrayContaining(rows));
  });

  it("wants a timestamp with every signed call", () => {
    for (const { call, operation } of operationsOf(file)) {
      const names = operation.parameters.map((parameter) => "name" in parameter && parameter.name);
      expect(names.includes("timestamp"), `${call}`).toBe(operation["x-permission"] !== undefined);
    }
  });

  it("puts each fault under the dialect's status, with the dialect's number", () => {
    const { responses } = operationAt(file, "POST /api/v3/order");
    expect(responses["400"]?.["x-fault-codes"]).toContain("EOrder:Insufficient funds");
    expect(responses["400"]?.description).toContain(`${ALIAS_FAULTS["EOrder:Insufficient funds"].number} \`EOrder:`);
    for (const { operation } of operationsOf(file))
      for (const [status, answer] of Object.entries(operation.responses))
        for (const code of answer["x-fault-codes"] ?? []) expect(String(ALIAS_FAULTS[code].status)).toBe(status);
  });

  it("lists what the dialect tells apart beyond the catalogue", () => {
    expect(Object.keys(documentOf(file)["x-problems"] as object)).toEqual(Object.keys(ALIAS_PROBLEMS));
  });
});

describe("the change history", () => {
  it("stands where the versions are: for the Open API and for what goes with it", () => {
    expect(documentOf("openapi.json")["x-change-history"]).toHaveLength(5);
    expect(events.document["x-change-history"]).toEqual(documentOf("openapi.json")["x-change-history"]);
  });
});
