// ASCII for terminals without Unicode: replaces the signs of Tidemark by ASCII signs of the same width.

/** Signs of Tidemark and common punctuation. Each one is followed by its ASCII sign. */
const PAIRS = '✓+✗x●*○o•*»>…~·-×x–-—-→>←<↑^↓v⟨<⟩>│|┆:─-┼+┌+┐+└+┘+├+┤+╭+╮+╰+╯+█#▓#▒=░.“"”"‘\'’\'\u00a0 ';

const SIGNS: ReadonlyMap<string, string> = new Map(
  Array.from({ length: PAIRS.length / 2 }, (_, index) => [PAIRS.charAt(2 * index), PAIRS.charAt(2 * index + 1)]),
);

/** Returns the text with ASCII signs in place of Tidemark's other signs. Letters of other scripts stay. */
export function asciiText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : text.replaceAll(/[^\x00-\x7f]/g, (sign) => SIGNS.get(sign) ?? sign);
}

/**
 * Returns true if the environment sets an encoding other than UTF-8, such as `LANG=C`. Without a setting, UTF-8 is
 * assumed.
 */
export function needsAscii(environment: Readonly<Record<string, string | undefined>>): boolean {
  const { LC_ALL, LC_CTYPE, LANG } = environment;
  const locale = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== '');
  return locale !== undefined && !/utf-?8/i.test(locale);
}
