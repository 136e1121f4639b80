// Finds mathematical angle brackets, which look like the redirections of a shell.

/**
 * Matches a pair of brackets around one word, as in `⟨x⟩`, if no ASCII character is directly next to the pair. Also
 * matches a pair that begins with `⟨U+`, because `markedText` handles text that imitates its marks.
 */
const PAIR = /(?<![\x21-\x7e])⟨[^\s⟨⟩]{1,64}⟩(?![\w/~$"'.&-])|⟨U\+[^\s⟨⟩]{0,64}⟩/gu;
const BRACKET = /[⟨⟩]/gu;

/**
 * Returns the UTF-16 offsets of the brackets to mark. If the line contains ASCII letters or digits, returns all
 * brackets that `PAIR` does not match. Otherwise returns an empty list.
 */
export function angleSigns(line: string): readonly number[] {
  if (!/[⟨⟩]/u.test(line) || !/[a-z0-9]/i.test(line)) return [];
  const paired = new Set<number>();
  for (const { 0: pair, index } of line.matchAll(PAIR)) paired.add(index).add(index + pair.length - 1);
  return [...line.matchAll(BRACKET)].map(({ index }) => index).filter((at) => !paired.has(at));
}
