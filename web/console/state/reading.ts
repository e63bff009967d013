/** Owns a view that is read once and again when the server says that it has changed. What was read stays until the next is there. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Reads } from "../../../src/serve/console/console-routes.ts";
import type { Failed, Viewed } from "../request.ts";
import { type ChangedPart, useConsole } from "./console.ts";
import { pacedBy } from "./paced.ts";

export interface Reading<Value> {
  readonly value: Value | undefined;
  readonly failed: Failed | undefined;
}

export interface ReadingTimes {
  /** Also this often, while somebody looks: what moves with the market changes without anybody doing anything. */
  readonly everyMs?: number;
}

/** Changes that come close together are one reason to read. */
const TOGETHER_MS = 400;

export function useReading<Path extends keyof Reads>(
  path: Path,
  query: Reads[Path]["asked"],
  changed: readonly ChangedPart[],
  { everyMs }: ReadingTimes = {},
): Reading<Viewed<Path>> {
  const { read, changes } = useConsole();
  const [state, setState] = useState<Reading<Viewed<Path>>>({ value: undefined, failed: undefined });
  const asked = JSON.stringify(query);
  const version = changed.map((part) => changes[part].value).join(" ");
  const wake = useRef<() => void>(() => undefined);
  useEffect(() => {
    const paced = pacedBy(TOGETHER_MS, async () => {
      const answer = await read(path, JSON.parse(asked) as Reads[Path]["asked"]);
      if (!paced.isOpen()) return;
      setState((before) => ({
        value: answer.ok ? answer.value : before.value,
        failed: answer.ok ? undefined : answer,
      }));
    });
    wake.current = paced.wake;
    paced.wake();
    const timer = everyMs === undefined ? undefined : setInterval(() => !document.hidden && paced.wake(), everyMs);
    return () => {
      paced.close();
      clearInterval(timer);
    };
  }, [path, asked, everyMs]);
  useEffect(() => wake.current(), [version]);
  return state;
}
