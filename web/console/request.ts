/**
 * Owns what the page asks its server for and tells it to do. A failure is a value, in the words of the server where it gave any.
 *
 * Invariant: what changes something is sent once; where no answer comes it says so, and nothing here sends it again.
 */
import type { ConsoleFailure } from "../../src/serve/console/console-api.ts";
import type { Reads, Writes } from "../../src/serve/console/console-routes.ts";

export type Viewed<Path extends keyof Reads> = Reads[Path]["answer"];
export type Told<Path extends keyof Writes> = Writes[Path]["answer"];

export type Answer<Value> = { readonly ok: true; readonly value: Value } | Failed;

export type Failed = { readonly ok: false } & (
  | /** The server does not know this session any more. */ { readonly kind: "ended" }
  | /** Nothing answered: what was to be done may have been done. */ { readonly kind: "unreachable" }
  | { readonly kind: "refused"; readonly failure: ConsoleFailure }
);

export function read<Path extends keyof Reads>(path: Path, query: Reads[Path]["asked"]): Promise<Answer<Viewed<Path>>> {
  const given = Object.entries<string | undefined>(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] satisfies [string, string]],
  );
  const search = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
  return answerTo(`./console/${path}${search}`, { headers: { Accept: "application/json" } });
}

export function write<Path extends keyof Writes>(
  csrf: string,
  path: Path,
  body: Writes[Path]["asked"],
): Promise<Answer<Told<Path>>> {
  return answerTo(`./console/${path}`, {
    method: "POST",
    headers: { Accept: "application/json", "Content-Type": "application/json", "X-Hoga-Csrf": csrf },
    body: JSON.stringify(body),
  });
}

async function answerTo<Value>(url: string, request: RequestInit): Promise<Answer<Value>> {
  let response: Response;
  let content: unknown;
  try {
    response = await fetch(url, request);
    const text = await response.text();
    content = text === "" ? undefined : JSON.parse(text);
  } catch {
    return { ok: false, kind: "unreachable" };
  }
  if (response.ok) return { ok: true, value: content as Value };
  if (response.status === 401) return { ok: false, kind: "ended" };
  const failure = isFailure(content) ? content : { error: { code: `HTTP ${response.status}`, message: "" } };
  return { ok: false, kind: "refused", failure };
}

function isFailure(content: unknown): content is ConsoleFailure {
  return typeof content === "object" && content !== null && "error" in content;
}
