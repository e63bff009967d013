/**
 * Nothing of a key leaves the program, whatever source the key comes from, whichever way hoga is reached, and however hard the
 * exchange tries to have it told: not on stdout, not on stderr, not over HTTP, and not into any file but the configuration.
 */
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { CANARY_KEY, CANARY_SECRET, leaksIn } from "../../fixture/canary.ts";
import { eventually, limitBuy, oneLine, quartet } from "../../fixture/command.ts";
import { freshHome, type Place } from "../../fixture/data-dir.ts";
import { wideHome } from "../../fixture/home.ts";
import { addressIn } from "../../fixture/http-address.ts";
import { cleanUp, type RunningProgram, run, start } from "../../fixture/program.ts";
import { type EchoingVenue, MANNERS, type Manner, startEchoingVenue } from "./echoing-venue.ts";

const SLOW_MS = 120_000;

let venue: EchoingVenue;
beforeEach(async () => {
  venue = await startEchoingVenue();
});
afterEach(() => venue.close());
afterAll(cleanUp);

const printing = (...lines: readonly string[]): string =>
  `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")}`;

type Home = Place & { readonly home: string };

/** Where the key comes from: settings of the profile, and variables. */
const SOURCES: Readonly<Record<string, { readonly settings: object; readonly env: Readonly<Record<string, string>> }>> =
  {
    "the file": { settings: { key: CANARY_KEY, secret: CANARY_SECRET }, env: {} },
    "variables that the file names": {
      settings: { key_env: "DESK_KEY", secret_env: "DESK_SECRET" },
      env: { DESK_KEY: CANARY_KEY, DESK_SECRET: CANARY_SECRET },
    },
    "a command": { settings: { key_command: printing(CANARY_KEY, CANARY_SECRET) }, env: {} },
    "two commands": {
      settings: { key_command: printing(CANARY_KEY), secret_command: printing(CANARY_SECRET) },
      env: {},
    },
  };

function configured(settings: object, env: Readonly<Record<string, string>> = {}, home = wideHome()): Home {
  const all = { environment: "sandbox", base_url: venue.url, ...settings };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const text = ['default_profile = "desk"', "[profiles.desk]", ...lines, ""].join("\n");
  writeFileSync(join(home, "config.toml"), text, { mode: 0o600 });
  return { home, env: { HOGA_LOG_LEVEL: "debug", ...env } };
}

function placeFor(source: string): Home {
  if (source === "the four variables")
    return { home: wideHome(), env: { HOGA_LOG_LEVEL: "debug", ...quartet(venue.url, CANARY_KEY, CANARY_SECRET) } };
  const { settings, env } = SOURCES[source] ?? { settings: {}, env: {} };
  return configured(settings, env);
}

/** Every file of the data directory but the configuration, where a key may stand. */
function leaksInFiles(home: string): string[] {
  return readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter((name) => name !== "config.toml" && statSync(join(home, name)).isFile())
    .flatMap((name) =>
      [...leaksIn(name), ...leaksIn(readFileSync(join(home, name)))].map((leak) => `${name}: ${leak}`),
    );
}

const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001" };
let price = 149_000_000;

/** What an assistant may ask the exchange for. The budget of a key is small, so what is asked again by itself is asked once. */
function questions(manner: Manner): readonly Question[] {
  price -= 1_000;
  const order = call("place_order", { ...ORDER, price: `${price}` });
  if (manner === "fails" || manner === "garbles" || manner === "breaks off") return [order];
  const reads = ["get_desk_status", "get_markets", "get_open_orders"].map((name) => call(name));
  const shown = ["hoga://markets", "hoga://orders/open", "hoga://audit/recent"].map((uri) => look(uri));
  return [...reads, order, call("cancel_all_orders"), ...shown];
}

type Question = readonly [method: string, params: object];

const call = (name: string, args: object = {}): Question => ["tools/call", { name, arguments: args }];

const look = (uri: string): Question => ["resources/read", { uri }];

/** The key itself in the words of an assistant that has come to know it. */
const QUOTES: readonly Question[] = [
  call("preview_order", { ...ORDER, price: "1", side: CANARY_SECRET }),
  call("get_ticker", { symbol: CANARY_SECRET, [CANARY_KEY]: { [CANARY_SECRET]: CANARY_KEY } }),
  call(CANARY_KEY),
  look(`hoga://${CANARY_KEY}`),
  look(`hoga://orderbook/${encodeURIComponent(CANARY_SECRET)}`),
  ["prompts/get", { name: "place_an_order", arguments: { symbol: CANARY_KEY, order: CANARY_SECRET } }],
  [CANARY_KEY, {}],
];

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: CANARY_KEY, version: CANARY_SECRET },
};

