/**
 * Builds the views of the chat to `dist/web/views`: one page in one file, whose policy lets it load nothing, ask nothing and run nothing
 * but its own script. It is the same for all views; src/mcp/person/views.ts writes into it which one it is.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "..", "..");
const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function pageOf(script: string, style: string): string {
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hoga</title>
<style>${style}</style>
</head>
<body data-view="">
<main id="view"></main>
<script type="module">${script}</script>
</body>
</html>
`;
}

const pages: Plugin = {
  name: "pages",
  enforce: "post",
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
    const [chunk] = chunks;
    if (chunk === undefined || chunks.length !== 1) throw new Error("A view is one script.");
    // What ends a script in a page does not end it in a string of the script.
    const script = chunk.code.trim().replaceAll("</script", "<\\/script");
    // Without the space that only whoever writes it reads.
    const style = readFileSync(join(HERE, "style.css"), "utf8")
      .replaceAll(/\s*([{};,])\s*/g, "$1")
      .trim();
    delete bundle[chunk.fileName];
    this.emitFile({ type: "asset", fileName: "view.html", source: pageOf(script, style) });
  },
};

export default defineConfig({
  root: HERE,
  plugins: [pages],
  build: {
    outDir: join(ROOT, "dist/web/views"),
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    target: "es2022",
    rolldownOptions: {
      input: join(HERE, "main.tsx"),
      // As for the console.
      treeshake: { moduleSideEffects: (id) => !(id.startsWith(join(ROOT, "src")) || id.startsWith("node:")) },
      external: /^node:/,
    },
  },
});
