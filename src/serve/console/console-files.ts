/**
 * Owns the files of the console's page, as they were built.
 *
 * Invariants: only what stood in the folder when the server began is served, each by a path of its own, so that no path leads anywhere else; the page
 * may load nothing from elsewhere, and nothing of it is inline. A file is read, named by its digest and compressed once, when it is first asked for;
 * there is nothing in it that is anybody's, so that its length tells nothing.
 *
 * Source: decision 0044.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { sendUnbuilt } from "../wire/page.ts";
import type { Handler, Routes } from "../wire/route.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "Content-Security-Policy": POLICY,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const;

/** Named by what they hold. */
const HASHED = /^\/assets\/[^/]+-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;

export interface ConsoleFiles {
  /** Says so where the page was not built. */
  readonly index: Handler;
  /** All else, by path. */
  readonly routes: Routes;
}

/** Finds them where `npm run build` leaves them: beside the bundle, whose chunks are a folder below, and from the sources in `dist`. */
export function builtConsole(): string | undefined {
  const { dirname } = import.meta;
  const places = [
    join(dirname, "web/console"),
    join(dirname, "../web/console"),
    join(dirname, "../../../dist/web/console"),
  ];
  return places.find((place) => existsSync(join(place, "index.html")));
}

/** @param dir undefined where there is none */
export function consoleFiles(dir: string | undefined): ConsoleFiles {
  if (dir === undefined) return { index: unbuilt, routes: {} };
  const names = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && Object.hasOwn(TYPES, extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length).split(sep).join("/"));
  const served = names.filter((name) => name !== "/index.html");
  return {
    index: fileOf(dir, "/index.html"),
    routes: Object.fromEntries(served.map((name) => [name, { GET: fileOf(dir, name) }])),
  };
}

const unbuilt: Handler = async (request, response) => {
  request.resume();
  sendUnbuilt(response);
};

interface Kept {
  readonly plain: Buffer;
  /** Undefined where it is no smaller so. */
  readonly packed: Buffer | undefined;
  readonly digest: string;
}

function fileOf(dir: string, name: string): Handler {
  let reading: Promise<Kept> | undefined;
  return async (request, response) => {
    request.resume();
    reading ??= keptOf(join(dir, name));
    try {
      send(request, response, name, await reading);
    } catch (error) {
      // What cannot be read now may be there later.
      reading = undefined;
      throw error;
    }
  };
}

const packedOf = promisify<Buffer, Buffer>(gzip);

async function keptOf(file: string): Promise<Kept> {
  const plain = await readFile(file);
  const packed = await packedOf(plain);
  const digest = createHash("sha256").update(plain).digest("base64url");
  return { plain, packed: packed.length < plain.length ? packed : undefined, digest };
}

/** Lets what is not named by what it holds be asked about each time; it comes again only where it is another. */
function send(request: IncomingMessage, response: ServerResponse, name: string, { plain, packed, digest }: Kept): void {
  const isPacked = packed !== undefined && takesGzip(request);
  const content = isPacked ? packed : plain;
  const etag = `"${digest}${isPacked ? "-gz" : ""}"`;
  const headers = {
    ...HEADERS,
    "Cache-Control": HASHED.test(name) ? "private, max-age=31536000, immutable" : "private, no-cache",
    ETag: etag,
    Vary: "Accept-Encoding",
  };
  if (request.headers["if-none-match"]?.split(",").some((known) => known.trim().replace(/^W\//, "") === etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(200, {
    ...headers,
    "Content-Type": TYPES[extname(name)],
    "Content-Length": content.length,
    ...(isPacked ? { "Content-Encoding": "gzip" } : {}),
  });
  response.end(content);
}

/** Named, and not as what is not wanted (`gzip;q=0`). */
function takesGzip({ headers }: IncomingMessage): boolean {
  const said = String(headers["accept-encoding"] ?? "").split(",");
  return said.some((each) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(each));
}
