/**
 * Owns what the exchange says about itself on its own port: the page at `GET /` with its scripts, and the descriptions for programs
 * under `/reference/`. Entry point: `referenceFamily`.
 *
 * Invariants: everything is made once, when it is first asked for, and tried again after a failure; it holds nothing but the
 * contract and a viewer, so it needs no key; the page may load nothing from anywhere else.
 */
import { REFERENCE_NAMES, referenceDocuments, referenceText } from "../../contract/index.ts";
import type { Family, Reply } from "../http/family.ts";
import { badArgument, errorBodyOf, type Fault, fault, unavailable } from "../http/outcome.ts";
import { jsonReply } from "../http/reply.ts";
import type { Service } from "../service/service.ts";
import { WrittenJson } from "../wire/json-text.ts";

const HOME = "/";
const FOLDER = "/reference/";
const PATHS = { folder: FOLDER, viewer: `${FOLDER}viewer.js`, script: `${FOLDER}page.js` } as const;
const KNOWN: readonly string[] = [
  HOME,
  PATHS.viewer,
  PATHS.script,
  ...REFERENCE_NAMES.map((name) => `${FOLDER}${name}`),
];
const METHODS = "GET, HEAD";

/** Scripts of this server only, none in the page itself; the viewer makes its styles as it runs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function referenceFamily(service: Service): Family {
  const refuse = (refused: Fault): Reply => refusal(service, refused);
  let made: Promise<ReadonlyMap<string, Reply>> | undefined;
  return {
    serves: (path) => path === HOME || path.startsWith(FOLDER),
    admit: ({ method, path }) => {
      if (method !== "GET" && method !== "HEAD")
        return withAllow(refuse({ ...fault("EGeneral:Unknown method", `this is only read: ${METHODS}`), status: 405 }));
      return KNOWN.includes(path)
        ? undefined
        : refuse(fault("EGeneral:Unknown method", "there is no such description"));
    },
    answer({ path }, body) {
      if (body.length > 0) return { reply: refuse(badArgument("body", "a GET takes no body")) };
      made ??= makeAll().catch((error: unknown) => {
        made = undefined;
        throw error;
      });
      const later =
        path === PATHS.viewer ? viewerReply() : made.then((replies) => replies.get(path) ?? refuse(unavailable(500)));
      return { reply: refuse(unavailable(500)), later };
    },
    refuse,
  };
}

async function makeAll(): Promise<ReadonlyMap<string, Reply>> {
  const [documents, { pageScript, referencePage }] = await Promise.all([
    referenceDocuments(),
    import("./reference-page.ts"),
  ]);
  const replies = [...documents.rest, documents.events].map(({ name, document }): [string, Reply] => [
    `${FOLDER}${name}`,
    jsonReply(200, new WrittenJson(referenceText(document)), { calls: undefined, retryAfterMs: undefined }),
  ]);
  return new Map([
    ...replies,
    [HOME, pageReply("text/html", referencePage(documents, PATHS))],
    [PATHS.script, pageReply("text/javascript", pageScript(documents, PATHS))],
  ]);
}

/** Read anew for each caller: it is large and rarely wanted. */
async function viewerReply(): Promise<Reply> {
  const { viewerScript } = await import("./reference-page.ts");
  return pageReply("text/javascript", await viewerScript());
}

function pageReply(type: string, text: string): Reply {
  const headers = [
    ...["Content-Type", `${type}; charset=utf-8`, "Content-Length", String(Buffer.byteLength(text))],
    ...["Content-Security-Policy", CONTENT_SECURITY_POLICY, "X-Content-Type-Options", "nosniff"],
    ...["Referrer-Policy", "no-referrer", "Cross-Origin-Resource-Policy", "same-origin", "Cache-Control", "no-store"],
  ];
  return { status: 200, headers, text };
}

function refusal(service: Service, refused: Fault): Reply {
  const body = errorBodyOf(refused, service.nextRequestId());
  return jsonReply(refused.status, body, { calls: undefined, retryAfterMs: refused.retryAfterMs });
}

function withAllow(reply: Reply): Reply {
  return { ...reply, headers: [...reply.headers, "Allow", METHODS] };
}
