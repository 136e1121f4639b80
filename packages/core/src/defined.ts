// Builds objects without the members that have no value.

/** Type of `defined(members)`. A member that may be `undefined` becomes an optional member without `undefined`. */
export type Defined<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined>;
};

/**
 * Returns a copy of an object without the members whose value is `undefined`. The other members keep their order, so a
 * record has the same bytes as one that was written without them. `null`, `false`, `0` and `''` are values and stay.
 *
 * TypeScript does not report excess members in the argument, because the literal is not assigned directly to its target
 * type.
 *
 * ```ts
 * return defined({ status, request: headers.get('request-id') ?? undefined, afterMs });
 * ```
 */
export function defined<const Members extends object>(members: Members): Defined<Members>;
export function defined(members: Readonly<Record<string, unknown>>): object {
  const copy: Record<string, unknown> = {};
  // `for … in` takes half the time of `Object.keys`. An object literal inherits no enumerable member.
  for (const name in members) {
    const value = members[name];
    if (value === undefined) continue;
    if (name === '__proto__') setOwn(copy, name, value);
    else copy[name] = value;
  }
  return copy;
}

/** Sets an own member of any name. An assignment to `__proto__` would set the prototype instead. */
function setOwn(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
}
