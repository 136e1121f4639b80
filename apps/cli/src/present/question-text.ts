// Formats a question of the runtime for a user: the head, everything that the user must know for the decision, and the
// answers. Each answer shows its scope.

import type { CallQuestion, DefinitionQuestion } from '@tidemark/agent';
import { grantCovers, offeredPlaces, toolsOfPlaceGrant } from '@tidemark/agent';
import type { Question } from '@tidemark/kit';
import type { Granted } from '@tidemark/log';
import { parseJson } from '@tidemark/log';

import { withoutFileNames } from './file-names-of-diff.ts';
import { foldLine, foldWords } from './fold-line.ts';
import { markedText } from './marked-text.ts';

/**
 * Text of a question. Each line of `head`, `body` and `answers` is a row that fits into the terminal. Rows with text
 * written by others begin with `│` or `┆`. Therefore they cannot look like rows of Tidemark.
 */
export interface QuestionText {
  /** Lines that state the question. */
  readonly head: readonly string[];
  /** Lines that show completely the effect of the call. Empty if the head already shows this. */
  readonly body: readonly string[];
  /** Possible answers, one per line. Empty if only y and n are possible. */
  readonly answers: readonly string[];
  /** Scope of the grants that keys can give. Used instead of `answers` where another row shows the keys. */
  readonly grants: readonly string[];
  /** Prompt, which ends with a space. The user types the answer after it. */
  readonly prompt: string;
}

/** Maximum length of a path in an answer, in characters. */
const NAME = 60;

/** Maximum length of a title, in characters. The complete effect of the call is shown below the title. */
const TITLE = 100;

/** Returns the text of a question for a terminal of this width. */
export function questionText(question: Question, columns: number): QuestionText {
  switch (question.about) {
    case 'call': {
      const { title, body } = withoutRepetition(question, columns);
      return {
        head: [
          ...hanging(`${title} [${question.rule}]`, columns),
          // An MCP server or a custom tool chooses the titles of its calls, so the name of the tool is shown too.
          ...(question.preview.kind === 'arguments' && !question.title.startsWith(`${question.tool} `)
            ? hanging(`tool: ${markedText(question.tool)}`, columns)
            : []),
          ...(question.again ? hangingWords(CHANGED, columns) : []),
        ],
        body: body === undefined ? [] : frameLines(body, columns),
        answers: answersTo(question).flatMap((line) => hangingWords(line, columns)),
        grants: grantsByKey(question).flatMap((line) => hangingWords(line, columns)),
        prompt: question.preview.unseen === undefined ? 'allow it? (y/n) ' : 'allow it? (unseen/n) ',
      };
    }
    case 'definition':
      return {
        head: hanging(`${titleOf(question.title)} [${question.rule}]`, columns),
        body: frameLines(definitionText(question), columns),
        answers: [],
        grants: [],
        prompt: 'accept it? (y/n) ',
      };
    case 'rewrite':
      return { head: [], body: [], answers: [], grants: [], prompt: `${markedText(question.title)}. Send it? (y/n) ` };
  }
}

interface CallText {
  readonly title: string;
  /** Text below the title. `undefined` if the title contains all of it. */
  readonly body: string | undefined;
}

/**
 * Returns the title and the text of a call without the parts that both contain. Each part is shown at least once and
 * completely.
 */
function withoutRepetition({ title, tool, rule, preview }: CallQuestion, columns: number): CallText {
  const { kind, text } = preview;
  const whole = titleOf(title, text);
  const letters = Array.from(title).length;
  const fits = letters <= TITLE && Array.from(whole).length + rule.length + 4 <= columns;
  switch (kind) {
    case 'command': {
      // A subagent puts a role in front of the title, which a model has chosen. Its command is shown in the frame too.
      if (!/[\p{Cc}\p{Cf}]/u.test(text) && title === `${tool} ${text}` && fits)
        return { title: whole, body: undefined };
      return { title: beginningOf(title, text, columns - rule.length - 6), body: text };
    }
    case 'arguments':
      if (`${tool} ${onlyTextIn(text)}` === title && whole === title) return { title: whole, body: undefined };
      return { title: titleOf(withoutArguments(title, text), text), body: text };
    case 'diff': {
      const [was = '', is = ''] = text.split('\n', 2);
      const body = withoutFileNames(text, is.slice('+++ '.length));
      const isNamed = whole === title && body !== text && namesFile(title, is.slice('+++ '.length));
      if (!isNamed) return { title: whole, body: text };
      return { title: was === '--- /dev/null' ? `${whole} (new file)` : whole, body };
    }
  }
}

