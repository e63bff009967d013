/** The admin operations that inject faults into the API, with which clients can be tested. Source: service.md#administration. */
import { z } from "zod";
import type { FaultTerms, PlannedFault } from "./fault-plan.ts";
import { answer, badArgument, idOf, notFound, type Operation, operation } from "./operation.ts";

const LATENCY_MAX_MS = 60_000;
const COUNT_MAX = 100_000;

const where = {
  path: z.string().regex(/^[/*][\x21-\x7e]{0,199}$/, { error: "use a path such as /v1/orders or /v1/*" }),
  method: z.enum(["GET", "POST", "PUT", "DELETE"]).optional(),
  count: z.int().min(1).max(COUNT_MAX).optional(),
};

const planned = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("latency"), latency_ms: z.int().min(1).max(LATENCY_MAX_MS), ...where }),
  z.strictObject({
    kind: z.literal("error"),
    status: z.int().min(500).max(599).optional(),
    applied: z.boolean().optional(),
    ...where,
  }),
  z.strictObject({ kind: z.literal("drop"), ...where }),
  z.strictObject({ kind: z.literal("garble"), ...where }),
]);

function termsOf(body: z.infer<typeof planned>): FaultTerms {
  const { kind, path, method = null, count = 1 } = body;
  const terms = { kind, path, method, count, latencyMs: 0, status: 503, applied: false };
  if (kind === "latency") return { ...terms, latencyMs: body.latency_ms };
  if (kind === "error") return { ...terms, status: body.status ?? 503, applied: body.applied ?? false };
  return terms;
}

function viewOf({ id, kind, path, method, remaining, latencyMs, status, applied }: PlannedFault): object {
  return {
    ...{ fault_id: id, kind, path, method, left: remaining },
    ...(kind === "latency" ? { latency_ms: latencyMs } : {}),
    ...(kind === "error" ? { status, applied } : {}),
  };
}

export const FAULT_OPERATIONS: readonly Operation[] = [
  operation({
    method: "POST",
    path: "/faults",
    summary:
      "inject a fault into the next matching requests: latency (late), error (5xx, 504 is EService:Timeout; without effect unless applied), drop (takes effect, no answer), garble (takes effect, half an answer)",
    example: '{ "kind": "drop", "method": "POST", "path": "/v1/orders", "count": 1 }',
    body: planned,
    run({ faults, body }) {
      const added = faults.add(termsOf(body));
      return added === undefined
        ? badArgument("body", "there are too many planned faults; remove some", 409)
        : { ok: true, status: 201, body: viewOf(added), changed: false };
    },
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
