// Compares a block with the record that its origin names (L4). The comparison follows the design's table of events and
// uses no code of the engine.

import type { AnswerPart, ContentPart, Recorded, RecordedOf } from '@tidemark/log';
import type { Shown } from './shown.ts';

const CLOSING_LINE = '[The user interrupted this answer here.]';
/** Text that fills the place of an answer between a change of tools and the next prompt or note. */
const NO_ANSWER = '[No answer came.]';
const NO_ROLE = 'Your role instructions were removed. The earlier ones no longer apply.';
const NO_OUTPUT = '(no output)';

/**
 * Checks that the record contains what the block shows. Returns an error text if it does not, and `undefined` if it
 * does.
 */
export function whyNotHeld(shown: Shown, record: Recorded): string | undefined {
  return isHeld(shown, record) || (isSaid(record) && isText(shown, (text) => text === NO_ANSWER))
    ? undefined
    : `${record.kind} at ${record.position} does not hold ${JSON.stringify(shown).slice(0, 200)}`;
}

const SAID: readonly Recorded['kind'][] = [
  'request.prepared',
  'prompt.given',
  'context.noted',
  'notification.received',
  'branch.summarized',
];

function isSaid({ kind }: Recorded): boolean {
  return SAID.includes(kind);
}

function isHeld(shown: Shown, record: Recorded): boolean {
  switch (record.kind) {
    case 'prompt.given':
      return isContent(shown, record.data.parts);
    case 'request.prepared':
      return isContent(shown, record.data.extra ?? []);
    case 'context.noted':
      return isText(shown, (text) => encloses(text, record.data.body ?? ' '));
    case 'notification.received':
      return isText(shown, (text) => encloses(text, record.data.body));
    case 'history.compacted':
      return isText(shown, (text) => encloses(text, record.data.checkpoint));
    case 'branch.summarized':
      return isText(shown, (text) => encloses(text, record.data.text));
    case 'answer.received':
      return record.data.parts.some((part) => isPart(shown, part));
    case 'answer.interrupted':
      return isText(
        shown,
        (text) => text === CLOSING_LINE || record.data.parts.some((part) => part.type === 'text' && part.text === text),
      );
    case 'tool.returned':
      return isResult(shown, record.data.call, false) && isEnding(shown, record);
    case 'tool.failed':
      return isResult(shown, record.data.call, true) && isEnding(shown, record);
    case 'tool.abandoned':
      return isResult(shown, record.data.call, true);
    case 'tools.changed':
      return isChange(shown, [...record.data.added.map(({ name }) => name), ...record.data.removed]);
    case 'role.changed':
      return isRole(shown, record.data.text);
    case 'reasoning.changed':
      return isChange(shown, [record.data.setting]);
    default:
      return false;
  }
}

/**
 * Checks if a block shows the role of a change, or the line for a removed role. If the provider has no text form for
 * roles, the raw content of the block must contain it.
 */
function isRole(shown: Shown, role: string): boolean {
  const roleText = role === '' ? NO_ROLE : role;
  const raw = JSON.stringify(roleText).slice(1, -1);
  return isText(shown, (text) => text.includes(roleText)) || (shown.kind === 'other' && shown.raw.includes(raw));
}

/**
 * Checks if the raw content of a block contains one of these names. The names come from the record of a change. They
 * are names of tools, or the name of a reasoning level.
 */
function isChange(shown: Shown, names: readonly string[]): boolean {
  return shown.kind === 'other' && names.some((name) => shown.raw.includes(JSON.stringify(name)));
}

/**
 * Checks if a text contains `body` between its enclosing tags. A `</` of `body` is sent as `<\/`, so that `body` cannot
 * close a tag.
 */
function encloses(text: string, body: string): boolean {
  const open = (words: string): string => words.replaceAll('<\\/', '</');
  return open(text).includes(open(body));
}

function isText(shown: Shown, fits: (text: string) => boolean): boolean {
  return shown.kind === 'text' && fits(shown.text);
}

/**
 * Checks if a block shows one of these parts of a prompt or result. A file is shown by its path, and an image that
 * cannot be sent by its digest.
 */
function isContent(shown: Shown, parts: readonly ContentPart[]): boolean {
  return parts.some((part) => {
    if (part.type === 'image')
      return shown.kind === 'image'
        ? shown.digest === part.artifact
        : isText(shown, (text) => text.includes(part.artifact));
    return isText(shown, (text) => (part.type === 'file' ? text.includes(part.path) : text === part.text));
  });
}

function areContents(shown: Shown, parts: readonly ContentPart[]): boolean {
  return (
    shown.kind === 'result' &&
    shown.content.every((one) => (one.kind === 'text' && one.text === NO_OUTPUT) || isContent(one, parts))
  );
}

function isEnding(shown: Shown, { data, position }: RecordedOf<'tool.returned' | 'tool.failed'>): boolean {
  return areContents(shown, data.parts) || isShortened(shown, data.parts, position);
}

const SHORTENED = /(?:^|\n)\[Shortened here: [^\]]*The whole is at position (\d+): read it with history_read\.\]$/;

/**
 * Checks if a block shows a shortened result: the beginning of the text of these parts, and a notice with the position
 * of the whole result.
 */
function isShortened(shown: Shown, parts: readonly ContentPart[], position: number): boolean {
  if (shown.kind !== 'result' || shown.content.length !== 1) return false;
  const [only] = shown.content;
  if (only?.kind !== 'text') return false;
  const notice = SHORTENED.exec(only.text);
  const whole = parts.flatMap((part) => textOf(part) ?? []).join('\n');
  return notice !== null && Number(notice[1]) === position && whole.startsWith(only.text.slice(0, notice.index));
}

/**
 * Returns the text that a tool result shows for a part. A file is shown by its path. Returns `undefined` for an image.
 */
function textOf(part: ContentPart): string | undefined {
  return part.type === 'text' ? part.text : part.type === 'file' ? `<file path="${part.path}"/>` : undefined;
}

/**
 * Checks if a block is the result of this call. The provider may get another id for a call if its id was used before or
 * contains characters that the provider refuses. The new id still begins with the recorded id, or with `tm_` and this
 * id.
 */
function isResult(shown: Shown, call: string, error: boolean): boolean {
  return shown.kind === 'result' && shown.error === error && isIdOf(shown.id, call);
}

function isIdOf(id: string, call: string): boolean {
  return id.startsWith(call) || id.startsWith(`tm_${call.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`);
}

function isPart(shown: Shown, part: AnswerPart): boolean {
  switch (part.type) {
    case 'text':
      return isText(shown, (text) => text === part.text);
    case 'reasoning':
      return shown.kind === 'thinking' && shown.raw === part.opaque;
    case 'native':
      return shown.kind === 'other' && shown.raw === part.item;
    case 'call':
      return shown.kind === 'call' && isIdOf(shown.id, part.call) && isInput(shown.input, part.arguments);
  }
}

/**
 * Checks if the arguments in a block are those that the model streamed. Three changes are allowed: blank arguments are
 * `{}`, arguments that are no object are the field `raw` of an object, and lone surrogates are replaced.
 */
function isInput(input: string, streamed: string): boolean {
  if (input === streamed || (streamed.trim() === '' && input === '{}')) return true;
  const clean = (text: string): string => text.toWellFormed().replaceAll(/\\ud800/gi, '\\ufffd');
  return input === clean(streamed) || input === JSON.stringify({ raw: streamed.toWellFormed() });
}
