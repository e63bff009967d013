/** Who is told where `policy.toml` lies, and which line of it a person would change. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneLine } from "../fixture/command.ts";
import { addressIn, type HttpAddress } from "../fixture/http-address.ts";
import { cleanUp, run, start } from "../fixture/in-process.ts";
import { paperHome } from "../fixture/paper-home.ts";
import { connectHttp, ERAS, type TestClient } from "../mcp/client.ts";

let home: string;
let owner: HttpAddress;
let other: HttpAddress;
const path = (): string => join(home, "policy.toml");
const DESKS = "policy.toml of this desk";
const LINE = 'max_order_krw = "10000"';
const ORDER = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "50000" };

beforeAll(async () => {
  home = await paperHome();
  writeFileSync(path(), `${LINE}\n`, { mode: 0o600 });
  const server = start(["serve", "--http", "--port", "0", "--json", "--show-token"], { home });
  owner = addressIn(await server.firstLine());
  const made = await run(["tokens", "create", "bot", "--scopes", "all", "--json"], { home });
  const { token } = oneLine<{ readonly token: string }>(made);
  other = { url: owner.url, headers: { authorization: `Bearer ${token}` } };
});
afterAll(cleanUp);

async function told(client: Pick<TestClient, "call" | "read">) {
  const status = await client.call("get_desk_status");
  const denied = await client.call("place_order", ORDER);
  const policy = await client.read("hoga://policy");
  return { status, denied, policy };
}

function expectPlace({ status, denied, policy }: Awaited<ReturnType<typeof told>>, place: string): void {
  expect(status.structured).toMatchObject({ policy_file: place });
  expect(status.structured["limits"]).toContainEqual(expect.objectContaining({ rule: "order_size", line: LINE }));
  expect(status.text).toContain(`set in ${place}; a person changes it.`);
  expect(status.text).toContain(`₩10,000 an order (${LINE})`);
  const next = `only a person changes the line ${LINE} in ${place}.`;
  expect(denied.structured).toMatchObject({ state: "denied", next_action: expect.stringContaining(next) });
  expect(denied.text).toContain(next);
  expect(policy["file"]).toBe(place);
}

describe("policy.toml", () => {
  it("is where it lies for the terminal", async () => {
    const status = oneLine(await run(["call", "get_desk_status", "--json"], { home }));
    expect(status).toMatchObject({ policy_file: path() });
    const denied = await run(["call", "place_order", JSON.stringify(ORDER)], { home });
    expect(denied.stdout + denied.stderr).toContain(`the line ${LINE} in ${path()}.`);
  });

  it.each(ERAS)("is where it lies for the owner's token, and the desk's for every other (%s)", async (era) => {
    for (const [address, place] of [
      [owner, path()],
      [other, DESKS],
    ] as const) {
      const client = await connectHttp(era, address);
      const answers = await told(client);
      expectPlace(answers, place);
      expect(JSON.stringify(answers).includes(home)).toBe(place !== DESKS);
      await client.close();
    }
  });
});
