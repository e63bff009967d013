/** Runs npm: itself where npm runs this already, as its command is a script of the shell on Windows. */
import { spawnSync } from "node:child_process";

/** @returns what it prints; what it says of trouble is shown. @throws Error where it fails */
export function npm(words, { cwd }) {
  const self = process.env["npm_execpath"];
  const [program, before] = self === undefined ? ["npm", []] : [process.execPath, [self]];
  const { status, stdout } = spawnSync(program, [...before, ...words], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`npm ${words.join(" ")} failed in ${cwd}`);
  return stdout;
}
