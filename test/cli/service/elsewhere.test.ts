/** What launchd and Windows are given, read back by readers that take nothing ill-formed: that they run it is not tried here. */
import { describe, expect, it } from "vitest";
import { SERVICE_TEXTS, systemOf } from "../../../src/cli/service/elsewhere.ts";

interface Element {
  readonly name: string;
  readonly children: readonly Element[];
  readonly text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };
const TOKEN =
  /<\?xml [^?]*\?>|<!DOCTYPE [^>]*>|<\/(?<end>\w+)>|<(?<start>\w+)(?: \w+="[^"<&]*")*(?<empty>\/?)>|(?<text>[^<>]+)/gy;

/** @throws where it is not well-formed, of what this test writes of XML: no comments, no CDATA */
function readXml(source: string): Element {
  const root = { name: "", children: [] as Element[], text: "" };
  const open = [root];
  let end = 0;
  for (const { 0: token, index, groups } of source.matchAll(TOKEN)) {
    end = index + token.length;
    const top = open.at(-1) ?? root;
    if (groups?.["start"] !== undefined) {
      const made = { name: groups["start"], children: [], text: "" };
      top.children.push(made);
      if (groups["empty"] === "") open.push(made);
    } else if (groups?.["end"] !== undefined) {
      if (groups["end"] !== top.name) throw new Error(`</${groups["end"]}> ends <${top.name}>`);
      open.pop();
    } else top.text += plain(groups?.["text"] ?? "");
  }
  const [only] = root.children;
  if (end !== source.length || open.length !== 1 || only === undefined || root.children.length !== 1)
    throw new Error(`not well-formed at ${end}: ${source.slice(end, end + 20)}`);
  return only;
}

function plain(text: string): string {
  return text.replace(/&(\w*);?/g, (_, name: string) => {
    const character = ENTITIES[name];
    if (character === undefined) throw new Error(`&${name} is no entity`);
    return character;
  });
}

function plistValue({ name, children, text }: Element): unknown {
  switch (name) {
    case "string":
      return text;
    case "integer":
      return Number(text);
    case "true":
    case "false":
      return name === "true";
    case "array":
      return children.map(plistValue);
    case "dict": {
      const pairs = children.filter((_, at) => at % 2 === 0).map((key, at) => [key, children[at * 2 + 1]] as const);
      return Object.fromEntries(
        pairs.map(([key, value]) => {
          if (key.name !== "key" || value === undefined) throw new Error(`<${key.name}> is no key with a value`);
          return [key.text, plistValue(value)];
        }),
      );
    }
    default:
      throw new Error(`<${name}> has no value`);
  }
}

function found(element: Element, ...names: readonly string[]): string {
  const last = names.reduce<Element | undefined>(
    (at, name) => at?.children.find((each) => each.name === name),
    element,
  );
  if (last === undefined) throw new Error(`${names.join("/")} is not there`);
  return last.text;
}

/** Takes a line apart as programs of Windows do. */
function windowsWords(line: string): readonly string[] {
  const words = line.match(/(?:[^\s"]|"(?:\\\\|\\"|[^"])*")+/g) ?? [];
  return words.map((word) =>
    word
      .replace(/^"(.*)"$/, "$1")
      .replaceAll(/(\\*)("|$)/g, (_, slashes: string, mark: string) =>
        word.startsWith('"') ? slashes.slice(0, Math.floor(slashes.length / 2)) + mark : slashes + mark,
      ),
  );
}

const SETTINGS = { node: "/opt/node/bin/node", program: '/opt/a & <b> "c"/cli.js', port: 9000, profile: "호가" };
const WORDS = [SETTINGS.program, "serve", "--http", "--port", "9000", "--profile", "호가"];

describe("what launchd is given", () => {
  it("is a property list of a daemon under the account, with every word of the command as it is", () => {
    const plist = readXml(SERVICE_TEXTS.macos(SETTINGS));
    expect([plist.name, plist.children.length]).toEqual(["plist", 1]);
    expect(plistValue(plist.children[0] as Element)).toEqual({
      ...{ Label: "hoga", UserName: "hoga", WorkingDirectory: "/var/lib/hoga" },
      EnvironmentVariables: { HOME: "/var/lib/hoga" },
      ProgramArguments: [SETTINGS.node, ...WORDS],
      ...{ RunAtLoad: true, KeepAlive: { SuccessfulExit: false }, ExitTimeOut: 40, Umask: 0o077 },
      ...{ HardResourceLimits: { Core: 0 }, StandardOutPath: "/dev/null" },
    });
  });
});

describe("what the task scheduler is given", () => {
  it("is a task of the account that starts with the machine and never ends by itself", () => {
    const task = readXml(SERVICE_TEXTS.windows(SETTINGS));
    expect(found(task, "Principals", "Principal", "UserId")).toBe("hoga");
    expect(found(task, "Principals", "Principal", "RunLevel")).toBe("LeastPrivilege");
    expect(found(task, "Triggers", "BootTrigger", "Enabled")).toBe("true");
    expect(found(task, "Settings", "ExecutionTimeLimit")).toBe("PT0S");
    expect(found(task, "Actions", "Exec", "Command")).toBe(SETTINGS.node);
    expect(windowsWords(found(task, "Actions", "Exec", "Arguments"))).toEqual(WORDS);
  });

  it.each(["C:\\Program Files\\hoga\\cli.js", 'C:\\a "b"\\', "C:\\plain\\cli.js", "C:\\with space\\"])(
    "keeps a path one word: %s",
    (program) => {
      const task = readXml(SERVICE_TEXTS.windows({ ...SETTINGS, program }));
      expect(windowsWords(found(task, "Actions", "Exec", "Arguments"))[0]).toBe(program);
    },
  );
});

describe("what any of them is given", () => {
  it("takes no control character for any of them", () => {
    for (const text of Object.values(SERVICE_TEXTS))
      expect(() => text({ ...SETTINGS, profile: "a\nb" })).toThrow("has a control character");
  });

  it("is for the system that it runs on where none is named", () => {
    expect((["darwin", "win32", "linux", "freebsd"] as const).map(systemOf)).toEqual([
      "macos",
      "windows",
      "linux",
      "linux",
    ]);
  });
});