const MODERN = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};

/** Asks several questions at once, and waits until all are answered. */
function asking(server: RunningProgram): (asked: readonly Question[]) => Promise<void> {
  let last = 0;
  return async (asked) => {
    const ids = asked.map(([method, params]) => {
      last += 1;
      server.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: last, method, params })}\n`);
      return last;
    });
    const isAnswered = (id: number) => new RegExp(`"id":${id}[,}]`).test(server.stdout());
    await eventually(() => (ids.every(isAnswered) ? true : undefined));
  };
}

describe("over stdio", () => {
  it("the list of tools does not wait for a command, which is run once", async () => {
    const place = wideHome();
    const log = join(place, "ran");
    const command = `sleep 1; echo ran >> '${log}'; ${printing(CANARY_KEY, CANARY_SECRET)}`;
    const server = start(["serve"], configured({ key_command: command }, {}, place));
    const ask = asking(server);
    await ask([
      ["initialize", INITIALIZE],
      ["tools/list", {}],
    ]);
    expect(readdirSync(place)).not.toContain("ran");
    await ask([call("get_balances"), call("get_desk_status")]);
    await ask([call("get_balances")]);
    expect(readFileSync(log, "utf8")).toBe("ran\n");
    expect(venue.signed).toBeGreaterThan(0);
    await server.stop();
  });

  it.each([...Object.keys(SOURCES), "the four variables"])(
    "when the key is from %s, nothing of it is told or kept",
    async (source) => {
      const place = placeFor(source);
      const server = start(["serve"], place);
      const ask = asking(server);
      await ask([["initialize", INITIALIZE]]);
      server.child.stdin.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}\nnot JSON: ${CANARY_SECRET}\n`);
      // A command is run at the first need; before that nobody here knows what the key is.
      await ask([["tools/list", {}], call("get_balances")]);
      await ask(QUOTES);
      for (const manner of source === "the file" ? MANNERS : (["answers", "refuses"] as const)) {
        venue.manner = manner;
        await ask(questions(manner));
      }
      server.child.stdin.end();
      const { stdout, stderr } = await server.ended;
      expect({ stdout: leaksIn(stdout), stderr: leaksIn(stderr), files: leaksInFiles(place.home) }).toEqual({
        stdout: [],
        stderr: [],
        files: [],
      });
      for (const line of stdout.trimEnd().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
      expect(venue.signed).toBeGreaterThan(5);
      // The exchange did say it, in results and in refusals, and the files were written.
      expect(stdout.split("[secret]").length).toBeGreaterThan(20);
      expect(readdirSync(place.home)).toContain("hoga.db");
    },
    SLOW_MS,
  );
});

