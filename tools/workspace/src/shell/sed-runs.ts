// Detects if a sed script runs commands. It runs commands through its command `e` or through the flag `e` of `s`. The
// text of the command may come from the input of sed.

/** Returns true if the script could run commands, or if it cannot be parsed. */
export function sedRuns(script: string): boolean {
  let at = 0;
  while (at < script.length) {
    at = afterAddress(script, at);
    const command = script[at] ?? '';
    if (command === 'e') return true;
    if (command === 's' || command === 'y') {
      const end = afterParts(script, at + 1);
      const flags = /^[gpiImMe0-9]*/.exec(script.slice(end))?.[0] ?? '';
      if (end === -1 || (command === 's' && flags.includes('e'))) return true;
      at = end + flags.length;
      if (script[at] === 'w') at = lineEnd(script, at);
    } else if (/[aic]/.test(command)) at = textEnd(script, at);
    else at = TAKES_LINE.test(command) ? lineEnd(script, at) : at + 1;
  }
  return false;
}

/** Commands of sed that use the rest of their line. */
const TAKES_LINE = /[rRwW#]/;

/** Returns the offset after blanks, command separators and addresses: `1,$`, `/x/I`, `\cxc`, `0~4`, `!`. */
function afterAddress(script: string, from: number): number {
  let at = from;
  for (;;) {
    const next = script[at];
    if (next === undefined) return at;
    if (/[\s;{}\d$,~+!IM]/.test(next)) at += 1;
    else if (next === '/') at = orEnd(script, afterPart(script, at + 1, '/'));
    else if (next === '\\') at = orEnd(script, afterPart(script, at + 2, script[at + 1] ?? ''));
    else return at;
  }
}

function orEnd(script: string, at: number): number {
  return at === -1 ? script.length : at;
}

function lineEnd(script: string, from: number): number {
  return orEnd(script, script.indexOf('\n', from));
}

/**
 * Returns the end of the text of `a`, `i` or `c`. If a line ends with a backslash, the text continues on the next line.
 */
function textEnd(script: string, from: number): number {
  let at = lineEnd(script, from);
  while (at < script.length && script[at - 1] === '\\') at = lineEnd(script, at + 1);
  return at;
}

/** Returns the offset after both parts of `s/a/b/`. If the delimiter after a part is missing, returns -1. */
function afterParts(script: string, at: number): number {
  const delimiter = script[at] ?? '';
  const middle = afterPart(script, at + 1, delimiter);
  return middle === -1 ? -1 : afterPart(script, middle, delimiter);
}

/**
 * Returns the offset after the next delimiter. If there is no next delimiter, returns -1. A delimiter in brackets
 * counts too, although some versions of sed read it as text. The text after such a delimiter is then examined as
 * commands.
 */
function afterPart(script: string, from: number, delimiter: string): number {
  if (delimiter === '') return -1;
  for (let at = from; at < script.length; at += 1) {
    if (script[at] === '\\') at += 1;
    else if (script[at] === delimiter) return at + 1;
  }
  return -1;
}

/**
 * Returns the scripts among the arguments of sed, but not the content of script files. If only the running shell knows
 * a script, its entry is `undefined`.
 */
export function sedScripts(given: readonly (string | undefined)[]): readonly (string | undefined)[] {
  const scripts = given.flatMap((word, index) => {
    const before = given[index - 1] ?? '';
    if (/^-[nrEsuz]*e$|^--expression$/.test(before)) return [word];
    const attached = /^(?:-[nrEsuz]*e|--e[a-z]*=)(.+)$/s.exec(word ?? '')?.[1];
    return attached === undefined ? [] : [attached];
  });
  if (scripts.length > 0) return scripts;
  return given.filter((word) => word === undefined || !word.startsWith('-')).slice(0, 1);
}
