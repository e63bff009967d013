/** `hoga service`, on a machine that may be changed: one with systemd's programs, and nobody there to run its units. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Ended } from "../../fixture/command.ts";
import { removeHomes } from "../../fixture/data-dir.ts";
import { type OtherMachine, otherMachine } from "../../fixture/other-machine.ts";
import { NOBODY } from "../../fixture/other-user.ts";

const UNIT = "/etc/systemd/system/hoga.service";
const CLI = [process.execPath, "/opt/hoga/dist/cli.js", "service"];

let machine: OtherMachine;
beforeAll(async () => {
  machine = await otherMachine();
});
afterAll(async () => {
  await machine?.close();
  removeHomes();
});

const hoga = (...words: readonly string[]): Ended => machine.run([...CLI, ...words]);
const shell = (line: string): string => machine.run(["sh", "-c", line]).stdout.trim();

it("writes a unit that systemd understands, and that lets the service do little", () => {
  const printed = hoga("install", "--print", "--profile", 'a "b" $HOME %n');
  expect(printed).toMatchObject({ code: 0, stderr: "" });
  expect(shell(`ls ${UNIT} 2>&1`)).toContain("No such file");
  const { stdout } = hoga("install", "--print");
  expect(stdout).not.toMatch(/token|secret|key=/i);
  machine.run(["sh", "-c", 'mkdir /opt/unit && printf %s "$0" > /opt/unit/hoga.service', stdout]);
  const verified = machine.run(["systemd-analyze", "verify", "/opt/unit/hoga.service"]);
  // The account is not there yet, which is all that is missed.
  expect(verified).toMatchObject({ code: 0 });
  const words = ["systemd-analyze", "security", "--offline=true", "--threshold=20", "/opt/unit/hoga.service"];
  const judged = machine.run(words);
  expect(judged.stdout).toContain("Overall exposure level for hoga.service: 1.");
  expect(judged.code).toBe(0);
  for (const name of ["ProtectSystem", "ProtectHome", "ProtectProc", "PrivateTmp", "NoNewPrivileges", "UMask"])
    expect(judged.stdout).toContain(`✓ ${name}=`);
  // The words of a command line come out as they went in.
  machine.run(["sh", "-c", 'printf %s "$0" > /opt/unit/hoga.service', printed.stdout]);
  const odd = machine.run(["systemd-analyze", "verify", "/opt/unit/hoga.service"]);
  expect(odd).toMatchObject({ code: 0 });
  expect(printed.stdout).toContain('--profile "a \\"b\\" $$HOME %%n"');
});

it.each([
  ["macos", '<plist version="1.0">'],
  ["windows", "<Task version"],
  ["linux", "[Service]"],
])("prints what %s takes, and does nothing there", (system, part) => {
  expect(hoga("install", "--print", "--for", system)).toMatchObject({ code: 0, stdout: expect.stringContaining(part) });
  expect(hoga("install", "--for", system)).toMatchObject({ code: 2, stderr: expect.stringContaining("Add --print.") });
});

it("shows what it would do, and does it after a yes alone", async () => {
  const planned = hoga("install", "--dry-run");
  expect(planned.code).toBe(0);
  for (const word of ["the account hoga", UNIT, "systemctl enable hoga.service"])
    expect(planned.stdout).toContain(word);
  expect(hoga("install")).toMatchObject({ code: 2, stderr: expect.stringMatching(/--dry-run, then give --yes/) });
  const asked = machine.terminal([...CLI, "install"]);
  await asked.see("Do this? [y/N] ");
  asked.type("n\r");
  expect(await asked.ended).toMatchObject({ code: 3, screen: expect.stringContaining("Nothing was changed.") });
  const stranger = machine.run([...CLI, "install", "--yes"], NOBODY);
  expect(stranger).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Only root.*\n.*sudo .*cli\.js service install --yes/),
  });
  expect(shell(`ls ${UNIT} 2>&1; getent passwd hoga`)).toMatch(/No such file or directory$/);

  const answered = machine.terminal([...CLI, "install"]);
  await answered.see("Do this? [y/N] ");
  answered.type("y\r");
  const { code, screen } = await answered.ended;
  expect({ code, screen }).toMatchObject({
    code: 0,
    screen: expect.stringMatching(/systemd does not run here.*run: systemctl daemon-reload && systemctl start hoga/),
  });
  expect(screen).toMatch(/sudo -u hoga -H .* tokens create assistant/);
  expect(shell("getent passwd hoga")).toMatch(/^hoga:x:\d+:\d+::\/var\/lib\/hoga:\/usr\/sbin\/nologin$/);
  expect(shell(`cat ${UNIT}`)).toBe(hoga("install", "--print").stdout.trim());
  expect(shell(`stat -c "%a %u" ${UNIT}`)).toBe("644 0");
  expect(shell("systemctl is-enabled hoga.service")).toBe("enabled");
});

it("does nothing twice, and nothing over what a person has changed", () => {
  expect(hoga("install", "--yes")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Nothing is to be changed\./),
  });
  shell(`echo "# mine" >> ${UNIT}`);
  const refused = hoga("install", "--yes");
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/changed since.*\n.*systemctl edit hoga.*--force/),
  });
  expect(shell(`tail -1 ${UNIT}`)).toBe("# mine");
  expect(hoga("uninstall", "--yes").code).toBe(1);
  expect(hoga("install", "--yes", "--force", "--port", "9000").code).toBe(0);
  expect(shell(`grep ExecStart ${UNIT}`)).toMatch(/cli\.js serve --http --port 9000$/);
});

it("says how it is, and who can read it", () => {
  const { code, stdout } = machine.run([...CLI, "status", "--json"], NOBODY);
  expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
    code: 0,
    installed: true,
    changed_by_hand: false,
    address: "http://127.0.0.1:9000/mcp",
    answers: false,
    program_problem: null,
    you: { uid: NOBODY, can_read: [] },
  });
  const data = "/var/lib/hoga/.local/share/hoga";
  shell(`mkdir -p ${data} && echo key > ${data}/config.toml && chmod -R a+rX /var/lib/hoga`);
  const open = machine.run([...CLI, "status"], NOBODY);
  expect(open).toMatchObject({ code: 1, stdout: expect.stringMatching(/uid 65534 CAN READ .*config\.toml/) });
  shell("chown -R hoga: /var/lib/hoga && chmod 700 /var/lib/hoga");
  expect(machine.run([...CLI, "status"], NOBODY)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("cannot read"),
  });
});

it("is not installed where others than root can change the program, or there is no systemd", () => {
  shell("touch /opt/hoga/dist/added && chmod o+w /opt/hoga/dist/added");
  expect(hoga("install", "--yes").stderr).toMatch(/dist\/added can be changed by others than root.*\n.*npm pack/);
  expect(hoga("status")).toMatchObject({ code: 1, stdout: expect.stringContaining("dist/added can be changed") });
  shell("chown hoga /opt/hoga/dist/added && chmod 644 /opt/hoga/dist/added");
  expect(hoga("install", "--yes").code).toBe(1);
  shell("rm /opt/hoga/dist/added");
  expect(hoga("install", "--dry-run").code).toBe(0);
  const bare = machine.run(["env", "PATH=/nowhere", ...CLI, "install", "--yes"]);
  expect(bare).toMatchObject({ code: 1, stderr: expect.stringMatching(/no systemd.*\n.*hoga serve --http under it/) });
});

it("goes and leaves the data", () => {
  const gone = hoga("uninstall", "--yes", "--json");
  expect(JSON.parse(gone.stdout)).toEqual({
    installed: false,
    data_dir: "/var/lib/hoga/.local/share/hoga",
    account: "hoga",
  });
  expect(shell(`ls ${UNIT} 2>&1; cat /var/lib/hoga/.local/share/hoga/config.toml`)).toMatch(/No such file.*\nkey$/);
  expect(hoga("status").code).toBe(1);
  expect(hoga("uninstall", "--yes").stdout).toContain("Nothing is to be changed.");
});
