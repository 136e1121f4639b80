// Shows file names as one line of text. A name may contain a line end, a terminal escape or a mark that reverses the
// text direction.

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Returns the name with each control, format or line-break character written as `\u{…}`. The reader therefore sees the
 * whole name on one line.
 */
export function showName(name: string): string {
  return name.replace(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}
