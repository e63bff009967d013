/** Asks whether the paper exchange of a data directory answers at an address that a file names. Bounded in time and size. */
import { request } from "node:http";

/** For the whole answer; an exchange on this machine needs a few milliseconds. */
const TOTAL_MS = 1_500;
const BODY_MAX = 4 * 1024;

/**
 * The port may belong to another program by now, or to the exchange of another directory. Only ours knows our key: it answers a
 * request without a signature that the signature is wrong, and not the key.
 */
export function answers(baseUrl: string, apiKey: string | undefined): Promise<boolean> {
  const headers = apiKey === undefined ? {} : { "API-Key": apiKey, "API-Nonce": "0", "API-Sign": "" };
  const path = apiKey === undefined ? "/v1/time" : "/v1/accounts";
  return new Promise((resolve) => {
    const probe = request(`${baseUrl}${path}`, { agent: false, headers }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
        if (body.length > BODY_MAX) probe.destroy();
      });
      // Cut off in the middle: `close` of the request follows.
      response.on("error", () => undefined);
      response.on("end", () => {
        const ours = apiKey === undefined ? response.statusCode === 200 : body.includes('"EAPI:Invalid signature"');
        resolve(ours && response.headers["api-version"] !== undefined);
      });
    });
    const timer = setTimeout(() => probe.destroy(), TOTAL_MS);
    probe.on("error", () => resolve(false));
    probe.on("close", () => {
      clearTimeout(timer);
      resolve(false);
    });
    probe.end();
  });
}
