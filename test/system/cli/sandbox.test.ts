import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { eventually, oneLine } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp, run, start, startSandbox } from "../../fixture/program.ts";
import { SignedClient } from "../../sandbox/http/signed-client.ts";

afterAll(cleanUp);

describe("hoga sandbox", () => {
  it("prints address and key for people, and ends on Ctrl-C", async () => {
    const running = start(["sandbox", "--port", "0", "--no-market-maker"]);
    await eventually(() => running.stdout().includes("Ctrl-C stops it") || undefined);
    expect(running.stdout()).toMatch(
      /running at http:\/\/127\.0\.0\.1:\d+\n(.*\n)* {2}API-Key +\S+\n +API secret +\S+\n +admin +\S+\n +data +\S+\n/,
    );
    expect(await running.stop("SIGINT")).toMatchObject({ code: 0, stderr: "" });
  });

  it("keeps account, key and orders in --data", async () => {
    const [home, data] = [freshHome(), join(freshHome(), "deeper", "exchange")];
    const first = await startSandbox({ home }, ["--no-market-maker", "--data", data]);
    const { api_key: apiKey, api_secret: apiSecret } = first.line;
    const placed = await new SignedClient(first.line.base_url, { apiKey, apiSecret }).order();
    await first.stop("SIGKILL");
    const second = await startSandbox({ home }, ["--no-market-maker", "--data", data]);
    expect(second.line).toMatchObject({ api_key: apiKey, api_secret: apiSecret });
    const { json } = await new SignedClient(second.line.base_url, { apiKey, apiSecret }).get("/v1/orders");
    expect(json).toMatchObject({ orders: [{ orderId: placed.json.orderId, state: "open" }] });
    expect(JSON.parse(readFileSync(join(data, "key.json"), "utf8"))).toMatchObject({ api_key: apiKey });
    await second.stop();
  });

  it("serves the drafts when they are asked for, and a request made before it was killed stays made once", async () => {
    const place = { home: freshHome() };
    const client = ({ line }: Awaited<ReturnType<typeof startSandbox>>) =>
      new SignedClient(line.base_url, { apiKey: line.api_key, apiSecret: line.api_secret });
    const asked = { source_asset: "KRW", target_currency: "USD", amount: "138000", destination_country: "US" };
    const rest = { originator_vasp_id: "VASP-KR-1", purpose_code: "FAMILY" };
    const beneficiary = { name: "Kim Minji", account: "123", bank_code: "BOFAUS3N", country: "US" };
    const post = (to: SignedClient, target: string, body: object, key: string) =>
      to.post(`/v0.1/remittances${target}`, body, { headers: { "Idempotency-Key": key } });
    const plain = await startSandbox(place);
    const off = await post(client(plain), "/quotes", asked, "q1");
    expect(off).toMatchObject({
      status: 404,
      json: { error: { message: expect.stringContaining("--drafts") as string } },
    });
    await plain.stop();
    const first = await startSandbox(place, ["--no-market-maker", "--drafts"]);
    const quoted = await post(client(first), "/quotes", asked, "q1");
    const body = { quote_id: quoted.json.quote_id as string, beneficiary, ...rest };
    const made = await post(client(first), "", body, "r1");
    expect(made).toMatchObject({ status: 201, json: { draft: true, state: "created" } });
    await first.stop("SIGKILL");
    const second = await startSandbox(place, ["--no-market-maker", "--drafts"]);
    expect((await post(client(second), "", body, "r1")).text).toBe(made.text);
    const list = await client(second).get("/v0.1/remittances");
    expect(list.json.remittances).toMatchObject([{ remittance_id: made.json.remittance_id as string }]);
    await second.stop();
  });

  it("refuses to host a directory twice, and names the address that serves it", async () => {
    const home = freshHome();
    const first = await startSandbox({ home });
    const second = await run(["sandbox", "--port", "0", "--json"], { home });
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`hosted by another process already, at ${first.line.base_url}`);
    expect(second.stderr).toContain("--data");
    expect(oneLine(second)).toMatchObject({ error: { message: expect.stringContaining("another process") } });
    await first.stop();
  });
});
