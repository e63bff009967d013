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
