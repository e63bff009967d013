/**
 * Owns the page at `GET /` for people who write clients: a viewer, Scalar's API reference, with the guide and the descriptions of
 * all families. Entry points: `referencePage`, `pageScript`, `viewerScript`.
 *
 * Invariants: everything comes from this server, and the page asks no other; it works without a network (decision 0019).
 *
 * Loaded when it is first asked for (reference-family.ts): nothing that starts pays for it.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { ReferenceDocuments } from "../../contract/index.ts";
import { guide } from "./guide.ts";

/** From the build's chunks, and from the sources. */
const VIEWER_FILES = ["../reference/viewer.js.br", "../../../dist/reference/viewer.js.br"].map(
  (file) => new URL(file, import.meta.url),
);

export interface PagePaths {
  readonly folder: string;
  readonly viewer: string;
  readonly script: string;
}

export function referencePage({ rest, events }: ReferenceDocuments, { folder, viewer, script }: PagePaths): string {
  const links = [...rest, events].map(({ name, document }) => `<a href="${folder}${name}">${document.info.title}</a>`);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<title>hoga exchange: reference</title></head>
<body>
<div id="reference"></div>
<noscript>The descriptions for programs: ${links.join(", ")}.</noscript>
<script src="${viewer}"></script>
<script src="${script}"></script>
</body>
</html>
`;
}

/** Set the viewer: nothing that asks another server, and no sending of requests, as it cannot sign them. */
const SETTINGS = {
  ...{ telemetry: false, withDefaultFonts: false, agent: { disabled: true }, mcp: { disabled: true } },
  ...{ hideTestRequestButton: true, hideClientButton: true, hiddenClients: true, showDeveloperTools: "never" },
  documentDownloadType: "direct",
} as const;

interface Described {
  readonly name: string;
  readonly document: { readonly info: { readonly title: string } };
}

export function pageScript({ rest, events }: ReferenceDocuments, { folder }: PagePaths): string {
  const slugOf = ({ name }: Described): string => name.replace(/\.json$/, "");
  const shown = (each: Described): object => ({
    ...{ ...SETTINGS, title: each.document.info.title, slug: slugOf(each), url: `${folder}${each.name}` },
  });
  const links = [...rest, events].map((each) => ({ title: each.document.info.title, url: `/?api=${slugOf(each)}` }));
  const start = { ...SETTINGS, title: "Start here", slug: "start", content: guide(links) };
  return `const servers = [{ url: location.origin }];
const families = ${JSON.stringify([start, ...rest.map(shown)])};
Scalar.createApiReference("#reference", [
  ...families.map((family) => ({ ...family, servers })),
  ${JSON.stringify(shown(events))},
]);
`;
}

/** @throws the system's error where nothing was built. */
export async function viewerScript(): Promise<string> {
  const packed = await readFile(VIEWER_FILES.find((file) => existsSync(file)) ?? VIEWER_FILES[0] ?? "");
  return (await promisify(brotliDecompress)(packed)).toString();
}
