/** `hoga audit`: the log of every step, shown, checked against its chain, or written out. */
import { closeSync, writeSync } from "node:fs";
import { defined, quoted } from "../../contract/index.ts";
import { approvalDigest } from "../../desk/index.ts";
import { verifyTouches } from "../../passkeys/index.ts";
import type { Words } from "../../words/index.ts";
import type { DeskStore } from "../composition/compose.ts";
import { EXIT, UsageError, unwrap } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { openNew } from "../new-file.ts";
import { table } from "../text/table.ts";
import { withComposition } from "./look.ts";

export interface AuditOptions {
  readonly profile?: string;
  readonly json?: boolean;
  readonly limit: number;
  readonly out?: string;
  /** `COUNT:HASH`, as an export ends with. */
  readonly head?: string;
  /** A row in which a person resumed trading. */
  readonly since?: number;
}

type Log = DeskStore["audit"];
type Action = (options: AuditOptions, run: Invocation) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = { show, verify, export: writeOut };

export async function audit(action: string, options: AuditOptions, run: Invocation): Promise<void> {
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (act === undefined)
    throw new UsageError(`hoga audit cannot ${quoted(action, 20)}.`, "Use show, verify or export.");
  await act(options, run);
}

/** The log belongs to the data directory, not to a profile, and is read without any exchange. */
function withAudit<T>({ profile }: AuditOptions, run: Invocation, use: (audit: Log) => Promise<T>): Promise<T> {
  return withComposition(run, profile, async (composition) => use((await composition.store()).audit));
}

async function show(options: AuditOptions, run: Invocation): Promise<void> {
  const rows = await withAudit(options, run, async (log) =>
    unwrap(await log.recent({ limit: Math.min(options.limit, 1_000) })),
  );
  if (options.json === true) return run.out.printJson({ entries: rows });
  if (rows.length === 0) return run.out.print(run.words.say("audit.empty"));
  const { say, when, state } = run.words;
  const cells = rows.map((row) => [
    String(row.seq),
    when(row.atMs),
    row.event,
    typeof row.detail["to"] === "string" ? state(row.detail["to"]) : "",
    row.intentId ?? "",
    row.orderId ?? "",
    ...(rows.some(hasText) ? [hasText(row) ? String(row.detail["what"]) : ""] : []),
  ]);
  const columns = ["seq", "time", "event", "state", "intent", "order_id"] as const;
  const header = columns.map((name) => say(`column.${name}`));
  run.out.print(table(rows.some(hasText) ? [...header, say("column.what")] : header, cells));
}

/** Rows of what is no order carry a text on what they are about. */
function hasText({ detail }: { readonly detail: Readonly<Record<string, unknown>> }): boolean {
  return typeof detail["what"] === "string";
}

async function verify(options: AuditOptions, run: Invocation): Promise<void> {
  const noted = options.head === undefined ? undefined : notedHead(options.head);
  const { since } = options;
  const verdict = await withAudit(options, run, async (log): Promise<Verdict> => {
    if (since !== undefined) await checkAccepted(log, since);
    const chain = await log.verify(noted, since);
    if (!chain.ok) {
      const accepted = since === undefined ? await log.lastAccepted() : undefined;
      return { ...chain, ...(accepted !== undefined && accepted > chain.seq ? { accepted } : {}) };
    }
    const touches = await verifyTouches(log, approvalDigest);
    if (touches.ok) return { ...chain, signatures: touches.count, ...defined({ since }) };
    const { seq, why } = touches;
    return { ok: false, seq, what: "signature", count: chain.count, why };
  });
  if (options.json === true) run.out.printJson(verdict);
  else run.out.print(verdictText(verdict, run.words));
  run.exitCode = verdict.ok ? EXIT.done : EXIT.failed;
}

/** Takes only a row of the log for what a person accepted. @throws UsageError for any other */
async function checkAccepted(log: Log, seq: number): Promise<void> {
  const [row] = unwrap(await log.recent({ limit: 1, beforeSeq: seq + 1 }));
  if (row?.seq === seq && row.event === "resumed") return;
  const last = await log.lastAccepted();
  throw new UsageError(
    `Row ${seq} is none in which a person resumed trading, so nobody has accepted what stands before it.`,
    last === undefined ? "There is no such row in this log." : `The last such row is ${last}.`,
  );
}

function notedHead(text: string): NonNullable<Parameters<Log["verify"]>[0]> {
  const [, count = "", hash = ""] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (hash === "")
    throw new UsageError("--head is not a head.", "Give it as COUNT:HASH, as hoga audit export and verify end with.");
  return { count: Number(count), hash }; // not money: a number of rows
}

type Chain = Awaited<ReturnType<Log["verify"]>>;
type Damage = Extract<Chain, { ok: false }>;
type Verdict =
  /** With as many yeses by passkey, each proven. */
  | (Extract<Chain, { ok: true }> & { readonly signatures: number; readonly since?: number })
  /** With the row behind it in which a person went on. */
  | (Damage & { readonly accepted?: number })
  | (Omit<Damage, "what"> & { readonly what: "signature"; readonly why: string });

function verdictText(verdict: Verdict, words: Words): string {
  if (!verdict.ok) {
    const not = words.say("audit.not_whole", { damage: damageText(verdict, words) });
    const accepted = "accepted" in verdict ? verdict.accepted : undefined;
    return accepted === undefined ? not : `${not}\n${words.say("audit.accepted", { seq: accepted })}`;
  }
  const { count, headHash, signatures, since } = verdict;
  const head = `${count}:${headHash}`;
  const whole =
    since === undefined
      ? words.say("audit.whole", { count, head })
      : words.say("audit.whole_since", { seq: since, count, head });
  return signatures === 0 ? whole : `${whole}\n${words.say("audit.signed", { count: signatures })}`;
}

function damageText(damage: Extract<Verdict, { ok: false }>, { say }: Words): string {
  const { seq, what, count } = damage;
  switch (what) {
    case "signature":
      return say("audit.signature", { count, seq, why: damage.why });
    case "intent":
      return say("audit.intent", { count, seq });
    case "restored":
      return say("audit.restored", { count, seq });
    case "another log":
      return say("audit.another", { seq });
    case "changed":
    case "missing":
    case "cut off":
    case "added":
    case "head":
      return say("audit.row", { seq, what: say(`damage.${what}`), count });
    default:
      return what satisfies never;
  }
}

/** Writes one JSON object a line, the last with the hash of the head: whoever keeps that elsewhere can detect a changed row. */
async function writeOut(options: AuditOptions, run: Invocation): Promise<void> {
  if (options.out === undefined) return withAudit(options, run, (log) => log.export((line) => run.out.print(line)));
  // An existing file is never overwritten.
  const file = openNew(options.out);
  try {
    await withAudit(options, run, (log) => log.export((line) => writeSync(file, `${line}\n`)));
  } finally {
    closeSync(file);
  }
  run.out.print(run.words.say("file.written", { file: options.out }));
}
