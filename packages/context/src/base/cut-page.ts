// Results that do not show all of what was asked for: a page of a file, or an output that was cut.

/** Words of the line with which tools end a page: `[Showing lines 1-20 of 60…]`, `(truncated)`, `… 300 more lines`. */
const MARK = /^(?:[[(<…*]|\.\.\.|---).*(?:lines?|truncat|more|offset|showing|\bcut\b|limit|left out|omitted)/i;
/** Longest such line, in UTF-16 units. */
const LONGEST = 400;

/** Returns true where the last line of a result says that there is more. */
export function looksCut(text: string): boolean {
  const whole = text.trimEnd();
  const last = whole.slice(whole.lastIndexOf('\n') + 1).trim();
  return last.length <= LONGEST && MARK.test(last);
}
