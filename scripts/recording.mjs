/**
 * A command as somebody at a terminal sees it: played on a pseudo terminal, kept as an asciicast (version 2, docs.asciinema.org) with the times as
 * they were, and as a
 * picture of its last screen. Needs `script` of util-linux.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { crc32, deflateSync } from "node:zlib";

const COLUMNS = 110;
/** Nobody is quicker to read a question. */
const READ_MS = 1_500;
const LIMIT_MS = 60_000;

/**
 * @param shown the line as it stands behind the prompt
 * @param words the program and its arguments
 * @param answers to each question, by its last words, what is typed
 * @param renamed of this machine's paths, what is shown in their place
 * @param readMs how long a question is read
 * @returns events of [seconds, text]
 */
export async function played({ shown, words, answers = [], env, renamed = {}, readMs = READ_MS }) {
  const line = words.map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-q", "-e", "-E", "always", "-c", `exec ${line}`, "/dev/null"], {
    cwd: "/",
    env: { ...env, SHELL: "/bin/sh", TERM: "xterm-256color" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const limit = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  const began = performance.now();
  const events = [[0, `$ ${shown}\r\n`]];
  const due = [...answers];
  let screen = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    events.push([(performance.now() - began) / 1_000, withNames(text, renamed)]);
    screen += text;
    const [question, typed] = due[0] ?? [];
    if (question === undefined || !screen.endsWith(question)) return;
    due.shift();
    screen = "";
    void wait(readMs).then(() => child.stdin.write(typed));
  });
  const [code] = await once(child, "close");
  clearTimeout(limit);
  if (code !== 0 || due.length > 0)
    throw new Error(`${shown} ended with ${code}:\n${events.map(([, text]) => text).join("")}`);
  return events;
}

function withNames(text, renamed) {
  return Object.entries(renamed).reduce((said, [path, name]) => said.replaceAll(path, name), text);
}

/** @param about what is recorded, in words */
export function castOf(events, about) {
  const rows = screenOf(events).split("\n").length;
  const header = { version: 2, width: COLUMNS, height: Math.max(24, rows + 1), idle_time_limit: 2, title: about };
  const lines = events.map(([at, text]) => JSON.stringify([Number(at.toFixed(3)), "o", text]));
  return `${[JSON.stringify(header), ...lines].join("\n")}\n`;
}

/** What stands there at the end. Nothing that is played moves the cursor but a line's end. */
function screenOf(events) {
  return events
    .map(([, text]) => text)
    .join("")
    .replaceAll("\r\n", "\n")
    .replaceAll("\r", "");
}

const PAINTED = new RegExp(`${String.fromCharCode(27)}\\[(\\d+)m`, "g");
const COLOURS = { 31: "#e5534b", 32: "#57ab5a", 34: "#6cb6ff", 90: "#8b949e" };

/** @param fonts of letters that the machine may lack, by name: bytes in base 64 */
export function pageOf(events, fonts) {
  const escaped = screenOf(events).trimEnd().replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const painted = escaped.replaceAll(PAINTED, (_, code) => {
    if (code in COLOURS) return `<span style="color:${COLOURS[code]}">`;
    return code === "1" ? '<span style="font-weight:bold">' : "</span>";
  });
  const faces = Object.entries(fonts).map(
    ([name, bytes]) => `@font-face { font-family: ${name}; src: url(data:font/woff2;base64,${bytes}) }`,
  );
  return `<!doctype html><meta charset="utf-8"><style>${faces.join("\n")}
    body { margin: 0 }
    pre { margin: 0; padding: 14px 18px; width: ${COLUMNS}ch; background: #1c2128; color: #cdd9e5;
      font: 13px/1.45 "DejaVu Sans Mono", ${[...Object.keys(fonts), "monospace"].join(", ")};
      white-space: pre-wrap; overflow-wrap: anywhere }
  </style><pre>${painted}</pre>`;
}

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
/** Shades of a channel: letters are as smooth with sixteen as with all of them. */
const SHADES = 17;
const PALETTE_MAX = 256;

/**
 * A picture of few colours, each said once (PNG, colour type 3): of letters on a ground a quarter of the bytes.
 * @param picture RGBA, as pngjs reads it
 */
export function paletted({ width, height, data }) {
  const indexes = new Map();
  const rows = Buffer.alloc(height * (width + 1));
  for (let at = 0; at < width * height; at += 1) {
    const shade = (channel) => Math.round(data[at * 4 + channel] / SHADES) * SHADES;
    const colour = (shade(0) << 16) | (shade(1) << 8) | shade(2);
    if (!indexes.has(colour)) indexes.set(colour, indexes.size);
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = indexes.get(colour);
  }
  if (indexes.size > PALETTE_MAX) throw new Error(`the picture has ${indexes.size} colours`);
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size.set([8, 3], 8);
  const palette = Buffer.from(
    [...indexes.keys()].flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]),
  );
  const parts = [
    ["IHDR", size],
    ["PLTE", palette],
    ["IDAT", deflateSync(rows, { level: 9 })],
    ["IEND", Buffer.alloc(0)],
  ];
  return Buffer.concat([SIGNATURE, ...parts.map(([name, bytes]) => chunkOf(name, bytes))]);
}

function chunkOf(name, bytes) {
  const named = Buffer.concat([Buffer.from(name), bytes]);
  const chunk = Buffer.alloc(named.length + 8);
  chunk.writeUInt32BE(bytes.length, 0);
  named.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(named), named.length + 4);
  return chunk;
}
