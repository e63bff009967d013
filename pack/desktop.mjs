/**
 * Makes the bundle of one platform for desktop apps: the program, its native parts and nothing else. Native parts of other platforms come from the
 * registry, by the lock. What a platform other than this one gets is made, and never tried here.
 */
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packExtension } from "@anthropic-ai/mcpb";
import { build } from "rolldown";
import { npm } from "../scripts/npm.mjs";
import { desktopManifest } from "./manifests.mjs";

/** By `process.platform` and `process.arch`. */
export const PLATFORMS = ["linux-x64", "darwin-arm64", "darwin-x64", "win32-x64"];

/** Of the build, what the program loads; the doors of the library and their types stay out. */
const OF_PROGRAM = ["cli.js", "cli", "drawing-thread.js", "reference", "web", "LICENSES.txt", "LICENSES-drawing.txt"];
/** Named by the types of the library alone. */
const OF_TYPES = ["zod", "decimal.js", "@modelcontextprotocol"];

/** @param folder is made, with all that the bundle has @returns path of the bundle */
export async function desktopBundle({ root, out, folder, about, tools }, target) {
  const [platform, arch] = target.split("-");
  mkdirSync(folder, { recursive: true });
  for (const name of ["package.json", "package-lock.json", ".npmrc"]) cpSync(join(root, name), join(folder, name));
  npm(["ci", "--omit=dev", "--ignore-scripts", `--os=${platform}`, `--cpu=${arch}`], { cwd: folder });
  for (const name of OF_TYPES) rmSync(join(folder, "node_modules", name), { recursive: true });
  // The apps run on the other kind of Linux.
  for (const scope of ["@libsql", "@resvg"])
    for (const name of readdirSync(join(folder, "node_modules", scope)))
      if (name.includes("musl")) rmSync(join(folder, "node_modules", scope, name), { recursive: true });
  for (const name of ["package-lock.json", ".npmrc"]) rmSync(join(folder, name));
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: about.name, version: about.version, type: "module" }),
  );
  for (const name of OF_PROGRAM) cpSync(join(root, "dist", name), join(folder, "dist", name), { recursive: true });
  for (const name of ["LICENSE", "CHANGELOG.md"]) cpSync(join(root, name), join(folder, name));
  await build({
    input: join(root, "pack", "launch.ts"),
    platform: "node",
    treeshake: { moduleSideEffects: false },
    logLevel: "warn",
    output: { file: join(folder, "launch.js"), codeSplitting: false, comments: { jsdoc: false } },
  });
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(desktopManifest(about, platform, tools), null, 2));
  const bundle = join(out, `hoga-${about.version}-${target}.mcpb`);
  const isPacked = await packExtension({ extensionPath: folder, outputPath: bundle, silent: true });
  if (!isPacked) throw new Error(`the bundle of ${target} is not valid: npx mcpb validate ${folder}`);
  return bundle;
}
