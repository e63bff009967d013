/**
 * A stop from the first word to the last, by whole programs: an assistant makes it on the paper exchange, a person approves it with the PIN, others make the market
 * fall, it sells, and a receiver of notices that fails first is told once.
 */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { eventually } from "../../fixture/command.ts";
import { PIN, runTerminal, setPin, useRealPrograms } from "../../fixture/command-line.ts";
import { wideHome } from "../../fixture/home.ts";
import { NOTIFY_SECRET, noticeReceiver } from "../../fixture/notice-receiver.ts";
import { Admin, othersAt, won } from "../../fixture/plan-floor.ts";
import { cleanUp, startSandbox } from "../../fixture/program.ts";
import { venueOrders } from "../../fixture/witness.ts";
import { connect, endAssistants, type Reply } from "./assistant.ts";

useRealPrograms();
afterAll(async () => {
  endAssistants();
  await cleanUp();
});

/** From the fall on: two seconds that it stands there, and what looking and sending takes on a busy machine. */
const SOLD_WITHIN_MS = 15_000;

interface PlanReply extends Reply {
  readonly plan?: { readonly plan_id: string; readonly state: string };
  readonly plans?: readonly { readonly state: string; readonly steps?: readonly { readonly state: string }[] }[];
}

it("a stop that an assistant makes and a person approves sells once when others make the market fall, and that is told once", async () => {
  const receiver = await noticeReceiver((n) => (n === 0 ? 500 : 204));
  const home = wideHome();
  appendFileSync(join(home, "policy.toml"), '[plans]\napprove = "always"\n');
  const types = '["plan.triggered", "plan.step_done"]';
  const settings = `[notify]\nwebhook_url = "${receiver.url}"\nwebhook_secret = "${NOTIFY_SECRET}"\ntypes = ${types}\n`;
  writeFileSync(join(home, "config.toml"), settings, { mode: 0o600 });
  const sandbox = await startSandbox({ home });
  const admin = new Admin(sandbox.line, home);
  await admin.post("/accounts/paper/deposits", { asset: "BTC", amount: "1" });
  const others = await othersAt(admin, sandbox.line.base_url);
  await others.stand(104, 105, 104.5);
  await setPin(home);

  const assistant = await connect({ home });
  const ask = (tool: string, args: object): Promise<PlanReply> => assistant.call(tool, args);
  const asked = {
    kind: "stop",
    symbol: "BTC/KRW",
    base_volume: "0.5",
    stop_price: won(100),
    note: "before the weekend",
  };
  const made = await ask("create_plan", asked);
  expect(made).toMatchObject({ outcome: "not_sent", state: "awaiting_approval" });
  const id = made.plan?.plan_id ?? "";
  const yes = await runTerminal(["approve", id], { home }, [["PIN: ", PIN]]);
  expect([yes.code, yes.screen]).toEqual([0, expect.stringContaining("The plan is active.")]);
  const look = async () => (await ask("list_plans", { plan_id: id, state: "all" })).plans?.[0];
  await eventually(async () => ((await ask("list_plans", {})).plans?.length === 1 ? true : undefined));

  await others.stand(99, 99.8, 99.4);
  const fellMs = Date.now();
  await eventually(async () => ((await look())?.state === "done" ? true : undefined), SOLD_WITHIN_MS);
  process.stderr.write(`plan story: sold and settled ${Date.now() - fellMs} ms after the fall\n`);
  expect(await look()).toMatchObject({ filled_volume: "0.5", left_volume: "0", steps: [{ step: 1, state: "done" }] });

  const told = () => receiver.received.map(({ id: notice, body }) => [notice, body?.type, body?.data["plan_id"]]);
  await eventually(() => (told().length === 3 ? true : undefined), 30_000);
  // What would be sent again comes within five seconds.
  await pause(6_000);
  const all = told();
  expect(new Map(all.map(([notice, type]) => [notice, type])).size).toBe(2);
  expect(new Set(all.map(([, type]) => type))).toEqual(new Set(["plan.step_done", "plan.triggered"]));
  // The one that failed came again under its id, and nothing else did.
  expect(all.map(([notice]) => notice).filter((notice) => notice === all[0]?.[0])).toHaveLength(2);
  expect(all.map(([, , plan]) => plan)).toEqual([id, id, id]);

  await assistant.close();
  await others.close();
  const orders = await venueOrders(home);
  expect(orders).toMatchObject([
    { userref: expect.stringMatching(/^p-.{12}-0001$/), executed_volume: "0.5", state: "filled" },
  ]);
  await receiver.close();
  await sandbox.stop();
}, 120_000);