describe("over HTTP", () => {
  it(
    "nothing of the key is told in a result, a page or a refusal",
    async () => {
      const place = placeFor("the file");
      const server = start(["serve", "--http", "--port", "0", "--json", "--show-token"], place);
      const { url: mcp, headers: bearer } = addressIn(await server.firstLine());
      const page = new URL("/", mcp).href;
      const told: string[] = [];
      const read: string[] = [];
      const cookie = await consoleCookie(page, bearer);
      const post = async (body: string, headers = {}): Promise<Response> => {
        const accept = { "content-type": "application/json", accept: "application/json, text/event-stream" };
        const response = await fetch(mcp, { method: "POST", body, headers: { ...accept, ...bearer, ...headers } });
        told.push(JSON.stringify([...response.headers]), await response.text());
        return response;
      };
      let last = 0;
      const message = (method: string, params: object): string => {
        last += 1;
        return JSON.stringify({ jsonrpc: "2.0", id: last, method, params });
      };
      const session = (await post(message("initialize", INITIALIZE))).headers.get("mcp-session-id") ?? "";
      await post(message("tools/call", { name: "get_balances" }), { "mcp-session-id": session });
      for (const manner of ["answers", "refuses", "knows no such key"] as const) {
        venue.manner = manner;
        const asked = [...questions(manner), ...QUOTES];
        await Promise.all(
          asked.map(([method, params], at) =>
            at % 2 === 0
              ? post(message(method, params), { "mcp-session-id": session })
              : post(message(method, { ...params, ...MODERN }), { "mcp-protocol-version": "2026-07-28" }),
          ),
        );
        read.push(...(await consoleReads(page, cookie)));
      }
      for (const body of [`{"${CANARY_SECRET}`, message("initialize", { protocolVersion: CANARY_KEY })])
        await post(body);
      await post(message("tools/list", {}), { "mcp-session-id": CANARY_KEY, "mcp-protocol-version": CANARY_KEY });
      for (const headers of [{ host: CANARY_KEY }, { origin: CANARY_KEY }, { host: `${CANARY_SECRET}:1` }])
        told.push(await rawGet(page, { ...bearer, ...headers }));
      await post(message("tools/list", {}), { authorization: `Bearer ${CANARY_KEY}` });
      const token = bearer["Authorization"]?.slice("Bearer ".length) ?? "";
      await post(message("tools/call", { name: token }), { "mcp-session-id": session });
      const { stdout, stderr } = await server.stop();
      expect(leaksIn([...told, ...read, stdout, stderr].join("\n"))).toEqual([]);
      expect(leaksIn([...told, ...read, stderr].join("\n"), [token])).toEqual([]);
      expect(leaksInFiles(place.home)).toEqual([]);
      const messages = told
        .flatMap((text) => text.split("\n"))
        .flatMap((line) => /^(?:data: )?(\{.*)$/.exec(line)?.[1] ?? []);
      for (const message of messages) expect(() => JSON.parse(message) as unknown).not.toThrow();
      expect(told.filter((text) => text.includes("[secret]")).length).toBeGreaterThan(15);
      expect(read.some((text) => text.includes("[secret]"))).toBe(true);
    },
    SLOW_MS,
  );
});

const CONSOLE_READS = ["session", "markets", "portfolio", "orders?state=open", "fills", "approvals", "policy", "audit"];

/** Of a browser that has opened the console. */
async function consoleCookie(page: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const link = await fetch(new URL("/page-link", page), { method: "POST", headers });
  const { page_url } = (await link.json()) as { readonly page_url: string };
  const opened = await fetch(page_url, { redirect: "manual" });
  return opened.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
}

async function consoleReads(page: string, cookie: string): Promise<string[]> {
  const answers = ["/", ...CONSOLE_READS.map((read) => `/console/${read}`)].map(async (path) => {
    const answer = await fetch(new URL(path, page), { headers: { cookie } });
    expect(answer.status).not.toBe(401);
    return answer.text();
  });
  return Promise.all(answers);
}

function rawGet(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { headers, agent: false }, (response) => {
      let text = JSON.stringify(response.rawHeaders);
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve(text));
    });
    asking.on("error", reject).end();
  });
}

