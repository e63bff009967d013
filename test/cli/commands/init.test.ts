import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { assistantsOn } from "../../../src/cli/init/assistants.ts";
import { plannedFor } from "../../../src/cli/init/plan.ts";
import { oneLine, type RunningSandbox } from "../../fixture/command.ts";
import { cleanUp, openTerminal, PIN, run, startSandbox } from "../../fixture/command-line.ts";
import { freshHome } from "../../fixture/data-dir.ts";

// As real programs too, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

/** As people write them: comments, tabs, line ends of Windows, a mark before the text, no line end. */
const WRITTEN = {
  "claude-desktop": '{\r\n  "mcpServers": {\r\n    "files": { "command": "npx", "args": ["-y"] }\r\n  }\r\n}',
  "claude-code": '{"numStartups":3,"projects":{"/x":{}}}',
  cursor: '\uFEFF{\n    // mine\n    "mcpServers": {}\n}\n',
  vscode: '{\n\t// servers\n\t"servers": {\n\t\t"web": { "type": "http", "url": "http://x" }, // one\n\t},\n}\n',
  codex: '# mine\nmodel = "x"   # kept\n\n[mcp_servers.other]\ncommand = "y"\n',
  gemini: '{ "theme": "dark" }\n',
} as const;
type Name = keyof typeof WRITTEN;
const NAMES = Object.keys(WRITTEN) as readonly Name[];

const FILES: Readonly<Record<string, Partial<Record<Name, string>>>> = {
  linux: { "claude-desktop": ".config/Claude/claude_desktop_config.json", vscode: ".config/Code/User/mcp.json" },
  darwin: {
    "claude-desktop": "Library/Application Support/Claude/claude_desktop_config.json",
    vscode: "Library/Application Support/Code/User/mcp.json",
  },
  win32: {
    "claude-desktop": "AppData/Roaming/Claude/claude_desktop_config.json",
    vscode: "AppData/Roaming/Code/User/mcp.json",
  },
};
const EVERYWHERE = {
  "claude-code": ".claude.json",
  cursor: ".cursor/mcp.json",
  codex: ".codex/config.toml",
  gemini: ".gemini/settings.json",
};

const fileOf = (userDir: string, platform: string, name: Name): string =>
  join(userDir, { ...EVERYWHERE, ...FILES[platform] }[name] ?? "none");

function writeAll(userDir: string, platform = "linux"): void {
  for (const name of NAMES) {
    const file = fileOf(userDir, platform, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, WRITTEN[name], { mode: 0o640 });
  }
}

async function answer(
  home: string,
  args: readonly string[],
  answers: readonly (readonly [string, string])[],
  env: Readonly<Record<string, string>> = {},
) {
  const terminal = openTerminal(["init", ...args], { home, env });
  for (const [question, text] of answers) {
    await terminal.see(question);
    terminal.type(`${text}\r`);
  }
  return terminal.ended;
}

const read = (file: string): string => readFileSync(file, "utf8");

describe("an assistant", () => {
  it.each(["linux", "darwin", "win32"] as const)(
    "is found by its file on %s, and only what is ours is added",
    (platform) => {
      const userDir = freshHome();
      const machine = { platform, userDir, env: {} };
      expect(assistantsOn(machine).filter(({ isFound }) => isFound)).toEqual([]);
      writeAll(userDir, platform);
      const found = assistantsOn(machine);
      expect(found.map(({ name, file, isFound }) => ({ name, file, isFound }))).toEqual(
        NAMES.map((name) => ({ name, file: fileOf(userDir, platform, name), isFound: true })),
      );
      for (const assistant of found) {
        const planned = plannedFor(assistant, { command: "node", args: ["C:\\x\\cli.js", "serve"] });
        const { after } = planned.change ?? { after: Buffer.of() };
        const lines = (text: string): string => text.replaceAll(/[\s,]/g, "");
        const added = lines(planned.difference.replaceAll(/^[^+].*\n?/gm, "").replaceAll(/^\+ /gm, ""));
        expect(added).toContain('"serve"');
        for (const line of WRITTEN[assistant.name].split("\n").slice(0, 3))
          expect(after.toString()).toContain(line.trim().slice(0, 12));
      }
    },
  );
});

