// Progress on a line that is not complete, such as `Building ....` or `[====>   ] 45 %`. A person who watches a command
// sees it before the line ends. Only text that no secret can contain is returned.

/** Word that is complete, because a space follows it, and that is no name of an option and no value. */
const WORD = /(?:[A-Za-z]{1,20}|\d{1,6}(?:[.,]\d{1,3})?)[,.…!]*(?=\s)|\d{1,3}(?:\.\d{1,3})?%/y;

/** Signs of a progress bar. A single `=` can separate the name of a secret from its value. */
const SIGNS = /(?:[.…·•*#>|~[\]()\u2500-\u25ff\u2800-\u28ff]|={2,}|(?<=\[)=)+(?=[\s\d%]|$)/y;

const SPACE = /[^\S\r\n]+/y;

/**
 * Returns the offset up to which an incomplete line can be shown. The line begins at `start`. `forms` contains every
 * form of the known secrets. A beginning of such a form at the end of the text is held back.
 */
export function progressEnd(text: string, start: number, forms: Iterable<string>): number {
  let end = start;
  for (;;) {
    const next = [SPACE, SIGNS, WORD].map((pattern) => endOf(pattern, text, end)).find((at) => at > end);
    if (next === undefined) break;
    end = next;
  }
  for (const form of forms) end = Math.min(end, beginningOf(form, text, end));
  return Math.max(start, end);
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** Returns the offset before `end` from which the rest of the text is the beginning of a secret. */
function beginningOf(form: string, text: string, end: number): number {
  const first = form.charAt(0);
  let at = text.indexOf(first, Math.max(0, text.length - form.length));
  while (at !== -1 && at < end) {
    if (form.startsWith(text.slice(at))) return at;
    at = text.indexOf(first, at + 1);
  }
  return end;
}
