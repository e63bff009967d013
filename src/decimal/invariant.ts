/** Guards what must hold of a number here; where it does not, the mistake is ours. */

/** A rule of this folder was broken by the calling code; never the answer to user input (use the `parse…` functions there). */
export class DecimalInvariantError extends Error {
  override readonly name = "DecimalInvariantError";
}

/** @throws DecimalInvariantError when `condition` is false. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new DecimalInvariantError(message);
}
