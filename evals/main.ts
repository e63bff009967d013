/** `npm run eval`: plays the requests of `requests.yaml`, each on a fresh exchange. `README.md` has the rest. */
import { evaluate } from "./evaluation.ts";

const write = (text: string): void => {
  process.stdout.write(text);
};

evaluate({ args: process.argv.slice(2), env: process.env, write }).then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  },
);
