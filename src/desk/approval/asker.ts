/**
 * Whose answer counts. A session is the client's connection; where every request is a session of its own it is written `caller/request`, as the
 * answer comes with another request of the same caller, and only the one that was asked has the seal.
 *
 * Source: decision 0008, decision 0069.
 */

/** Whether both are of one asker: of the same session, or of the same caller where sessions are of one request. */
export function isSameAsker(one: string | undefined, other: string | undefined): boolean {
  return askerOf(one) === askerOf(other);
}

function askerOf(session: string | undefined): string | undefined {
  return session?.split("/", 1)[0];
}