describe("hoga init", () => {
  it("shows every change and asks nothing where it is only to print, and writes nothing", async () => {
    const home = freshHome();
    writeAll(home);
    const shown = oneLine<{ clients: readonly { name: string; status: string; diff: string }[] }>(
      await run(["init", "--print", "--json"], { home }),
    );
    expect(shown.clients.map(({ name, status }) => [name, status])).toEqual(NAMES.map((name) => [name, "add"]));
    expect(shown.clients.find(({ name }) => name === "vscode")?.diff).toContain('+ \t\t"hoga": {');
    for (const name of NAMES) expect(read(fileOf(home, "linux", name))).toBe(WRITTEN[name]);
    expect(await run(["init"], { home })).toMatchObject({ code: 2, stderr: expect.stringContaining("--print") });
  });

  it("writes all of them after one Enter, and puts each back byte for byte", async () => {
    const home = freshHome();
    writeAll(home);
    const { code, screen } = await answer(home, [], [["n: nothing: ", ""]]);
    expect({ code, screen }).toMatchObject({ code: 0, screen: expect.stringContaining("hoga init --undo") });
    for (const name of NAMES) {
      const text = read(fileOf(home, "linux", name));
      expect(text).not.toBe(WRITTEN[name]);
      expect(text).toContain("serve");
      expect(statSync(fileOf(home, "linux", name)).mode & 0o777).toBe(0o640);
    }
    expect(read(fileOf(home, "linux", "codex")).startsWith(WRITTEN.codex)).toBe(true);
    expect(read(fileOf(home, "linux", "vscode"))).toContain('"web": { "type": "http", "url": "http://x" },');
    expect(
      oneLine<{ clients: readonly { status: string }[] }>(await run(["init", "--print", "--json"], { home })).clients,
    ).toEqual(NAMES.map(() => expect.objectContaining({ status: "same" })));
    expect((await answer(home, ["--undo"], [])).code).toBe(0);
    for (const name of NAMES) expect(read(fileOf(home, "linux", name))).toBe(WRITTEN[name]);
    expect((await answer(home, ["--undo"], [])).code).toBe(2);
  });

  it("makes the file of an assistant that is named, and takes it away again with its directory", async () => {
    const home = freshHome();
    await answer(home, ["--client", "gemini"], [["n: nothing: ", ""]]);
    expect(JSON.parse(read(join(home, ".gemini/settings.json"))).mcpServers.hoga.args).toContain("serve");
    await answer(home, ["--undo"], []);
    expect(existsSync(join(home, ".gemini"))).toBe(false);
  });

  it("leaves a file that does not parse, says so, and does the others", async () => {
    const home = freshHome();
    writeAll(home);
    writeFileSync(fileOf(home, "linux", "cursor"), '{ "mcpServers": ');
    writeFileSync(fileOf(home, "linux", "codex"), "mcp_servers = { other = { command = 'y' } }\n");
    const { code, screen } = await answer(home, [], [["n: nothing: ", ""]]);
    expect(code).toBe(1);
    expect(screen).toContain("mcp.json is left alone: it is not valid JSON");
    expect(screen).toContain("config.toml is left alone");
    expect(read(fileOf(home, "linux", "cursor"))).toBe('{ "mcpServers": ');
    expect(read(fileOf(home, "linux", "gemini"))).toContain("hoga");
  });

  it("takes back nothing of a file that was changed since, and says how", async () => {
    const home = freshHome();
    writeAll(home);
    await answer(home, [], [["n: nothing: ", ""]]);
    const changed = `${read(fileOf(home, "linux", "codex"))}# later\n`;
    writeFileSync(fileOf(home, "linux", "codex"), changed);
    const { code, screen } = await answer(home, ["--undo"], []);
    expect(code).toBe(1);
    expect(screen).toMatch(/config\.toml: changed since, .*What stood there before is in .*4-config\.toml/);
    expect(read(fileOf(home, "linux", "codex"))).toBe(changed);
    expect(read(fileOf(home, "linux", "gemini"))).toBe(WRITTEN.gemini);
  });

  it("writes what a link leads to, and leaves the link", async () => {
    const home = freshHome();
    mkdirSync(join(home, ".gemini"));
    writeFileSync(join(home, "dotfile.json"), "{}\n");
    symlinkSync(join(home, "dotfile.json"), join(home, ".gemini/settings.json"));
    await answer(home, [], [["n: nothing: ", ""]]);
    expect(read(join(home, "dotfile.json"))).toContain("hoga");
    await answer(home, ["--undo"], []);
    expect(read(join(home, "dotfile.json"))).toBe("{}\n");
  });
});

