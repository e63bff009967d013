/** The admin operations that inject faults into the API, with which clients can be tested. Source: service.md#administration. */
import { z } from "zod";
import { FAMILY_EFFECT_KINDS, FAMILY_EFFECTS, type FamilyEffectKind } from "../http/family-effect.ts";
import { FAULT_KINDS, type FaultTerms, type PlannedFault } from "./fault-plan.ts";
import { type AdminCall, answer, badArgument, idOf, notFound, type Operation, operation } from "./operation.ts";

const LATENCY_MAX_MS = 60_000;
const LASTING_MAX_MS = 86_400_000;
const COUNT_MAX = 100_000;
const BODY_MAX = 10_000;

const where = {
  path: z.string().regex(/^[/*][\x21-\x7e]{0,199}$/, { error: "use a path such as /v1/orders or /v1/*" }),
  method: z.enum(["GET", "POST", "PUT", "DELETE"]).optional(),
  count: z.int().min(1).max(COUNT_MAX).optional(),
};
const { count: _, ...everywhere } = where;
const lasting = z.int().min(1).max(LASTING_MAX_MS);

const LASTING = FAMILY_EFFECT_KINDS.filter((kind) => FAMILY_EFFECTS[kind].lasts);
const MOMENTARY = FAMILY_EFFECT_KINDS.filter((kind) => !FAMILY_EFFECTS[kind].lasts);

const planned = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("latency"), latency_ms: z.int().min(1).max(LATENCY_MAX_MS), ...where }),
  z.strictObject({
    kind: z.literal("error"),
    status: z.int().min(500).max(599).optional(),
    applied: z.boolean().optional(),
    ...where,
  }),
  z.strictObject({ kind: z.enum(["drop", "garble", "swallow", "double_delivery"]), ...where }),
  z.strictObject({ kind: z.literal("late_delivery"), after_ms: z.int().min(1).max(LATENCY_MAX_MS), ...where }),
  z.strictObject({ kind: z.literal("ban"), status: z.literal([418, 429]), for_ms: lasting, ...everywhere }),
  z.strictObject({
    kind: z.literal("odd_answer"),
    body: z.string().max(BODY_MAX),
    status: z.int().min(200).max(599).optional(),
    content_type: z
      .string()
      .regex(/^[\w.+/; =-]{1,100}$/)
      .optional(),
    applied: z.boolean().optional(),
    ...where,
  }),
  z.strictObject({ kind: z.literal("clock_skew"), ms: z.int().min(-LASTING_MAX_MS).max(LASTING_MAX_MS), ...where }),
  z.strictObject({ kind: z.enum(LASTING), ms: lasting, ...where }),
  z.strictObject({ kind: z.enum(MOMENTARY), ...where }),
]);

function termsOf(body: z.infer<typeof planned>): FaultTerms {
  const { kind, path, method = null } = body;
  const count = "count" in body ? (body.count ?? 1) : 1;
  const terms = { kind, path, method, count, latencyMs: 0, status: 503, applied: false };
  if ("latency_ms" in body) return { ...terms, latencyMs: body.latency_ms };
  if ("after_ms" in body) return { ...terms, latencyMs: body.after_ms };
  if ("for_ms" in body) return { ...terms, latencyMs: body.for_ms, status: body.status };
  if ("ms" in body) return { ...terms, latencyMs: body.ms };
  if ("body" in body) {
    const { status = 200, applied = false, content_type: contentType = "text/html" } = body;
    return { ...terms, status, applied, odd: { body: body.body, contentType } };
  }
  if (body.kind === "error") return { ...terms, status: body.status ?? 503, applied: body.applied ?? false };
  return terms;
}

function viewOf({ id, kind, path, method, remaining, latencyMs, status, applied }: PlannedFault): object {
  const named: Record<string, string> = { latency: "latency_ms", late_delivery: "after_ms", ban: "for_ms" };
  return {
    ...{ fault_id: id, kind, path, method, left: remaining },
    ...(latencyMs === 0 ? {} : { [named[kind] ?? "ms"]: latencyMs }),
    ...(kind === "error" || kind === "odd_answer" ? { status, applied } : {}),
    ...(kind === "ban" ? { status } : {}),
  };
}

function isEffect(kind: string): kind is FamilyEffectKind {
  return Object.hasOwn(FAMILY_EFFECTS, kind);
}

/** What can be injected here: the effects are those of the families that are served. */
function kindsOf({ effects }: AdminCall): object {
  const own = FAMILY_EFFECT_KINDS.filter((kind) => effects.includes(kind));
  return { ...FAULT_KINDS, ...Object.fromEntries(own.map((kind) => [kind, FAMILY_EFFECTS[kind].what])) };
}

export const FAULT_OPERATIONS: readonly Operation[] = [
  operation({
    method: "POST",
    path: "/faults",
    summary:
      "inject a fault into the next matching requests: latency (late), error (5xx, 504 is EService:Timeout; without effect unless applied), drop (takes effect, no answer), garble (takes effect, half an answer), and what GET /faults/kinds says",
    example: '{ "kind": "drop", "method": "POST", "path": "/v1/orders", "count": 1 }',
    body: planned,
    run({ faults, effects, body }) {
      if (isEffect(body.kind) && !effects.includes(body.kind))
        return badArgument("kind", "nothing that is served here can do this; GET /faults/kinds says what can be done");
      const added = faults.add(termsOf(body));
      return added === undefined
        ? badArgument("body", "there are too many planned faults; remove some", 409)
        : { ok: true, status: 201, body: viewOf(added), changed: false };
    },
  }),
  operation({
    method: "GET",
    path: "/faults/kinds",
    summary: "the faults that can be injected, each with what it does",
    run: (call) => answer({ kinds: kindsOf(call) }),
  }),
  operation({
    method: "GET",
    path: "/faults",
    summary: "the planned faults that have not happened yet",
    run: ({ faults }) => answer({ faults: faults.list().map(viewOf) }),
  }),
  operation({
    method: "DELETE",
    path: "/faults",
    summary: "remove all planned faults",
    run({ faults }) {
      faults.clear();
      return answer({ faults: [] });
    },
  }),
  operation({
    method: "DELETE",
    path: "/faults/{fault_id}",
    summary: "remove one planned fault",
    run({ faults, params }) {
      const id = idOf(params["fault_id"]);
      return id !== undefined && faults.remove(id) ? answer({ fault_id: id }) : notFound("fault_id", "fault");
    },
  }),
];
