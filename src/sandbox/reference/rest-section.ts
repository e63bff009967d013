/** Owns the part of the reference page about one REST family: every operation, with what it takes, answers, costs and refuses. */
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from "../../contract/index.ts";
import { anchor, code, escaped, folded, inline, prose, table } from "./html.ts";
import { type Shapes, schemaTable, shapeList, typeHtml } from "./schema-table.ts";

/** @param name the document's file name. */
export function restSection(name: string, document: OpenApiDocument): string {
  const place = placeOf(name);
  const shapes: Shapes = { place, schemas: document.components.schemas };
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => operationHtml(method, path, operation, { document, shapes })),
  );
  return `<section id="${place}">
<h2>${escaped(document.info.title)} <small>${escaped(document.info.version)}</small></h2>
${folded("How it works", prose(document.info.description))}
${operations.join("\n")}
${shapeList(shapes)}
<p>For programs: <a href="/reference/${escaped(name)}">${escaped(name)}</a></p>
</section>`;
}

/** Where the page keeps what belongs to a document. */
export function placeOf(name: string): string {
  return name.replace(/\.json$/, "");
}

interface Whole {
  readonly document: OpenApiDocument;
  readonly shapes: Shapes;
}

function operationHtml(method: string, path: string, operation: OpenApiOperation, whole: Whole): string {
  const permission = operation["x-permission"];
  const since = operation["x-added-in"];
  const facts = [
    ...(operation["x-draft"] === true ? ["draft"] : []),
    permission === undefined ? "public" : `permission ${permission}`,
    `weight ${operation["x-weight"]}`,
    ...(since === undefined || since === "1.0.0" ? [] : [`since ${since}`]),
  ];
  const call = `<span class="call"><b>${escaped(method.toUpperCase())}</b> ${code(path)}</span>`;
  const summary = `${call} <span>${escaped(operation.summary)}</span> <small>${facts.join(" · ")}</small>`;
  const content = [
    `<p>${inline(operation.description)}</p>`,
    parameterTable(operation, whole),
    ...bodies(operation, whole.shapes),
    ...answers(operation, whole.shapes),
    refusals(operation),
  ];
  return folded(summary, content.join("\n"));
}

function parameterTable({ parameters }: OpenApiOperation, { document, shapes }: Whole): string {
  const known = document.components.parameters ?? {};
  const rows = parameters.flatMap((parameter) => {
    const full: OpenApiParameter | undefined =
      "name" in parameter ? parameter : known[parameter.$ref.split("/").at(-1) ?? ""];
    if (full === undefined) return [];
    const text = inline(full.description ?? "");
    return [[code(full.name), full.in, typeHtml(full.schema, shapes.place), full.required ? "yes" : "", text]];
  });
  return table(["Parameter", "In", "Type", "Required", ""], rows);
}

function bodies({ requestBody }: OpenApiOperation, shapes: Shapes): readonly string[] {
  return Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) => `<h4>Body, ${code(type)}</h4>\n${schemaTable(schema, shapes)}`,
  );
}

function answers({ responses }: OpenApiOperation, shapes: Shapes): readonly string[] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([status, { content }]) =>
      Object.values(content).map(({ schema }) => `<h4>Answer ${escaped(status)}</h4>\n${schemaTable(schema, shapes)}`),
    );
}

function refusals({ responses }: OpenApiOperation): string {
  const rows = Object.entries(responses).flatMap(([status, { "x-fault-codes": codes = [] }]) =>
    codes.length === 0
      ? []
      : [
          [
            escaped(status),
            codes.map((each) => `<a href="#${anchor("fault", each)}">${escaped(each)}</a>`).join("<br>"),
          ],
        ],
  );
  return `<h4>Refusals</h4>\n${table(["HTTP", "Code"], rows)}`;
}
