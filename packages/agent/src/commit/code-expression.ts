// Recognises code where a credential could stand bare: a call, an index, a list, a type, operands with operators between. A
// bracket alone makes no code, because generated passwords hold brackets too.

import { gradeOf } from './credential-value.ts';

/** Characters of a line that are read, in UTF-16 units. */
const LONGEST = 256;
/** The end of a line, also as a string of JSON holds it. */
const LINE_BREAK = /[\r\n]|\\+[nr]/;
/** What stands before the first bracket of a call or an index. */
const HEAD = /[A-Za-z_$!&*][\w$.:>?!-]*(?:<[\w$.,:&| <>[\]]{1,64}>)?(?=[([{])/y;
/** What follows a call or an index: a member, the bracket of another one, `!`. */
const MEMBER = /[!?]{0,2}(?:\.|::|->)[A-Za-z_$][\w$]*|[!?]{0,2}\.?(?=[([{])|!(?=\W|$)/y;
/** What may stand behind code on its line: signs that close something around it, then a blank or the end of a string. */
const AFTER_CODE = /[)\]},;]*(?:$|[\s"'`\\])/y;
/** The end of a line within a call that goes on: `getKey(`, `get(a,`. */
const GOES_ON = /^[A-Za-z_$][\w$.]*[([{](?:[\w$.,' "-]*[([{,])?$/;

const CLOSED_BY: ReadonlyMap<string, string> = new Map(Object.entries({ '(': ')', '[': ']', '{': '}' }));

/** Returns true when whole code begins at this offset of the text: a call, an index or a list, with its brackets closed. */
export function isWholeCode(text: string, start: number): boolean {
  const line = lineAt(text, start);
  const end = codeEnd(line);
  if (end === undefined) return GOES_ON.test(line.trimEnd()) && gradeOf(/^[\w$]*/.exec(line)?.[0] ?? '') !== 'mixed';
  AFTER_CODE.lastIndex = end;
  return AFTER_CODE.test(line);
}

function lineAt(text: string, start: number): string {
  const part = text.slice(start, start + LONGEST);
  return part.slice(0, LINE_BREAK.exec(part)?.index ?? part.length);
}

/** Returns where the call, index or list ends that the line begins with. `undefined`: it begins with none. */
function codeEnd(line: string): number | undefined {
  HEAD.lastIndex = 0;
  let end = groupEnd(line, HEAD.exec(line)?.[0].length ?? 0);
  while (end !== undefined) {
    MEMBER.lastIndex = end;
    const behind = end + (MEMBER.exec(line)?.[0].length ?? 0);
    if (CLOSED_BY.has(line[behind] ?? '')) end = groupEnd(line, behind);
    else if (behind === end) return end;
    else end = behind;
  }
  return undefined;
}

/** Returns where the bracket at this place is closed, behind its closing one. `undefined`: there is none, or it stays open. */
function groupEnd(line: string, at: number): number | undefined {
  const open: string[] = [];
  for (let place = at; place < line.length; place += 1) {
    const character = line[place] ?? '';
    const closing = CLOSED_BY.get(character);
    if (closing !== undefined) open.push(closing);
    else if (/[)\]}]/.test(character) && open.pop() !== character) return undefined;
    if (open.length === 0) return place === at ? undefined : place + 1;
  }
  return undefined;
}

/** One operand of code: a path of names, a number, a generic type, with what a call or an index follows it. */
const OPERAND =
  /[!&*]{0,2}(?:[A-Za-z_$@][\w$]{0,63}|\d{1,9}(?=\W|$))(?:[!?]?(?:\.|::|->)[A-Za-z_$][\w$]{0,63}|<[\w$.,:&| <>[\]']{1,64}>|\[\]|\[[\w$.:'"-]{1,64}\]|\([\w$.,:'" ]{0,64}\)){0,8}[!?]?/y;
const OPERATOR = /\|\||&&|\?\?|===?|!==?|=>|[+*/%|&?:<>-]/y;
const CLOSING = /[)\]},;]*$/y;
const REGULAR_EXPRESSION = /^\/.+\/[dgimsuvy]*[,;]?$/;
const ARROW = /^\(?[\w$,]{0,64}\)?=>/;

/** Returns true when the value, which is the rest of its line, is code: names and calls of words with operators between. */
export function isCodeOnLine(value: string): boolean {
  if (value.length > LONGEST) return false;
  if (REGULAR_EXPRESSION.test(value) || ARROW.test(value)) return true;
  for (let at = 0; at < value.length;) {
    OPERAND.lastIndex = at;
    const operand = OPERAND.exec(value)?.[0];
    if (operand === undefined || operand.split(/[^\w$]+/).some((word) => gradeOf(word) === 'mixed')) return false;
    at += operand.length;
    CLOSING.lastIndex = at;
    if (CLOSING.test(value)) return true;
    OPERATOR.lastIndex = at;
    const operator = OPERATOR.exec(value)?.[0];
    if (operator === undefined) return false;
    at += operator.length;
  }
  return false;
}
