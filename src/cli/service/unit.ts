/**
 * Owns the systemd unit under which hoga runs as an account of its own: its text, and what is read back from one.
 *
 * Invariants: the unit can write its own state directory and nothing else; it carries no secret; one that was changed by hand is told
 * from one of ours by the digest in its first line.
 *
 * Source: separate.md#unit, decision 0036.
 */
import { createHash } from "node:crypto";
import { quoted } from "../../contract/index.ts";
import { UsageError } from "../failure.ts";
import { ACCOUNT, ACCOUNT_HOME } from "./account.ts";

export const UNIT = `${ACCOUNT}.service`;

export interface UnitSettings {
  /** Absolute paths of Node and of the program. */
  readonly node: string;
  readonly program: string;
  readonly port: number;
  readonly profile?: string;
}

/** Longer than what runs may take to end in order. */
const STOP_S = 40;

/**
 * Leaves out what Node cannot do with: `MemoryDenyWriteExecute`, as it compiles while it runs. `AF_UNIX` is for the pipes of a
 * `key_command` and for finding names.
 */
const CONFINEMENT = [
  "NoNewPrivileges=yes",
  "CapabilityBoundingSet=",
  "AmbientCapabilities=",
  "UMask=0077",
  "LimitCORE=0",
  "ProtectSystem=strict",
  "ProtectHome=yes",
  "PrivateTmp=yes",
  "PrivateDevices=yes",
  "PrivateUsers=yes",
  "PrivateIPC=yes",
  "ProtectProc=invisible",
  "ProtectClock=yes",
  "ProtectHostname=yes",
  "ProtectKernelLogs=yes",
  "ProtectKernelModules=yes",
  "ProtectKernelTunables=yes",
  "ProtectControlGroups=yes",
  "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX",
  "RestrictNamespaces=yes",
  "RestrictRealtime=yes",
  "RestrictSUIDSGID=yes",
  "LockPersonality=yes",
  "RemoveIPC=yes",
  "KeyringMode=private",
  "SystemCallArchitectures=native",
  "SystemCallFilter=@system-service",
  "SystemCallFilter=~@privileged @resources",
  "SystemCallErrorNumber=EPERM",
];

/** @throws UsageError for a value with a control character, behind which a line of its own could stand */
export function commandOf({ node, program, port, profile }: UnitSettings): readonly string[] {
  const named = profile === undefined ? [] : ["--profile", profile];
  const command = [node, program, "serve", "--http", "--port", String(port), ...named];
  for (const word of command)
    if (CONTROL.test(word))
      throw new UsageError(
        `${quoted(word)} has a control character, and would be a line of the unit.`,
        "Name it without one.",
      );
  return command;
}

/** @throws as `commandOf` */
export function unitText(settings: UnitSettings): string {
  return marked(
    [
      "[Unit]",
      "Description=hoga, trading tools for AI assistants",
      "Wants=network-online.target",
      "After=network-online.target",
      "StartLimitIntervalSec=300",
      "StartLimitBurst=5",
      "",
      "[Service]",
      "Type=exec",
      `User=${ACCOUNT}`,
      `Group=${ACCOUNT}`,
      `StateDirectory=${ACCOUNT}`,
      "StateDirectoryMode=0700",
      `WorkingDirectory=${ACCOUNT_HOME}`,
      `Environment=HOME=${ACCOUNT_HOME}`,
      `ExecStart=${commandOf(settings).map(unitWord).join(" ")}`,
      // What it prints is for a person who starts it by hand.
      "StandardOutput=null",
      "Restart=on-failure",
      "RestartSec=1",
      `TimeoutStopSec=${STOP_S}`,
      "KillMode=mixed",
      ...CONFINEMENT,
      "",
      "[Install]",
      "WantedBy=multi-user.target",
      "",
    ].join("\n"),
  );
}

const MARK = /^# Written by hoga service install; change it with systemctl edit hoga\. ([0-9a-f]{64})\n/;

function marked(body: string): string {
  return `# Written by hoga service install; change it with systemctl edit hoga. ${digest(body)}\n${body}`;
}

/** Tells whether it is as hoga wrote it. */
export function isUntouched(text: string): boolean {
  const [line, noted] = MARK.exec(text) ?? [];
  return line !== undefined && digest(text.slice(line.length)) === noted;
}

function digest(body: string): string {
  return createHash("sha256").update(body).digest("hex");
}

/** Reads what a unit of ours runs, and at which port. */
export function servedBy(text: string): UnitSettings {
  const line = /^ExecStart=(.*)$/m.exec(text)?.[1] ?? "";
  const words = [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, inQuotes, plain = ""]) =>
    (inQuotes ?? plain).replaceAll(/\\(.)/g, "$1").replaceAll("%%", "%").replaceAll("$$", "$"),
  );
  const [node = "", program = ""] = words;
  const port = Number(words[words.indexOf("--port") + 1]); // not money: a port
  return { node, program, port: Number.isInteger(port) ? port : 0 };
}

/** Control characters, and what else ends a line. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** A word of a command line, as systemd reads it. */
function unitWord(word: string): string {
  const plain = word.replaceAll("%", "%%").replaceAll("$", "$$$$");
  return /^[\w@%+=:,./$-]+$/.test(plain) ? plain : `"${plain.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
