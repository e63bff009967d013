/**
 * Owns which addresses the sandbox may send to: this machine's own, unless it serves other machines too. Otherwise whoever may
 * register an endpoint could make it connect to every address that this machine reaches.
 * Entry points: `destinationProblem`, `guardedLookup`.
 *
 * Invariant: a name is resolved and checked for the very connection that is made, so that a name which resolves to another address
 * the second time (DNS rebinding) gains nothing.
 */
import { lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8);
LOOPBACK.addAddress("::1", "ipv6");

const NOT_LOOPBACK = "only addresses of this machine are sent to, such as http://127.0.0.1:8422";

/** Why nothing may be sent there; undefined when an attempt is allowed. */
export function destinationProblem(text: string, allowRemote: boolean): string | undefined {
  if (text.length > 2000 || !URL.canParse(text)) return "this is no URL";
  const { protocol, username, password, hash, hostname } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return "use http or https";
  if (username !== "" || password !== "" || hash !== "") return "leave out user, password and fragment";
  const literal = hostname.replace(/^\[(.*)\]$/, "$1");
  if (allowRemote || isIP(literal) === 0) return undefined;
  return isLoopback(literal) ? undefined : NOT_LOOPBACK;
}

/** Resolves a name for a connection, to addresses that may be sent to and no others. */
export function guardedLookup(allowRemote: boolean): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      // Node gives nothing at all beside an error.
      const allowed = (error === null ? found : []).filter(({ address }) => allowRemote || isLoopback(address));
      const [first] = allowed;
      if (error !== null) done(error, "", 0);
      else if (first === undefined) done(Object.assign(new Error(NOT_LOOPBACK), { code: "EACCES" }), "", 0);
      else if (options.all === true) done(null, [...allowed]);
      else done(null, first.address, first.family);
    });
  };
}

function isLoopback(address: string): boolean {
  return LOOPBACK.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
