/**
 * The assistants that `hoga init` knows, and the file of each in which the servers that it launches are listed, by system.
 *
 * Source: init.md#files.
 */
import { statSync } from "node:fs";
import { dirname, join } from "node:path";

/** The machine as assistants see it. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** The person's own directory. */
  readonly userDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Assistant {
  readonly name: AssistantName;
  readonly title: string;
  readonly file: string;
  readonly form: "json" | "toml";
  /** Under which its servers are listed. */
  readonly section: "mcpServers" | "servers" | "mcp_servers";
  /** Its entries say that they are launched. */
  readonly saysStdio: boolean;
  readonly isFound: boolean;
}

export const ASSISTANT_NAMES = ["claude-desktop", "claude-code", "cursor", "vscode", "codex", "gemini"] as const;
export type AssistantName = (typeof ASSISTANT_NAMES)[number];

interface Kind extends Pick<Assistant, "title" | "form" | "section" | "saysStdio"> {
  /** Where the file may be, the likeliest last; each with what is there where the assistant is. */
  readonly places: (machine: Machine) => readonly { readonly file: string; readonly signs: readonly string[] }[];
}

const KINDS: Readonly<Record<AssistantName, Kind>> = {
  "claude-desktop": {
    ...{ title: "Claude Desktop", form: "json", section: "mcpServers", saysStdio: false },
    places: (machine) => [...storePackage(machine), beside(join(settingsDir(machine), "Claude"), CLAUDE_FILE)],
  },
  "claude-code": {
    ...{ title: "Claude Code", form: "json", section: "mcpServers", saysStdio: true },
    places: ({ userDir, env }) => {
      const file = join(env["CLAUDE_CONFIG_DIR"] || userDir, ".claude.json");
      return [{ file, signs: [file, env["CLAUDE_CONFIG_DIR"] || join(userDir, ".claude")] }];
    },
  },
  cursor: {
    ...{ title: "Cursor", form: "json", section: "mcpServers", saysStdio: false },
    places: ({ userDir }) => [beside(join(userDir, ".cursor"), "mcp.json")],
  },
  vscode: {
    ...{ title: "VS Code", form: "json", section: "servers", saysStdio: true },
    places: (machine) => [beside(join(settingsDir(machine), "Code", "User"), "mcp.json")],
  },
  codex: {
    ...{ title: "Codex", form: "toml", section: "mcp_servers", saysStdio: false },
    places: ({ userDir, env }) => [beside(env["CODEX_HOME"] || join(userDir, ".codex"), "config.toml")],
  },
  gemini: {
    ...{ title: "Gemini CLI", form: "json", section: "mcpServers", saysStdio: false },
    places: ({ userDir }) => [beside(join(userDir, ".gemini"), "settings.json")],
  },
};

const CLAUDE_FILE = "claude_desktop_config.json";

function beside(dir: string, name: string): { readonly file: string; readonly signs: readonly string[] } {
  return { file: join(dir, name), signs: [dir] };
}

/** Claude Desktop as Windows' store installs it: Windows keeps its files apart, in a directory of the package. */
function storePackage({ platform, userDir, env }: Machine): ReturnType<Kind["places"]> {
  if (platform !== "win32") return [];
  const local = env["LOCALAPPDATA"] || join(userDir, "AppData", "Local");
  const dir = join(local, "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming", "Claude");
  return [beside(dir, CLAUDE_FILE)];
}

/** Where programs keep their settings. */
function settingsDir({ platform, userDir, env }: Machine): string {
  if (platform === "win32") return env["APPDATA"] || join(userDir, "AppData", "Roaming");
  if (platform === "darwin") return join(userDir, "Library", "Application Support");
  return env["XDG_CONFIG_HOME"] || join(userDir, ".config");
}

/** All that are known, those that are not there too. */
export function assistantsOn(machine: Machine): readonly Assistant[] {
  return ASSISTANT_NAMES.map((name) => {
    const { places, ...kind } = KINDS[name];
    const all = places(machine);
    const found = all.find(({ signs }) => signs.some(isThere));
    const file = (found ?? all.at(-1))?.file ?? "";
    return { name, ...kind, file, isFound: found !== undefined };
  });
}

function isThere(path: string): boolean {
  return dirname(path) !== path && statSync(path, { throwIfNoEntry: false }) !== undefined;
}
