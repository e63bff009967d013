/**
 * What each host of assistants is told of hoga, made from one source: `package.json`, and what stands here. Pure: nothing is read or written.
 *
 * Source: decision 0096.
 */

const TITLE = "hoga";
const LONG =
  "Lets an assistant look at markets, preview an order, place it once, follow it and cancel it, under limits that you set and no assistant can change. " +
  "Without an exchange and a key it trades paper money on an exchange of its own, on this machine and offline. " +
  "What the policy wants a person to see waits for your yes.";
/** Exchanges that a key in the settings may be of: their addresses are known. */
export const EXCHANGES = ["upbit", "bithumb", "korbit", "coinone"];

/** As an assistant launches it where Node is there and hoga is not. */
export const launchOf = ({ name, version }) => ({ command: "npx", args: ["-y", `${name}@${version}`, "serve"] });

const author = { name: "hoga contributors" };
const serversOf = (about) => ({ mcpServers: { hoga: launchOf(about) } });

/** A place that the desktop app fills in. */
const filledIn = (name) => `\${${name}}`;

/** Settings of the desktop bundle: variable, and what a person is asked. All may stay empty. */
const USER_CONFIG = {
  exchange: {
    variable: "HOGA_EXCHANGE",
    title: "Exchange",
    description: `Leave empty for paper money. For real money: ${EXCHANGES.join(", ")}.`,
  },
  api_key: {
    variable: "HOGA_API_KEY",
    title: "API key",
    description: "Of that exchange, without the right to withdraw.",
    sensitive: true,
  },
  api_secret: { variable: "HOGA_API_SECRET", title: "API secret", description: "Of that key.", sensitive: true },
  max_order_krw: {
    variable: "HOGA_EXTENSION_MAX_ORDER_KRW",
    title: "Largest order (KRW)",
    description: "Digits alone. Larger orders are denied. Empty: 1000000.",
  },
  max_day_krw: {
    variable: "HOGA_EXTENSION_MAX_DAY_KRW",
    title: "Most in 24 hours (KRW)",
    description: "Digits alone, buys and sells together. Empty: 5000000.",
  },
  language: {
    variable: "HOGA_LOCALE",
    title: "Language",
    description: "en or ko (한국어). Empty: that of the system.",
  },
};

/** @param platform as `win32`, of `process.platform` @param tools names with what each is for */
export function desktopManifest(about, platform, tools) {
  const settings = Object.entries(USER_CONFIG);
  return {
    manifest_version: "0.3",
    name: about.name,
    display_name: TITLE,
    version: about.version,
    description: about.description,
    long_description: LONG,
    author,
    license: about.license,
    keywords: about.keywords,
    server: {
      type: "node",
      entry_point: "launch.js",
      mcp_config: {
        command: "node",
        args: [`${filledIn("__dirname")}/launch.js`],
        env: Object.fromEntries(settings.map(([name, { variable }]) => [variable, filledIn(`user_config.${name}`)])),
      },
    },
    tools,
    compatibility: { platforms: [platform], runtimes: { node: about.engines.node } },
    user_config: Object.fromEntries(
      settings.map(([name, { variable: _variable, ...asked }]) => [
        name,
        { type: "string", required: false, default: "", ...asked },
      ]),
    ),
  };
}

/** Files of one folder, which is a plugin of Claude Code, Codex and Cursor, an extension of Gemini CLI, and a marketplace of itself. */
export function pluginFiles(about) {
  const { name, version, description, license, keywords } = about;
  const plugin = { name, version, description, author, license, keywords };
  return {
    ".claude-plugin/plugin.json": plugin,
    ".claude-plugin/marketplace.json": { name, owner: author, plugins: [{ name, source: "./", description }] },
    ".mcp.json": serversOf(about),
    ".codex-plugin/plugin.json": {
      ...plugin,
      skills: "./skills/",
      mcpServers: "./.mcp.json",
      interface: {
        displayName: TITLE,
        shortDescription: "Trading with limits, paper money first",
        category: "Finance",
      },
    },
    ".cursor-plugin/plugin.json": { ...plugin, displayName: TITLE, skills: "./skills/", mcpServers: "./.mcp.json" },
    "gemini-extension.json": { name, version, description, ...serversOf(about) },
  };
}

/** Addresses that an editor opens, and asks whether to add the server. */
export function installLinks(about) {
  const launch = launchOf(about);
  const forCode = encodeURIComponent(JSON.stringify({ name: about.name, ...launch }));
  const config = encodeURIComponent(Buffer.from(JSON.stringify(launch)).toString("base64"));
  return {
    vscode: `vscode:mcp/install?${forCode}`,
    vscode_insiders: `vscode-insiders:mcp/install?${forCode}`,
    cursor: `cursor://anysphere.cursor-deeplink/mcp/install?name=${about.name}&config=${config}`,
  };
}
