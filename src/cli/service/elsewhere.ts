/**
 * Owns what launchd and Windows' task scheduler are given so that they run hoga under an account of its own: the text alone, as neither runs where
 * hoga is tested. A person hands it to them.
 *
 * Invariants: nothing of it is a secret; a word of the command line stays one word, whatever is in it.
 *
 * Source: separate.md#elsewhere; launchd.plist(5); learn.microsoft.com/windows/win32/taskschd/task-scheduler-schema, and for the words of a
 * command line learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments.
 */
import { ACCOUNT, ACCOUNT_HOME } from "./account.ts";
import { commandOf, type UnitSettings, unitText } from "./unit.ts";

/** Seconds that what runs may take to end in order, as systemd gives it. */
const EXIT_S = 40;
/** Of a file mode: 077. */
const OWNER_ALONE = 63;

export type System = "linux" | "macos" | "windows";

/** @throws UsageError for a value with a control character */
export const SERVICE_TEXTS: Readonly<Record<System, (settings: UnitSettings) => string>> = {
  linux: unitText,
  macos: plistText,
  windows: taskText,
};

export function systemOf(platform: NodeJS.Platform): System {
  if (platform === "darwin") return "macos";
  return platform === "win32" ? "windows" : "linux";
}

type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };

function plistText(settings: UnitSettings): string {
  const daemon = {
    Label: ACCOUNT,
    UserName: ACCOUNT,
    WorkingDirectory: ACCOUNT_HOME,
    EnvironmentVariables: { HOME: ACCOUNT_HOME },
    ProgramArguments: commandOf(settings),
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ExitTimeOut: EXIT_S,
    Umask: OWNER_ALONE,
    HardResourceLimits: { Core: 0 },
    // What it prints is for a person who starts it by hand.
    StandardOutPath: "/dev/null",
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    plistValue(daemon),
    "</plist>\n",
  ].join("\n");
}

function plistValue(value: Value): string {
  if (typeof value === "string") return `<string>${escaped(value)}</string>`;
  if (typeof value === "number") return `<integer>${value}</integer>`;
  if (typeof value === "boolean") return `<${value}/>`;
  const isList = Array.isArray(value);
  const lines = isList
    ? value.map(plistValue)
    : Object.entries(value).map(([key, each]) => `<key>${escaped(key)}</key>${plistValue(each)}`);
  const name = isList ? "array" : "dict";
  return [`<${name}>`, ...lines, `</${name}>`].join("\n");
}

/** Says no encoding: `schtasks` and `Register-ScheduledTask` are given it in different ones. */
function taskText(settings: UnitSettings): string {
  const [node = "", ...words] = commandOf(settings);
  return `<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>hoga, trading tools for AI assistants</Description></RegistrationInfo>
  <Triggers><BootTrigger><Enabled>true</Enabled></BootTrigger></Triggers>
  <Principals>
    <Principal id="${ACCOUNT}">
      <UserId>${ACCOUNT}</UserId>
      <LogonType>Password</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>5</Count></RestartOnFailure>
  </Settings>
  <Actions Context="${ACCOUNT}">
    <Exec>
      <Command>${escaped(node)}</Command>
      <Arguments>${escaped(words.map(windowsWord).join(" "))}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** As a program of Windows takes its line apart: a backslash is one but before a quotation mark. */
function windowsWord(word: string): string {
  if (/^[\w@%+=:,./\\-]+$/.test(word)) return word;
  return `"${word.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1")}"`;
}
