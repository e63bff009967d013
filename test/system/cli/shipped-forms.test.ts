/**
 * Each form in which hoga is shipped, by the words that it is shipped with, as far as they run without a container engine: what it prints is
 * kept by the engine, or by systemd, so that neither the owner's token nor a link to the console may stand in it.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { unitText } from "../../../src/cli/service/unit.ts";
import { eventually, freePort } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { CLI, cleanUp, start, startSandbox } from "../../fixture/program.ts";
import { openTerminal } from "../../fixture/pseudo-terminal.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

const ROOT = join(import.meta.dirname, "..", "..", "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
/** Where in this repository a form of hoga says what is run. */
const IMAGE = JSON.parse(/^CMD (\[.*\])$/m.exec(read("Dockerfile"))?.[1] ?? "null") as readonly string[];
const pod = parseAllDocuments(read("deploy/kubernetes.yaml"), { version: "1.1" })
  .map((document) => document.toJS() as { readonly kind: string; readonly spec: { readonly template: Template } })
  .find(({ kind }) => kind === "Deployment")?.spec.template;
interface Template {
  readonly spec: { readonly containers: readonly [{ readonly args: readonly string[] }] };
}
const { hoga } = (parse(read("compose.yaml")) as { services: { hoga: { command?: readonly string[] } } }).services;

const TOKEN = /^[\w-]{43}$/;

/** The words, at a port that is free here, once. */
const atPort = (words: readonly string[], port: string): readonly string[] =>
  words.map((word) => (word === "8421" ? port : word));

/** What a form has printed when it serves, and until it has ended. */
async function printed(words: readonly string[], home: string, through: readonly string[] = []): Promise<string> {
  const port = String(await freePort());
  const running = start(atPort(words, port), { home, env: { HOGA_LOG_LEVEL: "debug" } }, through);
  await eventually(() => (running.stdout().includes("/mcp") ? true : undefined));
  await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { host: "hoga.example.com" } });
  await running.stop();
  return `${running.stdout()}${running.stderr()}`;
}

function expectNoSecret(said: string, home: string): void {
  const token = readFileSync(join(home, "http-token"), "utf8").trim();
  expect(token).toMatch(TOKEN);
  expect(said).not.toContain(token);
  expect(said).not.toMatch(/\?code=|Bearer/);
  expect(said).toContain(join(home, "http-token"));
}

describe("what is kept of", () => {
  it.each([
    ["the image", IMAGE],
    ["compose.yaml", hoga.command ?? IMAGE],
    ["kubernetes.yaml", pod?.spec.containers[0].args ?? []],
  ])("%s holds neither token nor link, by its entrypoint and settings", async (_, words) => {
    expect(words).toContain("serve");
    const [place, home] = [freshHome(), join(freshHome(), "home")];
    const { line } = await startSandbox({ home: freshHome() });
    // As the engine mounts it; the exchange is one of this machine.
    for (const name of ["etc", "secrets"]) mkdirSync(join(place, name), { mode: 0o755 });
    const settings = read("deploy/config.toml")
      .replace("https://api.example.com", line.base_url)
      .replace("/run/secrets", join(place, "secrets"));
    writeFileSync(join(place, "etc", "config.toml"), settings, { mode: 0o644 });
    writeFileSync(join(place, "etc", "policy.toml"), read("deploy/policy.toml"), { mode: 0o644 });
    writeFileSync(join(place, "secrets", "exchange_key"), `${line.api_key}\n${line.api_secret}\n`);
    const entrypoint = read("deploy/entrypoint.sh")
      .replaceAll("/etc/hoga", join(place, "etc"))
      .replaceAll("/run/secrets", join(place, "secrets"))
      .replace('exec hoga "$@"', 'exec "$@"');
    writeFileSync(join(place, "entrypoint.sh"), entrypoint);
    const said = await printed(words, home, ["/bin/sh", join(place, "entrypoint.sh")]);
    expectNoSecret(said, home);
    expect(said).not.toContain(line.api_secret);
  });

  it("the systemd unit holds neither token nor link, also where a drop-in keeps what it prints", async () => {
    const unit = unitText({ node: process.execPath, program: CLI, port: 8421 });
    const words = /^ExecStart=(.*)$/m.exec(unit)?.[1]?.split(" ").slice(2) ?? [];
    expect(words).toContain("serve");
    const home = freshHome();
    expectNoSecret(await printed(words, home), home);
  });

  it("npm start holds neither token nor link, where it goes into a file", async () => {
    const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };
    expect(scripts["start"]).toBe("node scripts/start.mjs");
    expect(read("scripts/start.mjs")).toContain('program, "start", ...process.argv.slice(2)]');
    const home = freshHome();
    expectNoSecret(await printed(["start", "--port", "8421", "--exchange-port", "0"], home), home);
  });
});

describe("a person at a terminal", () => {
  it.each([
    ["start", ["start", "--exchange-port", "0"]],
    ["serve --http", ["serve", "--http"]],
  ])("is shown token and link by %s, as by no other", async (_, words) => {
    const home = freshHome();
    const terminal = openTerminal([...words, "--port", "0"], { home });
    await terminal.see("Bearer ");
    await terminal.see("}");
    const token = readFileSync(join(home, "http-token"), "utf8").trim();
    terminal.type("\u0003");
    const { screen } = await terminal.ended;
    expect(screen).toContain(token);
    expect(screen).toContain("/?code=");
  });
});
