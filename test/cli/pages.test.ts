import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { FaultError } from "../../src/cli/failure.ts";
import { Invocation } from "../../src/cli/invocation.ts";
import { type Page, readPages } from "../../src/cli/pages.ts";
import { failed, localFault, ok, type Result, venueFault } from "../../src/contract/index.ts";

const streams = () => ({ stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() });
const invocation = () =>
  new Invocation([], {
    ...streams(),
    ...{ env: {}, signals: new EventEmitter(), program: "hoga" },
    interrupt: () => undefined,
    exit: () => undefined,
  });

/** Pages by their cursors; the first has none. */
const readAll = (read: (cursor: string | undefined) => Result<Page<string>>, max = 100) =>
  readPages(invocation(), { read: async (cursor) => read(cursor), timeOf: (time) => time, max });
const page = (next_cursor: string | null, ...entries: string[]) => ok({ entries, next_cursor });
const limited = failed({ ...venueFault("EAPI:Rate limit exceeded"), retryAfterMs: 1 });

describe("the pages of a list", () => {
  it("are read to the last, or to as many entries as are wanted", async () => {
    const read = (cursor: string | undefined) => (cursor === undefined ? page("b", "1", "2") : page(null, "3"));
    expect(await readAll(read)).toEqual(["1", "2", "3"]);
    expect(await readAll(read, 1)).toEqual(["1"]);
  });

  it("are asked for again where the turn did not come in time, but not for ever", async () => {
    let tries = 0;
    const free = (turns: number) => () => {
      tries += 1;
      return tries <= turns ? limited : page(null, "1");
    };
    expect(await readAll(free(9))).toEqual(["1"]);
    tries = 0;
    await expect(readAll(free(10))).rejects.toBeInstanceOf(FaultError);
  });

  it("are not asked for again where anything else failed", async () => {
    let tries = 0;
    const broken = () => {
      tries += 1;
      return failed(localFault("ELocal:No answer"));
    };
    await expect(readAll(broken)).rejects.toBeInstanceOf(FaultError);
    expect(tries).toBe(1);
  });

  it("end where a cursor leads to itself", async () => {
    await expect(readAll(() => page("a", "1"))).rejects.toMatchObject({ message: expect.stringMatching(/answer/) });
  });
});
