/** `hoga passkeys`: who may approve by touch is shown to all, and taken away by a person with the PIN. */
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { openStore } from "../../../src/store/index.ts";
import { oneLine } from "../../fixture/command.ts";
import { cleanUp, PIN, run, runTerminal, setPin } from "../../fixture/command-line.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { softwarePasskey } from "../../fixture/passkey.ts";
import { unwrap } from "../../fixture/result.ts";

afterAll(cleanUp);

it("whose approval is in the log without a signature that holds are told of by hoga audit verify", async () => {
  const home = freshHome();
  const clock = { now: () => Date.now(), sleep: async () => undefined };
  const store = await openStore({ path: join(home, "hoga.db") }, { clock, random: Math.random });
  const passkey = softwarePasskey();
  await unwrap(store.passkeys.enrol(passkey.enrolled, "the PIN"));
  const append = (digest: string, signed: string) => {
    const detail = {
      to: "approved",
      approved_by: "passkey",
      approval: { digest, assertion: passkey.sign({ challenge: signed }) },
    };
    return unwrap(store.audit.append({ event: "transfer_moved", account: "a", intentId: "t", detail }, 5));
  };
  await append("ab".repeat(32), "ab".repeat(32));
  const verify = () => run(["audit", "verify", "--json"], { home });
  expect(oneLine(await verify())).toMatchObject({ ok: true, count: 2, signatures: 1 });
  await append("ab".repeat(32), "cd".repeat(32));
  const ended = await verify();
  expect(ended.code).toBe(1);
  expect(oneLine(ended)).toEqual({
    ok: false,
    seq: 3,
    what: "signature",
    count: 3,
    why: "It was given to another question.",
  });
  const shown = (await run(["audit", "verify"], { home })).stdout;
  expect(shown).toContain("NOT whole: all 3 rows are as they were written, but the approval by passkey in row 3");
  store.close();
});

it("are listed, and one is removed with the PIN on a terminal alone", async () => {
  const home = freshHome();
  expect((await run(["passkeys", "list"], { home })).stdout).toContain("There are no passkeys.");
  await setPin(home);
  const [laptop, phone] = [softwarePasskey(), softwarePasskey({ name: "phone", isProven: false, createdAtMs: 2 })];
  const clock = { now: () => Date.now(), sleep: async () => undefined };
  const store = await openStore({ path: join(home, "hoga.db") }, { clock, random: Math.random });
  for (const { enrolled } of [laptop, phone]) await unwrap(store.passkeys.enrol(enrolled, "the PIN"));
  store.close();
  const { stdout } = await run(["passkeys", "list"], { home });
  expect(stdout).toMatch(/laptop +localhost +everywhere/);
  expect(stdout).toMatch(/phone +localhost +for practice/);
  const [, id = ""] = /^([0-9a-f]{12}) +laptop /m.exec(stdout) ?? [];
  const piped = await run(["passkeys", "remove", id], { home });
  expect([piped.code, piped.stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining("asks for the PIN on a terminal"),
  ]);
  const remove = async (which: string, pin: string) =>
    (await runTerminal(["passkeys", "remove", which], { home }, [["PIN: ", pin]])).screen;
  expect(await remove(id, "000000")).toContain("The PIN is wrong.");
  expect(oneLine(await run(["passkeys", "list", "--json"], { home }))).toMatchObject({
    passkeys: [
      {
        id,
        credential_id: laptop.enrolled.credentialId,
        name: "laptop",
        host: "localhost",
        proven: true,
        last_used_at: null,
      },
      { name: "phone", proven: false },
    ],
  });
  expect(await remove(id, PIN)).toContain("The passkey is removed");
  expect(await remove(id, PIN)).toContain("There is no such passkey.");
  expect(oneLine(await run(["passkeys", "list", "--json"], { home }))).toMatchObject({ passkeys: [{ name: "phone" }] });
});
