// The header `Range` with one range of bytes: https://www.rfc-editor.org/rfc/rfc9110#name-range.

/** Range of bytes. `to` is the position after the last byte. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Reads the header `Range` for content of a size. Returns `undefined` if there is no header, or one with another form,
 * which RFC 9110 says to ignore: then all bytes are sent.
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  const [, first = '', last = ''] = found ?? [];
  if (found === null || (first === '' && last === '')) return undefined;
  if (first === '') {
    const count = Math.min(Number(last), size);
    return count === 0 ? 'unsatisfiable' : { from: size - count, to: size };
  }
  const from = Number(first);
  if (from >= size) return 'unsatisfiable';
  if (last !== '' && Number(last) < from) return undefined;
  return { from, to: last === '' ? size : Math.min(Number(last) + 1, size) };
}
