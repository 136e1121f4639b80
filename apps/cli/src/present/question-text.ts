// Formats a question of the runtime for a user: the head, everything that the user must know for the decision, and the
// answers. Each answer shows its scope.

import type { CallQuestion, DefinitionQuestion } from '@tidemark/agent';
import { grantCovers, offeredPlaces, readGrant } from '@tidemark/agent';
import type { Question } from '@tidemark/kit';
import type { Granted } from '@tidemark/log';

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
  /** Prompt, which ends with a space. The user types the answer after it. */
  readonly prompt: string;
}

/** Maximum length, in characters, of the sentence that describes a grant of commands. */
const LONGEST = 300;

/** Maximum length of a path in an answer, in characters. */
const NAME = 60;

/** Maximum length of a title, in characters. The complete effect of the call is shown below the title. */
const TITLE = 100;

/** Returns the text of a question for a terminal of this width. */
export function questionText(question: Question, columns: number): QuestionText {
  switch (question.about) {
    case 'call':
      return {
        head: [
          ...hanging(`${titleOf(question.title, question.preview.text)} [${question.rule}]`, columns),
          // An MCP server or a custom tool chooses the titles of its calls, so the name of the tool is shown too.
          ...(question.preview.kind === 'arguments' ? hanging(`tool: ${markedText(question.tool)}`, columns) : []),
          ...(question.again ? hangingWords(CHANGED, columns) : []),
        ],
        body: frameLines(question.preview.text, columns),
        answers: answersTo(question).flatMap((line) => hangingWords(line, columns)),
        prompt: question.preview.unseen === undefined ? 'allow it? (y/n) ' : 'allow it? (unseen/n) ',
      };
    case 'definition':
      return {
        head: hanging(`${titleOf(question.title)} [${question.rule}]`, columns),
        body: frameLines(definitionText(question), columns),
        answers: [],
        prompt: 'accept it? (y/n) ',
      };
    case 'rewrite':
      return { head: [], body: [], answers: [], prompt: `${markedText(question.title)}. Send it? (y/n) ` };
  }
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

function grantAnswers({ offer, preview }: CallQuestion): readonly string[] {
  if (offer === undefined || preview.unseen !== undefined) return [];
  const { exact, call, project } = offer;
  const session = 'for the rest of this session';
  const lines = [
    ...(exact === undefined ? [] : [`a: ${exactCovers(exact)}, ${session}`]),
    ...(call.effects?.commands === undefined || exact?.scripts !== undefined
      ? []
      : [
          'a <pattern>, such as `a npm test *`: every command that matches (a final * stands for any words), for the rest of this session',
        ]),
    ...offeredPlaces(offer).map((place) => {
      const grant = readGrant(offer, place);
      const covers = 'problem' in grant ? grant.problem : grantCovers(grant);
      const line = `a ${place}: ${covers}, ${session}`;
      return markedText(preview.text.includes(place) ? line.replaceAll(place, () => middleCut(place)) : line);
    }),
  ];
  if (lines.length === 0 || !project) return lines;
  return [...lines, 'p instead of a: the same, for every session in this project'];
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

/**
 * Describes what the exact grant of an offer allows. If a list of commands is longer than `LONGEST`, it is not
 * repeated, because the body already shows it.
 */
function exactCovers(exact: Granted): string {
  if (exact.scripts !== undefined) return 'exactly this text, only as a whole';
  const covers = grantCovers(exact);
  const short = covers.length <= LONGEST || exact.commands === undefined;
  return markedText(short ? covers : `${exact.tool} runs exactly the commands above, alone or in any line of them`);
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
