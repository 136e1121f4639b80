// Finds the part of a value that JSON cannot represent. `JSON.stringify` writes many such values as `{}` or `null`.

/** Deepest level that is checked. If a value has deeper levels, it is refused. */
const DEEPEST = 500;

/**
 * Returns the path and the reason of the first part of a value that JSON cannot represent, such as `users[0].born is a
 * Map`. Returns `undefined` if JSON represents the whole value. A field of an object that is `undefined`, a function or
 * a symbol is no problem, because JSON leaves it out.
 */
export function jsonProblem(value: unknown): string | undefined {
  return problemAt(value, [], []);
}

/** `path` contains the names and indexes that lead to the value. `above` contains the objects around the value. */
function problemAt(value: unknown, path: readonly (string | number)[], above: readonly object[]): string | undefined {
  const reason = typeof value === 'object' && value !== null ? reasonOf(value, above) : reasonOfPlain(value);
  if (reason !== undefined) return `${pathText(path)} ${reason}`;
  if (typeof value !== 'object' || value === null) return undefined;
  const inside = [...above, value];
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    const shown: unknown = value.toJSON(String(path.at(-1) ?? ''));
    return shown === value ? undefined : problemAt(shown, path, inside);
  }
  const parts: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((one: unknown, index) => [index, one] as const)
    : Object.entries(value).filter(([, one]) => !['undefined', 'function', 'symbol'].includes(typeof one));
  for (const [name, one] of parts) {
    const problem = problemAt(one, [...path, name], inside);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function reasonOfPlain(value: unknown): string | undefined {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? undefined : `is ${value}, which JSON would write as null`;
    case 'bigint':
      return 'is a BigInt: convert it to a string or a number';
    case 'function':
    case 'symbol':
      return `is a ${typeof value}`;
    default:
      return undefined;
  }
}

function reasonOf(value: object, above: readonly object[]): string | undefined {
  if (above.includes(value)) return 'is a circular reference';
  if (above.length >= DEEPEST) return `is nested deeper than ${DEEPEST} levels`;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `contains bytes (${nameOf(value)})`;
  if (value instanceof Date && Number.isNaN(value.getTime()))
    return 'is an invalid date, which JSON would write as null';
  if (Array.isArray(value) || 'toJSON' in value) return undefined;
  // These objects do not store their content in own fields, so JSON would write `{}`.
  if (value instanceof Map || value instanceof Set || value instanceof Error || value instanceof Promise)
    return emptyAs(value);
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(value));
  return isPlain || Object.keys(value).length > 0 ? undefined : emptyAs(value);
}

function emptyAs(value: object): string {
  const name = nameOf(value);
  return `is ${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}, which JSON would write as {}`;
}

function nameOf(value: object): string {
  return typeof value.constructor === 'function' ? value.constructor.name : 'object';
}

function pathText(path: readonly (string | number)[]): string {
  if (path.length === 0) return 'the value';
  return path.map((name, index) => (typeof name === 'number' ? `[${name}]` : index === 0 ? name : `.${name}`)).join('');
}
