/**
 * Owns the programs the reference page shows: how each family is signed, and how a webhook is verified. They are whole programs
 * for Node without dependencies, and a test runs each of them against a running exchange.
 */

export interface Example {
  readonly title: string;
  readonly program: string;
}

const SETTINGS = `const { BASE_URL = "http://127.0.0.1:8420", API_KEY, API_SECRET } = process.env;`;
const NONCE = `let last = 0;
const nextNonce = () => String((last = Math.max(last + 1, Date.now())));`;

export const SIGNING_EXAMPLES: readonly Example[] = [
  {
    title: "Open API: JSON, nonce in a header",
    program: `import { createHash, createHmac } from "node:crypto";
${SETTINGS}
${NONCE}

async function call(method, target, body = "") {
  const nonce = nextNonce();
  const digest = createHash("sha256").update(nonce + body).digest();
  const sign = createHmac("sha512", Buffer.from(API_SECRET, "base64"))
    .update(method + " " + target).update(digest).digest("base64");
  const headers = { "API-Key": API_KEY, "API-Nonce": nonce, "API-Sign": sign };
  if (body !== "") headers["Content-Type"] = "application/json";
  const answer = await fetch(BASE_URL + target, { method, headers, ...(body === "" ? {} : { body }) });
  return answer.json();
}

const order = { symbol: "BTC/KRW", side: "buy", type: "market", amount: "50000", validate_only: true };
console.log(JSON.stringify(await call("POST", "/v1/orders", JSON.stringify(order))));`,
  },
  {
    title: "Trading API: a form with the nonce in it",
    program: `import { createHash, createHmac } from "node:crypto";
${SETTINGS}
${NONCE}

async function call(path, fields) {
  const nonce = nextNonce();
  const form = new URLSearchParams({ nonce, ...fields }).toString();
  const digest = createHash("sha256").update(nonce + form).digest();
  const sign = createHmac("sha512", Buffer.from(API_SECRET, "base64")).update(path).update(digest).digest("base64");
  const headers = { "API-Key": API_KEY, "API-Sign": sign, "Content-Type": "application/x-www-form-urlencoded" };
  const answer = await fetch(BASE_URL + path, { method: "POST", headers, body: form });
  const { error, result } = await answer.json();
  if (error.length > 0) throw new Error(error[0]);
  return result;
}

const compliance = {
  vasp_purpose_code: "P2B_TRADE", originator_vasp_id: "VASP-KR-1", kyc_level: "TIER2", settlement_mode: "INSTANT_KRW",
};
const order = { pair: "BTC/KRW", type: "buy", ordertype: "market", oflags: "viqc", volume: "50000", validate: "true" };
console.log(JSON.stringify(await call("/0/private/AddOrder", { ...order, ...compliance })));`,
  },
  {
    title: "Alias endpoints: a signature over the query",
    program: `import { createHmac } from "node:crypto";
${SETTINGS}

async function call(method, path, fields) {
  const query = new URLSearchParams({ ...fields, timestamp: String(Date.now()) }).toString();
  const signature = createHmac("sha256", API_SECRET).update(query).digest("hex");
  const answer = await fetch(BASE_URL + path + "?" + query + "&signature=" + signature, {
    method, headers: { "X-MBX-APIKEY": API_KEY },
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

console.log(JSON.stringify(await call("GET", "/api/v3/account", { omitZeroBalances: "true" })));`,
  },
];

/** Takes the headers with their names in lower case, and the body as it came. */
export const WEBHOOK_EXAMPLE: Example = {
  title: "Webhooks: is a delivery genuine?",
  program: `import { createHmac, timingSafeEqual } from "node:crypto";

export function isGenuine(secret, headers, body, nowMs = Date.now()) {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures = "" } = headers;
  if (!(Math.abs(nowMs / 1000 - timestamp) <= 300)) return false;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const expected = createHmac("sha256", key).update(id + "." + timestamp + "." + body).digest();
  return signatures.split(" ").some((entry) => {
    const given = Buffer.from(entry.replace(/^v1,/, ""), "base64");
    return entry.startsWith("v1,") && given.length === expected.length && timingSafeEqual(given, expected);
  });
}`,
};
