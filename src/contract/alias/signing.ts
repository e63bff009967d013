/**
 * Owns how a private call of the alias endpoints is signed and how long it is valid, as names, prose and test vectors. There is
 * no signing code here on purpose: the sandbox implements it, existing clients of the dialect have their own.
 *
 * `signature = hex( HMAC-SHA256( secret text, query || body ) )`, both as they are sent but without the `signature` parameter;
 * upper or lower case. The secret is the text as handed out, not decoded. The call carries no nonce (decision 0010): it is valid
 * from `timestamp` − 1 s until `timestamp` + `recvWindow`, by the service's clock.
 *
 * Source: service.md#alias-signing; the dialect's published description.
 */

export const ALIAS_HEADERS = {
  key: "X-MBX-APIKEY",
  timeUnit: "X-MBX-TIME-UNIT",
  usedWeight: "X-MBX-USED-WEIGHT",
  usedWeightMinute: "X-MBX-USED-WEIGHT-1M",
} as const;

export const ALIAS_WINDOW = {
  recvWindowMs: 5000,
  recvWindowMaxMs: 60_000,
  /** Bounds how far a timestamp may be ahead of the service's clock; not so far as this. */
  aheadMs: 1000,
} as const;

export interface AliasSigningVector {
  readonly name: string;
  readonly secret: string;
  readonly query: string;
  readonly body: string;
  readonly signature: string;
}

const PUBLISHED = "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j";

/** Leave out the `signature` parameter. */
export const ALIAS_SIGNING_VECTORS: readonly AliasSigningVector[] = [
  {
    name: "the published sample of the dialect",
    secret: PUBLISHED,
    query:
      "symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559",
    body: "",
    signature: "c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71",
  },
  {
    name: "the same, sent as a form",
    secret: PUBLISHED,
    query: "",
    body: "symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559",
    signature: "c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71",
  },
  {
    name: "the same, one part in the query and one as a form",
    secret: PUBLISHED,
    query: "symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC",
    body: "quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559",
    signature: "0fd168b8ddb4876a0358a8d14d0c9f3da0e9b20c5d52b2a00fcf7d1c602f9a77",
  },
  {
    name: "the published sample with text that is not ASCII, percent-encoded",
    secret: PUBLISHED,
    query:
      "symbol=%EF%BC%91%EF%BC%92%EF%BC%93%EF%BC%94%EF%BC%95%EF%BC%96&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1" +
      "&recvWindow=5000&timestamp=1499827319559",
    body: "",
    signature: "e1353ec6b14d888f1164ae9af8228a3dbd508bc82eb867db8ab6046442f33ef3",
  },
];
