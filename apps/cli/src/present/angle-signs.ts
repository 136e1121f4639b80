// Angle brackets of mathematics, which look like the redirections of a shell.

/** A pair around one word, as in `⟨x⟩`, that nothing stands next to; and what looks like a mark, which is shown as forged. */
const PAIR = /(?<![\x21-\x7e])⟨[^\s⟨⟩]{1,64}⟩(?![\w/~$"'.&-])|⟨U\+[^\s⟨⟩]{0,64}⟩/gu;
const BRACKET = /[⟨⟩]/gu;

/** Returns the UTF-16 offsets of the brackets to mark: those of no pair, in a line with ASCII letters. */
export function angleSigns(line: string): readonly number[] {
  if (!/[⟨⟩]/u.test(line) || !/[a-z0-9]/i.test(line)) return [];
  const paired = new Set<number>();
  for (const { 0: pair, index } of line.matchAll(PAIR)) paired.add(index).add(index + pair.length - 1);
  return [...line.matchAll(BRACKET)].map(({ index }) => index).filter((at) => !paired.has(at));
}
