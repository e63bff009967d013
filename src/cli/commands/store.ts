/** `hoga store`: what is kept is checked, or moved from the data directory to a PostgreSQL server. */
import { prepareHome, StoreUrl } from "../../config/index.ts";
import { quoted } from "../../contract/index.ts";
import { composeCommand } from "../composition/compose.ts";
import { EXIT, UsageError, unwrap } from "../failure.ts";
import type { Invocation } from "../invocation.ts";

export interface StoreOptions {
  readonly profile?: string;
  readonly json?: boolean;
}

type Action = (options: StoreOptions, run: Invocation) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = { check, migrate };

export async function store(action: string, options: StoreOptions, run: Invocation): Promise<void> {
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (act === undefined) throw new UsageError(`hoga store cannot ${quoted(action, 20)}.`, "Use check or migrate.");
  await act(options, run);
}

async function check({ profile, json }: StoreOptions, run: Invocation): Promise<void> {
  const composition = composeCommand(run, profile);
  try {
    const opened = await composition.store();
    const report = unwrap(await opened.check());
    const log = await opened.audit.verify();
    run.exitCode = log.ok ? EXIT.done : EXIT.failed;
    const shown = {
      path: report.path,
      schema_version: report.schemaVersion,
      log_is_whole: log.ok,
      log_rows: log.count,
    };
    if (json === true) return run.out.printJson(shown);
    const verdict = log.ok
      ? `its log of ${log.count} rows is whole`
      : "its log is NOT whole: hoga audit verify says where";
    run.out.print(`The store ${report.path} can be read and written, and ${verdict}.`);
  } finally {
    await composition.close();
  }
}

async function migrate({ json }: StoreOptions, run: Invocation): Promise<void> {
  const { home } = run;
  const server = StoreUrl.of(home.storeUrl());
  if (server === undefined)
    throw new UsageError(
      "HOGA_STORE_URL is not set, so there is nowhere to move the store to.",
      "Set it to postgres://user@host:5432/database.",
    );
  prepareHome(home);
  const { moveStore } = await import("../../store/index.ts");
  const { from, keptAs, to, rows, head } = await moveStore(
    home.database,
    server.reveal(),
    Date.now(),
    home.tenant?.name,
  );
  if (json === true)
    return run.out.printJson({ from, kept_as: keptAs, to, rows, log_rows: head.count, log_head: head.hash });
  run.out.print(
    [
      `Moved ${rows} rows to ${to}, and read them back: nothing is missing, and the log of ${head.count} rows is whole.`,
      `The file is kept as ${keptAs}. Keep HOGA_STORE_URL set: without it a new, empty store would begin, and be halted.`,
    ].join("\n"),
  );
}
