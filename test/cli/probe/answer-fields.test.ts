import { describe, expect, it } from "vitest";
import { z } from "zod";
import { AnswerFields } from "../../../src/cli/probe/answer-fields.ts";

const SCHEMA = z.array(
  z.looseObject({
    id: z.string(),
    note: z.string().nullish().catch(undefined),
    count: z.coerce.number().pipe(z.int()).nullish(),
    more: z.looseObject({ deep: z.string().nullish() }).nullish(),
  }),
);

function newsOf(schema: z.ZodType, ...answers: readonly string[]) {
  const fields = new AnswerFields();
  for (const body of answers) fields.inspect({ endpoint: "a", status: 200, body: Buffer.from(body), response: schema });
  return fields.take();
}

describe("the fields of answers", () => {
  it("are new where no schema has them, and missing where no answer has them", () => {
    const answer = '[{"id":"1","count":2,"late":true,"more":{"deeper":1}},{"id":"2","note":null}]';
    expect(newsOf(SCHEMA, answer)).toEqual({ unread: ["more.deeper", "late"], missing: ["more.deep"] });
    expect(newsOf(SCHEMA, answer, '[{"id":"3","more":{"deep":"x"}}]')?.missing).toEqual([]);
  });

  it("are not known of an empty list, nor of a refusal, nor of what cannot be read", () => {
    expect(newsOf(SCHEMA, "[]")).toEqual({ unread: [], missing: [] });
    expect(newsOf(SCHEMA, "no JSON")).toBeUndefined();
    const fields = new AnswerFields();
    fields.inspect({ endpoint: "a", status: 404, body: Buffer.from('{"error":1}'), response: SCHEMA });
    expect(fields.take()).toBeUndefined();
  });

  it("are found behind what makes something else of an answer", () => {
    const changed = SCHEMA.transform((found) => found.length);
    expect(newsOf(changed, '[{"id":"1","late":1}]')?.unread).toEqual(["late"]);
    const before = z.preprocess((found) => found, SCHEMA);
    expect(newsOf(before, '[{"id":"1","late":1}]')?.unread).toEqual(["late"]);
  });

  it("are kept by name alone, and names of the exchange are cut and do nothing to a terminal", () => {
    const news = newsOf(SCHEMA, `[{"id":"secret","a b":"secret","${"x".repeat(100)}":"1"}]`);
    expect(JSON.stringify(news)).not.toContain("secret");
    expect(news?.unread).toEqual(["a?b", "x".repeat(60)]);
  });
});
