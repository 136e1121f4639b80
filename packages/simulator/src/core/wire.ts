// Reading JSON that came over the wire: `unknown` enters, a narrowed value leaves. Nothing here knows a rule.

/** A JSON object whose fields are not looked at yet. */
export interface WireObject {
  readonly [key: string]: unknown;
}

/** Whether a value is a JSON object (no list, no null). */
export function isObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a JSON list. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The text, or an empty one for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A field that the wire lets be absent or null. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** A field that is an object, or an empty one. */
export function objectAt(fields: WireObject, key: string): WireObject {
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
  return isObject(value) ? value : {};
}