describe("hoga init for an exchange with a key", () => {
  const questions = ({ line }: RunningSandbox, secret = line.api_secret): readonly (readonly [string, string])[] => [
    ["n: nothing: ", "upbit"],
    ["Its address", line.base_url],
    ["live or sandbox: ", "live"],
    ["API key: ", line.api_key],
    ["API secret: ", secret],
  ];
  const FIGURES = [
    ["One order at most, in KRW: ", ""],
    ["One order at most, in KRW: ", "20,000"],
    ["24 hours at most, in KRW: ", "100000"],
    ["open orders at most, in KRW: ", "50000"],
    ["Write all of this? [y/N]: ", "y"],
    ["New PIN (6 to 64 characters): ", PIN],
    ["New PIN again: ", PIN],
  ] as const;

  it("tries the key, takes the figures that a person types and a PIN, shows no secret, and takes the profile back", async () => {
    const sandbox = await startSandbox({ home: freshHome() }, ["--as", "upbit"]);
    const home = freshHome();
    const before = '# mine\n[profiles.old]\nenvironment = "sandbox"\n';
    writeFileSync(join(home, "config.toml"), before, { mode: 0o600 });
    const { code, screen } = await answer(home, ["--client", "cursor"], [...questions(sandbox), ...FIGURES]);
    expect({ code, screen }).toMatchObject({ code: 0 });
    expect(screen).toContain("Never the right to withdraw");
    expect(screen).toContain("The exchange takes the key and its signature.");
    expect(screen).not.toContain(sandbox.line.api_secret);
    expect(read(join(home, "config.toml")).startsWith(before)).toBe(true);
    expect(read(join(home, "policy.toml"))).toBe(
      'mode = "confirm"\nmax_order_krw = "20000"\nmax_day_krw = "100000"\nmax_open_krw = "50000"\n',
    );
    expect(JSON.parse(read(join(home, ".cursor/mcp.json"))).mcpServers.hoga.args).toEqual(
      expect.arrayContaining(["--profile", "upbit"]),
    );
    const looked = await run(["doctor", "--profile", "upbit"], { home });
    expect({ code: looked.code, said: looked.stdout }).toMatchObject({
      code: 0,
      said: expect.stringContaining("A PIN is set."),
    });
    await answer(home, ["--undo"], []);
    expect(read(join(home, "config.toml"))).toBe(before);
    expect(existsSync(join(home, "policy.toml"))).toBe(false);
    await sandbox.stop();
  });

  it("keeps no key that the exchange refuses", async () => {
    const sandbox = await startSandbox({ home: freshHome() }, ["--as", "upbit"]);
    const home = freshHome();
    const { code } = await answer(home, [], questions(sandbox, "x".repeat(40)));
    expect(code).toBe(1);
    expect(existsSync(join(home, "config.toml"))).toBe(false);
    await sandbox.stop();
  });
});

describe("hoga init in Korean", () => {
  const KOREAN = { HOGA_LOCALE: "ko" };

  it("asks and says all of it in Korean, and reports to programs in English", async () => {
    const home = freshHome();
    writeAll(home);
    writeFileSync(fileOf(home, "linux", "gemini"), "{ none");
    const { code, screen } = await answer(home, [], [["n을 입력하십시오: ", ""]], KOREAN);
    expect({ code, screen }).toMatchObject({ code: 1, screen: expect.stringContaining("hoga init --undo로 되돌릴") });
    expect(screen).toMatch(/Gemini CLI: \S+은\(는\) 건드리지 않습니다: 올바른 JSON이 아님\./);
    expect(screen).not.toMatch(/Enter: trade|Written|Start the assistant/);
    const report = await run(["init", "--print", "--json"], { home, env: KOREAN });
    expect(report.stdout).toContain("is left alone: it is not valid JSON.");
    expect(report.stdout).not.toMatch(/[가-힣]/);
    const undone = await answer(home, ["--undo"], [], KOREAN);
    expect(undone.screen).toMatch(/config\.toml: 되돌렸습니다/);
  });

  it("goes through the questions of an exchange in Korean", async () => {
    const sandbox = await startSandbox({ home: freshHome() }, ["--as", "upbit"]);
    const home = freshHome();
    const { line } = sandbox;
    const { code, screen } = await answer(
      home,
      ["--client", "cursor"],
      [
        ["n을 입력하십시오: ", "upbit"],
        ["거래소 주소", line.base_url],
        ["입력하십시오: ", "live"],
        ["API 키: ", line.api_key],
        ["API 비밀 키: ", line.api_secret],
        ["주문 한 건의 최대 금액(KRW): ", "many"],
        ["쓸 수 없는 값입니다", "20000"],
        ["24시간 동안의 최대 금액(KRW): ", "100000"],
        ["미체결 주문의 최대 금액(KRW): ", "50000"],
        ["모두 쓸까요? [y/N]: ", "y"],
        ["새 PIN(6~64자): ", PIN],
        ["새 PIN 다시 입력: ", PIN],
      ],
      KOREAN,
    );
    expect({ code, screen }).toMatchObject({
      code: 0,
      screen: expect.stringContaining("거래소가 키와 서명을 받아들입니다."),
    });
    expect(screen).not.toMatch(/Next:|Written:|The policy/);
    await sandbox.stop();
  });

  it("ends where nobody can be asked, in Korean", async () => {
    const { code, stderr } = await run(["init"], { home: freshHome(), env: KOREAN });
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("물어볼 사람이 없으므로") });
  });
});
