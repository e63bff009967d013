/** A server that may have 256 files open, and 400 strangers that connect and say nothing. The longer form is `npm run soak:abuse`. */
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, expect, it } from "vitest";
import { freshHome } from "../../fixture/data-dir.ts";
import { addressIn } from "../../fixture/http-address.ts";
import { cleanUp, run, start } from "../../fixture/program.ts";
import { connectHttp } from "../../mcp/client.ts";

afterAll(cleanUp);

const FILES_MAX = 256;

it("answers who has a token, keeps descriptors for itself, and is halted", async () => {
  const home = freshHome();
  const through = ["/bin/sh", "-c", `ulimit -n ${FILES_MAX}; exec "$0" "$@"`];
  const server = start(["serve", "--http", "--json", "--show-token", "--port", "0"], { home }, through);
  const address = addressIn(await server.firstLine());
  const port = Number(new URL(address.url).port);
  const strangers = Array.from({ length: 400 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
  await Promise.all(strangers.map((socket) => once(socket, "connect")));
  for (let n = 0; n < 3; n++) {
    const assistant = await connectHttp("2026-07-28", address);
    expect((await assistant.call("get_balances")).structured).toHaveProperty("value");
    await assistant.close();
  }
  expect(readdirSync(`/proc/${server.pid}/fd`).length).toBeLessThan(FILES_MAX - 100);
  expect((await run(["halt"], { home })).code).toBe(0);
  for (const socket of strangers) socket.destroy();
});
