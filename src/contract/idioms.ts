/**
 * Idioms of the language that every folder uses. Owns the way a field that may be absent enters an object: `undefined` is left out, as optional fields here
 * may not hold it; and parts that are made when they are first asked for.
 */

type Shown<T> = { [K in keyof T]: T[K] };

/** `T` with the fields that may be undefined made optional, and never undefined. */
export type Defined<T> = Shown<
  { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
    [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
  }
>;

/** A copy of `fields` without those that are undefined: `defined({ a: 1, b: undefined })` is `{ a: 1 }`. Not deep. */
export function defined<T extends object>(fields: T): Defined<T> {
  // Field by field: lists of entries on the way would take several times as long, and this is on the way of every call.
  const kept: Partial<T> = {};
  for (const name of Object.keys(fields) as (keyof T)[]) {
    const value = fields[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept as Defined<T>;
}

/** A part that is made when it is first asked for, and kept; `made` is that part where it was asked for. */
export type FirstUse<T> = (() => T) & { made(): T | undefined };

/** Makes nothing yet: a process that places one order needs few of its parts. */
export function onFirstUse<T extends object>(make: () => T): FirstUse<T> {
  let made: T | undefined;
  const use = (): T => {
    made ??= make();
    return made;
  };
  return Object.assign(use, { made: () => made });
}

/** Adds members to an object, each made when it is first read. @returns the same object */
export function withFirstUse<Base extends object, Parts extends Readonly<Record<string, object>>>(
  base: Base,
  makers: { readonly [Name in keyof Parts]: () => Parts[Name] },
): Base & Parts {
  for (const [name, make] of Object.entries(makers))
    Object.defineProperty(base, name, { enumerable: true, get: onFirstUse(make) });
  return base as Base & Parts;
}
