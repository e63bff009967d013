/** Owns reading a request body within a size and a time, so that a sender can neither fill the memory nor hold a slot for ever. */
import type { IncomingMessage } from "node:http";

export interface BodyLimits {
  readonly bodyBytesMax: number;
  /** From the head of the request to the last byte of its body. */
  readonly bodyMs: number;
}

export type Body =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly status: 400 | 408 | 413; readonly message: string };

export function readBody(request: IncomingMessage, { bodyBytesMax, bodyMs }: BodyLimits): Promise<Body> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (body: Body) => {
      clearTimeout(timer);
      request.off("data", onData);
      request.pause();
      resolve(body);
    };
    const tooLarge = () =>
      finish({ ok: false, status: 413, message: `The body may have ${bodyBytesMax} bytes at most` });
    const onData = (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > bodyBytesMax) tooLarge();
      else chunks.push(chunk);
    };
    const timer = setTimeout(() => {
      finish({ ok: false, status: 408, message: `The body did not arrive within ${bodyMs} ms` });
    }, bodyMs);
    const declared = request.headers["content-length"];
    if (declared !== undefined && BigInt(declared) > BigInt(bodyBytesMax)) {
      tooLarge();
      return;
    }
    request.on("data", onData);
    request.once("end", () => finish({ ok: true, text: Buffer.concat(chunks).toString("utf8") }));
    const broken = () => finish({ ok: false, status: 400, message: "The body ended early" });
    request.once("error", broken);
    request.once("close", broken);
  });
}
