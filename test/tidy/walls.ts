/** The walls between the folders of `src`, and between the rooms in them: the one list. AGENTS.md and docs/architecture.md quote it. */

/**
 * What a folder may import. `cli` wires the parts together and `index.ts` is what a library user may import; only these two see
 * everything.
 */
export const FOLDERS: Readonly<Record<string, readonly string[] | "everything">> = {
  decimal: [],
  contract: ["decimal"],
  policy: ["contract", "decimal"],
  words: ["contract", "decimal"],
  config: ["policy", "contract", "decimal"],
  transport: ["contract", "decimal"],
  venues: ["transport", "contract", "decimal"],
  store: ["contract", "decimal"],
  passkeys: ["contract"],
  desk: ["policy", "contract", "decimal"],
  sandbox: ["contract", "decimal"],
  mcp: ["desk", "words", "contract", "decimal"],
  serve: ["mcp", "desk", "words", "config", "contract"],
  telemetry: ["serve", "mcp", "desk", "transport", "config", "contract"],
  cli: "everything",
  doors: "everything",
  "index.ts": "everything",
};

/** What a folder imports only types of besides: the ports that it satisfies. */
export const TYPES: Readonly<Record<string, readonly string[]>> = { store: ["desk"], passkeys: ["desk", "store"] };

/** The rooms of a folder, lowest first: a room imports itself and those before it. Files beside the rooms import all of them. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  config: ["secrets", "files", "keys", "profile"],
  store: ["sql", "safety", "lane", "audit", "journal", "people", "schema"],
  desk: [
    "model",
    "ports",
    "core",
    "market",
    "portfolio",
    "approval",
    "risk",
    "reconciliation",
    "submission",
    "queries",
    "execution",
    "plans",
    "safety",
    "transfer",
  ],
  transport: ["request", "socket"],
  mcp: ["person", "input", "text", "pictures", "tool", "tools", "server"],
  serve: ["wire", "access", "sessions", "console", "connect", "stdio", "server"],
};

/** What the rooms of the contract import besides themselves and the files beside them; those import no room, but for index.ts. */
export const CONTRACT_ROOMS: Readonly<Record<string, readonly string[]>> = {
  open: [],
  alias: [],
  trading: ["open"],
  transfer: ["open"],
  stream: ["open"],
  openapi: ["open", "alias", "trading", "transfer", "stream"],
};

/** Folders of which none imports another: each stands for something of the same kind. */
export const SIBLINGS: readonly string[] = ["src/venues", "src/sandbox/families"];

/** Folders inside another that have a door: whoever is not in one imports its index.ts alone. */
export const DOORS: readonly string[] = ["src/sandbox/engine/memory"];

/** The same in a table of a document. */
export function mayImport(folder: string): string {
  const list = FOLDERS[folder] ?? [];
  if (list === "everything") return list;
  const types = (TYPES[folder] ?? []).join(" and ");
  const values = list.length === 0 ? "nothing of ours" : list.join(", ");
  return types === "" ? values : `${values}; ${types}, as types only`;
}
