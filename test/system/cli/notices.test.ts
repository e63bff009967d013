/** Notices as whole programs send them: what one was at when it was killed is sent by the next. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { eventually, oneLine } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { NOTIFY_SECRET, noticeReceiver } from "../../fixture/notice-receiver.ts";
import { cleanUp, run, start } from "../../fixture/program.ts";

afterAll(cleanUp);

it("a notice whose sender was killed is sent by the next under the same id, and then by none", {
  timeout: 90_000,
}, async () => {
  const receiver = await noticeReceiver((n) => (n === 0 ? "never" : 204));
  onTestFinished(() => receiver.close());
  const home = freshHome();
  const settings = `[notify]\nwebhook_url = "${receiver.url}"\nwebhook_secret = "${NOTIFY_SECRET}"\ntypes = ["plan.active"]\n`;
  writeFileSync(join(home, "config.toml"), settings, { mode: 0o600 });
  const serve = () => start(["serve", "--http", "--port", "0"], { home });
  const first = serve();
  await first.firstLine();
  const words = ["plans", "create", "alert", "--symbol", "BTC/KRW", "--above", "+50%", "--json"];
  const made = oneLine<{ plan: { plan_id: string } }>(await run(words, { home }));
  await eventually(() => receiver.received[0]);
  const killed = await first.stop("SIGKILL");
  const next = serve();
  await next.firstLine();
  await eventually(() => receiver.received[1], 40_000);
  await pause(2_500);
  expect(receiver.received.map(({ id, body }) => [id, body?.type, body?.data["plan_id"]])).toEqual(
    [1, 2].map(() => [receiver.received[0]?.id, "plan.active", made.plan.plan_id]),
  );
  const ended = await next.stop();
  expect([killed, ended].map(({ stdout, stderr }) => stdout + stderr).join()).not.toContain(NOTIFY_SECRET);
  const log = await run(["audit", "show", "--json"], { home });
  expect(log.stdout.match(/"notice_delivered"/g)).toHaveLength(1);
});
