/** Checks what must always hold inside the exchange. After a broken invariant the state can no longer be trusted. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** @throws InvariantError when the condition does not hold. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
