/** Says so where Node is too old, and loads the rest otherwise: nothing is imported before, nor written that an old one could not parse. */
const OLDEST = "20.19";

function isTooOld(version: string): boolean {
  const found = /^v(\d+)\.(\d+)/.exec(version);
  // not money: a version
  const [major, minor] = found === null ? [0, 0] : [Number(found[1]), Number(found[2])];
  return major < 20 || (major === 20 && minor < 19);
}

if (isTooOld(process.version)) {
  process.stderr.write(
    `hoga: this needs Node ${OLDEST} or newer, and was started with ${process.version}: install a newer one from https://nodejs.org, and see that it comes first in PATH.\n`,
  );
  process.exitCode = 1;
} else {
  void import("./entry.ts").then((program) => program.runProgram());
}
