/**
 * Owns how a private call is signed, as names, prose and test vectors. There is no signing code here on purpose: the client and
 * the sandbox each implement it and agree at the vectors.
 *
 * `API-Sign = base64( HMAC-SHA512( base64decode(secret), PREFIX || SHA256( nonce || body ) ) )`.
 * Open API and transfers: PREFIX is `METHOD + " " + path-with-query`, body is the raw body ("" when none), and the nonce travels in
 * `API-Nonce`. Trading API: PREFIX is the path, the body holds `nonce=`.
 *
 * Source: service.md#signing, service.md#signature.
 */

export const AUTH_HEADERS = { key: "API-Key", sign: "API-Sign", nonce: "API-Nonce" } as const;

export interface SigningVector {
  readonly name: string;
  readonly secret: string;
  readonly nonce: string;
  readonly prefix: string;
  readonly body: string;
  readonly signature: string;
}

const SECRET = "aG9nYSBzaWduaW5nIHZlY3RvciBzZWNyZXQsIG5vdCBhIHJlYWwga2V5IGF0IGFsbCEh";

export const SIGNING_VECTORS: readonly SigningVector[] = [
  {
    name: "the published sample of the Kraken spot dialect",
    secret: "kQH5HW/8p1uGOVjbgWA7FunAmGO8lsSUXNsu3eow76sz84Q18fWxnyRzBHCd3pd5nE9qa99HAZtuZuj6F1huXg==",
    nonce: "1616492376594",
    prefix: "/0/private/AddOrder",
    body: "nonce=1616492376594&ordertype=limit&pair=XBTUSD&price=37500&type=buy&volume=1.25",
    signature: "4/dpxb3iT4tp/ZCVEwSnEsLxx0bqyhLpdfOpc6fn7OR8+UClSV5n9E6aSS8MPtnRfp32bAb0nmbRn6H8ndwLUQ==",
  },
  {
    name: "a read without body",
    secret: SECRET,
    nonce: "1784538000000",
    prefix: "GET /v1/accounts",
    body: "",
    signature: "FLsuMlAwY2VJZT3xmgHxwvZATVDkfwysJykOujG8Iy1HSDHRp75gPDTRB/AbZy5TvU7uViXxUp6I/2pIgZ7urg==",
  },
  {
    name: "a read with a query, exactly as it stands in the request line",
    secret: SECRET,
    nonce: "1784538000001",
    prefix: "GET /v1/orders?symbol=BTC%2FKRW&state=open&limit=100",
    body: "",
    signature: "DkMNvNiaJwjZuBInAQQzE+S5+Q25q/6c/DHkrZUpuUbGFc9tgubC7b9PZ/XHciq6NObP3ggxPxfJsa+fJStUxg==",
  },
  {
    name: "an order with a JSON body, Korean text in UTF-8",
    secret: SECRET,
    nonce: "1784538000002",
    prefix: "POST /v1/orders",
    body: '{"symbol":"BTC/KRW","side":"buy","type":"limit","volume":"0.015","price":"95000000","note":"호가"}',
    signature: "yYyF62DNnqiOzezRsFMEUbr+Cfj9COyHenvuIjqdw8zE+6fy3ozKEx298S7TDY3orAyWTl/NwNhK5rKdNsqD1Q==",
  },
  {
    name: "a cancel with path parameters",
    secret: SECRET,
    nonce: "9007199254740993",
    prefix: "DELETE /v1/orders/BTC%2FKRW/01999f3e-7a10-7c31-9a52-0c6d5b1f2a77",
    body: "",
    signature: "zucP5naEmx7HA05WkIFGI9xF+YRY1oZPRkbAPfHn7v+rpDT0TlgSrtbEioZsNbTiRhl/GeqonskmgtOdAiyP2Q==",
  },
  {
    name: "a Trading API order, its pair percent-encoded in the form as it is sent",
    secret: SECRET,
    nonce: "1784538000003",
    prefix: "/0/private/AddOrder",
    body:
      "nonce=1784538000003&pair=BTC%2FKRW&type=buy&ordertype=limit&volume=0.015&price=95000000&userref=desk-0001" +
      "&vasp_purpose_code=P2B_TRADE&originator_vasp_id=VASP-KR-1&kyc_level=TIER2&settlement_mode=INSTANT_KRW",
    signature: "c/qVY7hEJ/j/atGEnTpxbU3S8yYaWqteDQSWLdpk+ELFB53H61T4iQgCr2+EWd7EddM0ft7JYk3j/uLeqDlEGA==",
  },
  {
    name: "a Trading API cancel, the nonce at the end of the form",
    secret: SECRET,
    nonce: "9007199254740994",
    prefix: "/0/private/CancelOrder",
    body: "txid=01999f3e-7a10-7c31-9a52-0c6d5b1f2a77&nonce=9007199254740994",
    signature: "FWy02OiFmT/GNEk9Wtc8Z6JAq2z01p2gmV9se9NrGd3WVQY+yo0tIgXsWFAG/QWjdaiWymL/xFKWRWR41tSyDQ==",
  },
  {
    name: "a payment's quote; its Idempotency-Key is not part of what is signed",
    secret: SECRET,
    nonce: "1784538000005",
    prefix: "POST /v0.1/payments",
    body: '{"amount":"50000","pay_asset":"BTC","order_ref":"cart-7","description":"홍차 두 잔"}',
    signature: "0vDMSzE3tNTDxk++GxeEvcDX7hOn4Yl1zSAwN3LVoSrN3oB2TV1tWmVU8C3SD9wE7Xf4MwAi+RLe9nJhCpbf0Q==",
  },
];