/** Returns the first line of a title, cut to a number of characters. The text below the title shows all of it. */
function beginningOf(title: string, text: string, characters: number): string {
  const [line = ''] = title.split('\\u{a}', 1);
  const letters = Array.from(titleOf(line, text));
  const most = Math.max(16, Math.min(TITLE, characters - 1));
  if (letters.length <= most && line === title) return letters.join('');
  return `${letters.slice(0, most).join('').replace(/…$/, '')}…`;
}

/** Returns true if the title ends with the name of a file, or with the name and a remark in parentheses. */
function namesFile(title: string, name: string): boolean {
  const [named = ''] = title.split(` (`, 1);
  return name !== '' && (title.endsWith(` ${name}`) || named.endsWith(` ${name}`));
}

/** Returns a title without the arguments at its end, if the text contains them. Their end can be cut off in the title. */
function withoutArguments(title: string, json: string): string {
  const at = title.indexOf(' {');
  if (at === -1) return title;
  const shown = title.slice(at + 1).replace(/ … \(\d+ characters\)$/, '');
  return JSON.stringify(parseJson(json)).startsWith(shown) ? title.slice(0, at) : title;
}

/** Returns the only argument of a call, if it is a text. */
function onlyTextIn(json: string): string | undefined {
  const [, text] = /^\{\n {2}"\w+": "([^"\\]*)"\n\}$/.exec(json) ?? [];
  return text;
}

/**
 * Returns a line as rows that fit into the terminal. All rows after the first have a frame character, because they may
 * contain text written by others.
 */
export function hanging(line: string, columns: number): readonly string[] {
  const [first = '', ...rest] = foldLine(line, Math.max(1, columns - 1));
  const text = rest.join('');
  return [first, ...(text === '' ? [] : foldLine(text, Math.max(1, columns - 3)).map((row) => `┆ ${row}`))];
}

/** Returns an explanation as rows, in the same way. The rows end between words where possible. */
function hangingWords(line: string, columns: number): readonly string[] {
  // A row can end with one more space.
  const [first = ''] = foldWords(line, Math.max(1, columns - 2));
  const text = line.slice(first.length);
  const rows = text === '' ? [] : foldWords(text, Math.max(1, columns - 4));
  return [first, ...rows.map((row) => `┆ ${row}`)];
}

const CHANGED = 'The call changed after your answer. It would now do this:';

/**
 * Returns the title with marks. A tool writes an invisible character in its title as `\u{1b}`. If the text below the
 * title contains this character, and not these signs, the title gets the same mark as the text.
 */
function titleOf(title: string, text = ''): string {
  const [line = ''] = title.split('\n', 1);
  const short = Array.from(line).slice(0, TITLE).join('');
  return (short === title ? title : `${short}…`)
    .split(/(\\u\{[0-9a-f]{1,6}\})/)
    .map((piece, index) => (index % 2 === 1 ? markOf(piece, text) : undefined) ?? markedText(piece))
    .join('');
}

