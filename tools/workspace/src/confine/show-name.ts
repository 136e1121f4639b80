// Names of files as a line of text: a name may hold a line end, a terminal escape or a mark that turns text around.

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The name with each control, format or line-break character as `\u{…}`, so that it is one honest line. */
export function showName(name: string): string {
  return name.replace(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}
