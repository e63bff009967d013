/** `hoga connect URL`: the stdio end of a hoga that runs elsewhere. It opens no data directory and reads no settings. */
import { clientToken } from "../../config/index.ts";
import { connectOverStdio } from "../../serve/index.ts";
import type { Invocation } from "../invocation.ts";
import { untilStopped } from "../shutdown.ts";

export interface ConnectOptions {
  readonly tokenFile?: string;
}

export async function connect(address: string, { tokenFile }: ConnectOptions, run: Invocation): Promise<void> {
  const token = clientToken(run.env, tokenFile);
  const { stdin, stdout } = run.io;
  const connected = await connectOverStdio({
    address,
    token,
    stdin,
    stdout,
    onNotice: (message) => run.out.notice(message),
  });
  await untilStopped(run, () => connected.close(), connected.ended);
}
