// The lifetime that a body's markers ask for. The answer tells one number for all that was written, whatever its lifetime.

import { routerForm } from './form.ts';

/** The one lifetime of all markers in a body; `undefined` without markers, and where they differ. */
export function askedLife(body: Uint8Array): '5m' | '1h' | undefined {
  // A quote inside a text is escaped, so these bytes stand nowhere but in a slot.
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const { '5m': short, '1h': long } = routerForm.marks ?? {};
  const isShort = short !== undefined && bytes.includes(short);
  const isLong = long !== undefined && bytes.includes(long);
  if (isShort === isLong) return undefined;
  return isShort ? '5m' : '1h';
}