function markOf(escape: string, text: string): string | undefined {
  const code = Number.parseInt(escape.slice(3, -1), 16);
  if (code > 0x10_ff_ff || text.includes(escape) || !text.includes(String.fromCodePoint(code))) return undefined;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

function definitionText({ was, is }: DefinitionQuestion): string {
  const shown = (spec: typeof is): string => JSON.stringify(spec, undefined, 2);
  return `accepted before:\n${shown(was)}\nnow:\n${shown(is)}`;
}

function answersTo(question: CallQuestion): readonly string[] {
  const { preview } = question;
  const yes =
    preview.unseen === undefined
      ? 'y: allow this once'
      : `unseen: allow this once, although not all of it can be shown (${markedText(preview.unseen)})`;
  return [yes, 'n: deny; the model receives the text after n', ...grantAnswers(question)];
}

function grantAnswers({ offer, preview, tool }: CallQuestion): readonly string[] {
  if (offer === undefined || preview.unseen !== undefined) return [];
  const { exact, project } = offer;
  const lines = [
    ...(exact === undefined ? [] : [`a: ${exactCovers(exact)}, in this session`]),
    ...(takesPattern(offer)
      ? ['a <pattern>: every command that matches, such as `a npm test *` (* stands for any words), in this session']
      : []),
    ...offeredPlaces(offer).map((place) => {
      const on = place.endsWith('/') ? 'below this folder' : 'on this file';
      return `a ${shownPlace(place, preview.text)}: every call of ${toolsOfPlaceGrant(tool).join(' and ')} ${on}, with any content, in this session`;
    }),
  ];
  if (lines.length === 0 || !project) return lines;
  return [...lines, 'p instead of a: the same, for every session in this project'];
}

/** Returns the scope of the keys `a` and `p`. The keys themselves are in the last row of the question. */
function grantsByKey({ offer, preview, tool }: CallQuestion): readonly string[] {
  if (preview.unseen !== undefined) return [`not all of it can be shown: ${markedText(preview.unseen)}`];
  if (offer === undefined) return [];
  const { exact } = offer;
  const keys = offer.project ? 'a, p' : 'a';
  const [place, ...more] = offeredPlaces(offer);
  if (exact !== undefined) return [`${keys}: ${exactCovers(exact)}${takesPattern(offer) ? ', or a pattern' : ''}`];
  if (place === undefined) return [];
  const [folder] = more;
  const on = place.endsWith('/') ? `below ${shownPlace(place, preview.text)}` : 'on this file';
  const down = folder === undefined ? '' : ` (↓: below ${shownPlace(folder, preview.text)})`;
  return [`${keys}: ${toolsOfPlaceGrant(tool).join(' and ')} ${on} with any content${down}`];
}

function takesPattern({ call, exact }: NonNullable<CallQuestion['offer']>): boolean {
  return call.effects?.commands !== undefined && exact?.scripts === undefined;
}

/** Returns a path with marks. A long one is shortened, if the text of the question contains all of it. */
function shownPlace(place: string, text: string): string {
  return markedText(text.includes(place) ? middleCut(place) : place);
}

/**
 * Shortens a long name by removing characters from its middle, because its start and end identify it best. Used only
 * for names that the body shows completely.
 */
function middleCut(name: string): string {
  const letters = Array.from(name);
  if (letters.length <= NAME) return name;
  const half = Math.floor((NAME - 1) / 2);
  return `${letters.slice(0, half).join('')}…${letters.slice(-half).join('')}`;
}

/** Describes what the exact grant of an offer allows. Commands are not repeated, because the question shows them. */
function exactCovers(exact: Granted): string {
  const { commands = [], scripts } = exact;
  if (scripts !== undefined) return 'exactly this text, as a whole';
  if (commands.length === 0) return markedText(grantCovers(exact));
  if (commands.length === 1) return 'exactly this command, also next to other allowed ones';
  return `exactly these ${commands.length} commands, in any order, also next to other allowed ones`;
}

/**
 * Returns the text with marks. Each line begins with `│` and is folded to the width of the terminal. The rows can
 * therefore be counted.
 */
export function frameLines(text: string, columns: number): readonly string[] {
  return markedText(text)
    .split('\n')
    .flatMap((line) =>
      foldLine(line, Math.max(1, columns - 3)).map((part, index) => `${index === 0 ? '│' : '┆'} ${part}`),
    );
}