describe("on the command line", () => {
  const ORDERS = [
    ["call", ...limitBuy("149000000"), "--json"],
    ["call", ...limitBuy("149000000")],
  ];
  const REST = [
    ["call", "get_balances"],
    ["call", "get_markets", "--json"],
    ["call", "get_ticker", "--symbol", CANARY_SECRET],
    ["call", "get_ticker", "--symbol", CANARY_SECRET, "--json"],
    ["orders"],
    ["orders", "--json"],
    ["audit"],
  ];

  it.each(MANNERS)(
    "nothing of the key is printed when the exchange %s",
    async (manner) => {
      venue.manner = manner;
      const places = [placeFor("the file"), placeFor("a command")];
      const commands = manner === "answers" || manner === "refuses" ? [...ORDERS, ...REST] : ORDERS;
      let printed = "";
      for (const [at, args] of commands.entries()) {
        const { stdout, stderr } = await run(args, places[at % places.length]);
        if (args.includes("--json")) expect(() => JSON.parse(stdout) as unknown).not.toThrow();
        printed += stdout + stderr;
      }
      expect(leaksIn(printed)).toEqual([]);
      expect(places.flatMap(({ home }) => leaksInFiles(home))).toEqual([]);
      expect(venue.orders).toBeGreaterThan(0);
    },
    SLOW_MS,
  );

  it.each([
    ["of a file that is broken beside it", `[profiles.desk]\nsecret = "${CANARY_SECRET}" x`],
    ["of a table that is not closed", `[profiles.desk\nsecret = "${CANARY_SECRET}"`],
    ["in a setting that there is not", `[profiles.desk]\nenvironment = "sandbox"\nsecrte = "${CANARY_SECRET}"`],
    ["beside another wrong setting", `[profiles.desk]\nenvironment = "x"\nkey = ${JSON.stringify(CANARY_KEY)}`],
    ["in an address", `[profiles.desk]\nenvironment = "live"\nbase_url = "https://u:${CANARY_SECRET}@a.example"`],
    ["that is none", `[profiles.desk]\nenvironment = "sandbox"\nkey = "k"\nsecret = "${CANARY_SECRET} "`],
    [
      "in a command that fails",
      `[profiles.desk]\nenvironment = "sandbox"\nbase_url = "http://127.0.0.1:1"\nkey_command = "echo ${CANARY_SECRET} >&2; exit 9"`,
    ],
  ])("nothing is printed %s", async (_, config) => {
    const home = freshHome();
    writeFileSync(join(home, "config.toml"), `default_profile = "desk"\n${config}\n`, { mode: 0o600 });
    // One that says it in JSON, and one in words.
    for (const args of [["orders", "--json"], ["serve"]]) {
      const { code, stdout, stderr } = await run(args, { home, env: { HOGA_LOG_LEVEL: "debug" } });
      expect(code).toBe(1);
      expect(leaksIn(stdout + stderr)).toEqual([]);
      expect(stderr).toMatch(/\n {2}→ \S/);
    }
    expect(readdirSync(home)).toEqual(["config.toml"]);
  });

  it("nothing is printed by a crash", async () => {
    const place = placeFor("the file");
    const bomb = join(place.home, "bomb.mjs");
    const words = '"it broke with " + process.env.WORDS';
    const WORDS = `${CANARY_KEY} and ${CANARY_SECRET}`;
    for (const throwing of [`throw new Error(${words})`, `Promise.reject(new Error(${words}))`, `throw ${words}`]) {
      writeFileSync(bomb, `process.once("SIGUSR2", () => { ${throwing}; });`);
      const env = { ...place.env, NODE_OPTIONS: `--import=${bomb}`, WORDS };
      const server = start(["serve"], { home: place.home, env });
      // Now it knows the secrets, and could tell them.
      await asking(server)([["initialize", INITIALIZE], call("get_balances")]);
      const answered = server.stdout();
      const { code, stdout, stderr } = await server.stop("SIGUSR2");
      expect(leaksIn(stdout + stderr)).toEqual([]);
      expect(stderr).toMatch(/inside hoga itself: it broke with \[secret\] and \[secret\]\n {2}→ Please report/);
      expect({ code, stdout }).toEqual({ code: 1, stdout: answered });
    }
  });
});

describe("the paper exchange's own key", () => {
  it("is printed by hoga sandbox, kept in files that only its owner can read, and shown by nothing else", async () => {
    const home = wideHome();
    const sandbox = start(["sandbox", "--json", "--port", "0", "--no-market-maker"], { home });
    const line = JSON.parse(await sandbox.firstLine()) as { readonly api_key: string; readonly api_secret: string };
    const values = [line.api_key, line.api_secret];
    const commands = [
      ["call", "get_desk_status"],
      ["call", ...limitBuy(), "--json"],
      ["call", "get_ticker", "--symbol", line.api_secret],
      ["call", "get_open_orders", "--symbol", line.api_key, "--json"],
      ["orders", "--json"],
    ];
    for (const args of commands) {
      const { stdout, stderr } = await run(args, { home });
      expect(leaksIn(stdout + stderr, values)).toEqual([]);
    }
    expect(oneLine(await run(["orders", "--json"], { home }))).toMatchObject({ orders: [{ state: "open" }] });
    const database = ["hoga.db", "hoga.db-wal"].filter((name) => readdirSync(home).includes(name));
    expect(database.flatMap((name) => leaksIn(readFileSync(join(home, name)), values))).toEqual([]);
    const open = readdirSync(home, { recursive: true, encoding: "utf8" }).filter(
      (name) => (statSync(join(home, name)).mode & 0o077) !== 0,
    );
    expect(open).toEqual([]);
    await sandbox.stop();
  });

  it("is made private where its file was readable to others", async () => {
    const home = freshHome();
    await run(["orders"], { home });
    const file = join(home, "sandbox", "key.json");
    chmodSync(file, 0o644);
    await run(["orders"], { home });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
