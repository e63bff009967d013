/** `hoga store`: what is kept is checked, backed up, or moved from the data directory to a PostgreSQL server; a person says which store it is. */
import { prepareHome, readStoreMark, StoreUrl, writeStoreMark } from "../../config/index.ts";
import { quoted } from "../../contract/index.ts";
import { keepMark, ledTo, storeText } from "../composition/home-mark.ts";
import { EXIT, NotApprovedError, UsageError, unwrap } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { writeNew } from "../new-file.ts";
import { withComposition } from "./look.ts";

export interface StoreOptions {
  readonly file?: string;
  readonly profile?: string;
  readonly json?: boolean;
}

type Action = (options: StoreOptions, run: Invocation) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = { backup, check, migrate, use };

export async function store(action: string, options: StoreOptions, run: Invocation): Promise<void> {
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (act === undefined)
    throw new UsageError(`hoga store cannot ${quoted(action, 20)}.`, "Use backup, check, migrate or use.");
  await act(options, run);
}

async function backup({ file, profile, json }: StoreOptions, run: Invocation): Promise<void> {
  if (file === undefined || file === "")
    throw new UsageError("hoga store backup names no file.", "Name a new one: hoga store backup FILE");
  await withComposition(run, profile, async (composition) => {
    const { copyTo } = await composition.store();
    if (copyTo === undefined) throw await onServer(run);
    const copy = await writeNew(file, copyTo);
    const { head, isWhole } = copy;
    const noted = `${head.count}:${head.hash}`;
    if (json === true) return run.out.printJson({ file, log_rows: head.count, log_head: noted, log_is_whole: isWhole });
    const verdict = isWhole ? "and is whole" : "and is NOT whole, as in the store: hoga audit verify says why";
    run.out.print(
      `Written to ${file} and read through. The log in it has ${head.count} rows ${verdict}; its head is ${noted}.`,
    );
  });
}

async function onServer({ home }: Invocation): Promise<UsageError> {
  const { shown = "" } = await ledTo(home);
  const [, schema = "hoga"] = /\(schema (\w+)\)$/.exec(shown) ?? [];
  const url = StoreUrl.of(home.storeUrl())?.withoutParameters() ?? "";
  return new UsageError(
    `The store is on a server, ${shown}, which has means of its own for that.`,
    `Back it up there, such as with: pg_dump --format=custom --schema=${schema} --file=FILE '${url}'`,
  );
}

async function check({ profile, json }: StoreOptions, run: Invocation): Promise<void> {
  await withComposition(run, profile, async (composition) => {
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
  });
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
  const mark = readStoreMark(home.storeMark);
  if (mark?.kind === "server")
    throw new UsageError(
      `The store of this data directory is ${storeText(home, mark)}, so ${home.database} is none to be moved.`,
      "Where the file is the one after all, say so first: unset HOGA_STORE_URL and run hoga store use on a terminal.",
    );
  const { moveStore } = await import("../../store/index.ts");
  const { from, keptAs, to, rows, head, storeId } = await moveStore(
    home.database,
    server.reveal(),
    Date.now(),
    home.tenant?.name,
  );
  keepMark(home, { ...(await ledTo(home)), storeId });
  if (json === true)
    return run.out.printJson({ from, kept_as: keptAs, to, rows, log_rows: head.count, log_head: head.hash });
  run.out.print(
    [
      `Moved ${rows} rows to ${to}, and read them back: nothing is missing, and the log of ${head.count} rows is whole.`,
      `The file is kept as ${keptAs}. Keep HOGA_STORE_URL set: without it nothing is opened.`,
    ].join("\n"),
  );
}

/** From now on the data directory has the store that the settings lead to. Nothing of it is opened: whatever stood there last still counts. */
async function use({ json }: StoreOptions, run: Invocation): Promise<void> {
  const { home, io, out } = run;
  const here = await ledTo(home);
  if (io.stdin.isTTY !== true)
    throw new NotApprovedError(
      "Which store a data directory has is a person's to say, on a terminal; this is not one.",
      "Run the command yourself in a terminal window.",
    );
  prepareHome(home);
  writeStoreMark(home.storeMark, here);
  if (json === true) return out.printJson({ store: here.kind, at: here.shown ?? home.database });
  out.print(
    `From now on the store of ${home.dir} is ${storeText(home, here)}. Processes that run go on with the one they have: end them.`,
  );
}
