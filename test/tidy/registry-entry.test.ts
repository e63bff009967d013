/**
 * What a registry of MCP servers is told, `server.json`: that it has the form of the schema it names, and says what package.json says.
 * The schema itself is not at hand offline, so the form is written down here, no looser than it. Source: decision 0038.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ROOT } from "./source.ts";

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

const exactVersion = z.string().regex(/^\d+\.\d+\.\d+$/);
const line = z.string().min(1).max(100);
const variable = z.strictObject({
  name: z.string().regex(/^HOGA_[A-Z_]+$/),
  description: line,
  choices: z.array(z.string()).min(1).optional(),
});
const entry = z.strictObject({
  $schema: z.literal(SCHEMA),
  // The domain backwards, one slash, the server.
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: line,
  description: line,
  version: exactVersion,
  packages: z.tuple([
    z.strictObject({
      registryType: z.literal("npm"),
      identifier: z.string(),
      version: exactVersion,
      runtimeHint: z.literal("npx"),
      transport: z.strictObject({ type: z.literal("stdio") }),
      packageArguments: z.tuple([z.strictObject({ type: z.literal("positional"), value: z.literal("serve") })]),
      environmentVariables: z.array(variable),
    }),
  ]),
});

const parsed = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), "utf8"));

describe("server.json", () => {
  it("has the form of its schema", () => {
    expect(entry.safeParse(parsed("server.json")).error).toBeUndefined();
  });

  it("names the package, its version and itself as package.json does", () => {
    const { name, version, mcpName } = parsed("package.json") as Readonly<Record<string, string>>;
    const { packages, ...server } = entry.parse(parsed("server.json"));
    expect(server).toMatchObject({ name: mcpName, version });
    expect(packages[0]).toMatchObject({ identifier: name, version });
  });

  it("names variables that there are", () => {
    const guide = readFileSync(join(ROOT, "docs/guides/settings.md"), "utf8");
    const { environmentVariables } = entry.parse(parsed("server.json")).packages[0];
    expect(environmentVariables.filter(({ name }) => !guide.includes(`\`${name}\``))).toEqual([]);
  });
});
