// Narrows JSON values that were received over the network. These functions contain no provider rules.

/** JSON object whose fields have not been checked yet. */
export interface WireObject {
  readonly [key: string]: unknown;
}

/** True if a value is a JSON object. A list and `null` are not objects. */
export function isObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Returns the value if it is a string, else an empty string. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** True if a field has a value. In JSON bodies, an absent field and `null` mean the same. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Returns the value of the field `key` if it is an object, else an empty object. */
export function objectAt(fields: WireObject, key: string): WireObject {
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
  return isObject(value) ? value : {};
}
