/** The store, looked at and left as it is: whether it can be read, its log is whole, trading is halted, and what waits or is not known. */
import type { Home } from "../../config/index.ts";
import type { StoreLook } from "../../store/index.ts";
import { expectedStore, storeToLookAt } from "../composition/home-mark.ts";
import { type Check, explained, fine, isCheck, warned, wrong } from "./check.ts";

type CommandLine = (...words: readonly string[]) => string;

interface Asked {
  readonly home: Home;
  /** Money may be real. */
  readonly isLive: boolean;
  readonly commandLine: CommandLine;
}

export async function storeChecks({ home, isLive, commandLine }: Asked): Promise<readonly Check[]> {
  const look = await explained("store", () => lookAtHome(home));
  if (isCheck(look)) return [look];
  const { is, path } = look;
  switch (is) {
    case "none":
      return [fine("store", `${path} is made at the first use.`), ...pinCheck(false, isLive, commandLine)];
    case "older":
      return [
        fine(
          "store",
          `${path} can be read, and is of version ${look.version}: the next process that opens it brings it to ${look.current}.`,
        ),
      ];
    case "current":
      return [
        fine("store", `${path} can be read, and is of version ${look.version}.`),
        auditCheck(look, commandLine),
        haltCheck(look, commandLine),
        ...pinCheck(look.hasPin, isLive, commandLine),
        openCheck(look, commandLine),
      ];
    default:
      return is satisfies never;
  }
}

async function lookAtHome(home: Home): Promise<StoreLook> {
  await expectedStore(home);
  const { lookAtStore } = await import("../../store/index.ts");
  return lookAtStore(await storeToLookAt(home));
}

type Current = Extract<StoreLook, { readonly is: "current" }>;

function auditCheck({ log }: Current, commandLine: CommandLine): Check {
  if (log.ok) return fine("audit", `The log of ${log.count} rows is whole.`);
  return wrong(
    "audit",
    `The log is not whole: row ${log.seq} (${log.what}), after ${log.count} rows that are right.`,
    `${commandLine("audit", "verify")} says more. Compare with the exchange before anybody trades.`,
  );
}

function haltCheck({ halted }: Current, commandLine: CommandLine): Check {
  if (halted === undefined) return fine("halt", "Trading is not halted.");
  return warned(
    "halt",
    `Trading is halted since ${new Date(halted.atMs).toISOString()}: ${halted.reason}`,
    `A person resumes: ${commandLine("resume")}`,
  );
}

/** Paper money needs none. */
function pinCheck(hasPin: boolean, isLive: boolean, commandLine: CommandLine): readonly Check[] {
  if (!isLive) return [];
  return [
    hasPin
      ? fine("pin", "A PIN is set.")
      : warned(
          "pin",
          "No PIN is set, so that nothing that needs a person's yes is placed.",
          `Set it on a terminal: ${commandLine("pin")}`,
        ),
  ];
}

const SHOWN = 5;

function openCheck({ open }: Current, commandLine: CommandLine): Check {
  const unknown = open.filter(({ state }) => state === "unknown").map(({ id }) => id);
  const waiting = open.length - unknown.length;
  const asked = `${waiting} wait for a person.`;
  if (unknown.length === 0) return fine("orders", `None is without an answer; ${asked}`);
  const named = `${unknown.slice(0, SHOWN).join(", ")}${unknown.length > SHOWN ? ", …" : ""}`;
  return warned(
    "orders",
    `${unknown.length} without an answer of the exchange: ${named}. ${asked}`,
    `Look at the exchange, and say what became of each: ${commandLine("settle", "ID", "placed")}`,
  );
}
