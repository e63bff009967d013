/**
 * Owns the skills that a server offers: the pages of the package's `skills`, as resources at `skill://hoga/…`, and by the Skills extension
 * of the protocol (SEP-2640). Entry points: `registerSkills`, `skillResources` for the list of resources.
 *
 * Invariants: nothing is read before a client asks for a skill; whatever it reads then is what was listed to it, byte for byte. They are the
 * same for everybody, and say nothing of an account.
 *
 * Source: decision 0098.
 */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type ListResourcesResult,
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { type Skill, SkillsExtension, skillEntry } from "@modelcontextprotocol/server/ext/skills";

const AUTHORITY = "hoga";
const BASE = `skill://${AUTHORITY}/`;
const MANIFEST = "SKILL.md";
const MARKDOWN = "text/markdown";
/** A skill changes with the version of hoga only. */
const TTL_MS = 3_600_000;
const CACHE_HINT = { ttlMs: TTL_MS, cacheScope: "public" } as const;

/** How the list of templates shows them. */
export const SKILL_TEMPLATE = {
  name: "skill",
  uriTemplate: `${BASE}{name}/${MANIFEST}`,
  title: "Skill",
  description: "How to do something with hoga, and what never to do: read the one that fits before you begin.",
  mimeType: MARKDOWN,
} as const;

interface Shelf {
  readonly skills: readonly Skill[];
  /** By address, what each file has. */
  readonly files: ReadonlyMap<string, string>;
}

let shelf: Promise<Shelf> | undefined;

const extension = new SkillsExtension({
  baseUri: BASE.slice(0, -1),
  cacheHint: CACHE_HINT,
  source: {
    list: async () => ({ skills: [...(await shelved()).skills] }),
    get: async (uri) => (await shelved()).skills.find((skill) => skill.uri === uri),
    read: async (uri) => {
      const text = await textAt(uri);
      return text === undefined ? undefined : { text, mimeType: MARKDOWN };
    },
  },
});

export function registerSkills(server: McpServer): void {
  const { name, uriTemplate, title, description, mimeType } = SKILL_TEMPLATE;
  // Completes names, as the extension's own template, which reads every file, does not.
  const complete = { name: async (typed: string) => (await names()).filter((skill) => skill.includes(typed)) };
  const template = new ResourceTemplate(uriTemplate, { list: undefined, complete });
  const about = { title, description, mimeType, cacheHint: CACHE_HINT };
  server.registerResource(name, template, about, async ({ href: uri }) => {
    const text = await textAt(uri);
    if (text === undefined) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, mimeType, text }] };
  });
  extension.attach(server);
}

async function textAt(uri: string): Promise<string | undefined> {
  return (await shelved()).files.get(uri);
}

/** @returns each as the list of resources shows it, by name */
export async function skillResources(): Promise<ListResourcesResult["resources"]> {
  const { skills } = await shelved();
  return skills.map(({ uri, frontmatter: { name, description } }) => ({ uri, name, description, mimeType: MARKDOWN }));
}

async function names(): Promise<readonly string[]> {
  return (await shelved()).skills.map(({ frontmatter: { name } }) => name);
}

function shelved(): Promise<Shelf> {
  shelf ??= read(folder()).catch((error: unknown) => {
    shelf = undefined;
    throw error;
  });
  return shelf;
}

/** From the sources, and from the program and its chunks or the library. */
function folder(): string | undefined {
  const folders = import.meta.url.endsWith(".ts") ? ["../../../skills"] : ["../skills", "../../skills"];
  return folders.map((path) => fileURLToPath(new URL(path, import.meta.url))).find((path) => existsSync(path));
}

/** @param root absent where hoga was put into another program without its skills: there are none then */
async function read(root: string | undefined): Promise<Shelf> {
  const skills: Skill[] = [];
  const files = new Map<string, string>();
  for (const name of root === undefined ? [] : (await readdir(root)).sort()) {
    const own = await textsIn(join(root ?? "", name));
    skills.push(await skillEntry(`${AUTHORITY}/${name}`, own));
    for (const [path, text] of Object.entries(own)) files.set(`${BASE}${name}/${path}`, text);
  }
  return { skills, files };
}

/** @returns by path below the folder */
async function textsIn(root: string): Promise<Record<string, string>> {
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = paths.map(async (path) => [relative(root, path).replaceAll(sep, "/"), await readFile(path, "utf8")]);
  return Object.fromEntries(await Promise.all(texts)) as Record<string, string>;
}
