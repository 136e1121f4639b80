// Renders the texts that Tidemark itself sends to a model: notes, abandoned calls, checkpoints. The same log must give
// the same bytes (L2). If one of these texts changes, a new rendering revision is therefore needed, and the code of the
// old revision stays. Each request records its rendering revision.

import type { AnswerInterrupted, ContentPart, ToolAbandoned, PrunedResult } from '@tidemark/log';
import type { ImagePart, TextPart, ResultPart, Span } from '@tidemark/model';
import { isBlank, graphemeAt } from '@tidemark/model';

/** Rendering revision of this file, recorded in `request.prepared`. */
export const RENDERING = 'render/3';

/**
 * Rendering revisions whose requests this file can rebuild. Each revision depends on fields that older records do not
 * have, so older records are rendered as before. `render/2`: a shortened command output keeps its end if its
 * `history.pruned` asks for the end, and a checkpoint of form `checkpoint/2` ends with its limits under a heading.
 * `render/3`: a `role.changed` that names this revision is rendered in plainer words. The closing line of an answer
 * that the time limit cut off needs no revision. Older programs cannot decode its record.
 */
export const RENDERINGS: readonly string[] = ['render/1', 'render/2', RENDERING];

const ABANDONED: Readonly<Record<ToolAbandoned['reason'], string>> = {
  interrupted: 'The call was interrupted before it finished. It may or may not have taken effect.',
  unstarted: 'The turn was ended before this call began. It did not run.',
  crashed: 'The process stopped while this call was running. It may or may not have taken effect.',
  denied: 'The call was denied by the permission rules. It did not run.',
  unavailable: 'The tool is not available. The call did not run.',
  cut: 'The arguments of this call were cut. It did not run.',
};

/** Line that closes the text of an answer that the user interrupted. */
export const INTERRUPTED = '[The user interrupted this answer here.]';

/** Line that closes the text of an answer, if the time limit of the turn cut off the answer. */
export const TIME_CUT = '[This answer was cut off here, because the time limit of the turn was reached.]';

/** Returns the line that closes the text of an answer that was cut off. */
export function cutLine({ limit }: AnswerInterrupted): string {
  return limit === 'time' ? TIME_CUT : INTERRUPTED;
}

/**
 * Text of an answer that is inserted into the request. It is inserted after a change of tools or of the role, if the
 * model did not answer that change. Some providers require an answer there before the next user message.
 */
export const UNANSWERED = '[No answer came.]';

/** Returns the text that replaces the result of an abandoned call. */
export function renderAbandoned(reason: ToolAbandoned['reason']): TextPart {
  return { type: 'text', text: ABANDONED[reason] };
}

/** Renders a context note inside a named tag, so that a model cannot mistake it for the user's words. */
export function renderNote(source: string, revision: string, body: string): TextPart {
  return encloseText('context', { source, revision }, body);
}

/** Renders a notification with its source and provenance. */
export function renderNotification(source: string, provenance: string, body: string): TextPart {
  return encloseText('notification', { source, from: provenance }, body);
}

/**
 * Renders a checkpoint and its limitations. A checkpoint is the first content of the tail. `form` is the form of the
 * checkpoint's fields, and is absent if the checkpoint has no fields.
 */
export function renderCheckpoint(text: string, limitations: readonly string[], form?: string): TextPart {
  const body = form === 'checkpoint/2' ? withLimits(text, limitations) : withLimitations(text, limitations);
  return encloseText('checkpoint', {}, body);
}

function withLimits(text: string, limitations: readonly string[]): string {
  return [text, ['## Limits of this checkpoint', ...limitations.map((line) => `- ${line}`)].join('\n')].join('\n\n');
}

/**
 * Renders the message that `text` is the agent's new system text. If `text` is blank, the message says that the system
 * text was removed. `rendering` is the rendering revision that the `role.changed` record names. Absent or older
 * revisions keep their older wording.
 */
export function renderRole(text: string, rendering?: string): string {
  if (rendering === RENDERING) {
    if (isBlank(text)) return 'Your role instructions were removed. The earlier ones no longer apply.';
    return `Your role instructions have changed. From now on these apply instead of all earlier ones:\n\n${text}`;
  }
  if (isBlank(text)) return 'The earlier text about your role is no longer in force, and there is none in its place.';
  return `The text about your role has changed. From here on this one is in force, in the place of any before it:\n\n${text}`;
}

/** Renders the summary of a branch that the session has left. */
export function renderBranch(text: string, limitations: readonly string[]): TextPart {
  return encloseText('branch', {}, withLimitations(text, limitations));
}

function withLimitations(text: string, limitations: readonly string[]): string {
  return limitations.length === 0
    ? text
    : `${text}\n\nLimitations:\n${limitations.map((line) => `- ${line}`).join('\n')}`;
}

/**
 * Puts a text inside a named tag. The text comes from files, tools and summaries, so its closing tags are escaped. An
 * unescaped closing tag would end the tag early, and the text after it would look like the user's words.
 */
function encloseText(tag: string, attributes: { readonly [name: string]: string }, body: string): TextPart {
  const named = Object.entries(attributes).map(([name, value]) => ` ${name}="${attribute(value)}"`);
  const held = body.replaceAll(new RegExp(`</(?=${tag})`, 'gi'), '<\\/');
  return { type: 'text', text: `<${tag}${named.join('')}>\n${held}\n</${tag}>` };
}

function attribute(value: string): string {
  return value.replaceAll('"', "'").replaceAll(/[<>\s]+/g, ' ');
}

/** Converts recorded parts to the parts of a span. A file becomes a line that names its path. */
export function renderContent(parts: readonly ContentPart[]): readonly (TextPart | ImagePart)[] {
  return parts.map((part): TextPart | ImagePart =>
    part.type === 'file' ? { type: 'text', text: `<file path="${attribute(part.path)}"/>` } : part,
  );
}

// The text of a shortened result is part of the request bytes too (L2). A new wording needs a new rendering revision,
// and each record that uses the new wording names that revision. A record without `from` keeps the beginning of the
// text.

/**
 * Number of UTF-16 units of a text that are kept (`kept`). If `from` is `end`, the last units are kept. If `from` is
 * absent, the first units are kept.
 */
export type TextCut = Pick<PrunedResult, 'kept' | 'from'>;

/** Limits in UTF-16 units: a text of at most `LONG` units stays whole, and a longer text keeps `PREVIEW` units. */
const LONG = 1_200;

const PREVIEW = 500;

/** Returns the text parts of a result, joined by newlines. The length of a cut is counted in this text. */
export function textOfResult(content: ResultPart['content']): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/**
 * Returns the cut of a long result, and the text that is shown instead. The cut is between graphemes. Returns
 * `undefined` for a short result without images.
 */
export function cutOf(
  content: ResultPart['content'],
  stays: 'beginning' | 'end',
  position: number,
): { readonly cut: TextCut; readonly text: TextPart } | undefined {
  const text = textOfResult(content);
  if (text.length <= LONG && content.every(({ type }) => type === 'text')) return undefined;
  const cut: TextCut = stays === 'end' ? { kept: unitsAtEnd(text), from: 'end' } : { kept: unitsAtBeginning(text) };
  return { cut, text: renderPruned(content, cut, position) };
}

function unitsAtBeginning(text: string): number {
  return text.length <= PREVIEW ? text.length : (graphemeAt(text, PREVIEW)?.index ?? PREVIEW);
}

function unitsAtEnd(text: string): number {
  const start = text.length - PREVIEW;
  const first = start <= 0 ? undefined : graphemeAt(text, start);
  if (first === undefined) return text.length;
  return text.length - (first.index === start ? start : first.index + first.segment.length);
}

/** Returns the span with its result shortened. Returns the same span if it contains no result or if nothing is cut. */
export function shownUpTo(span: Span, cut: TextCut): Span {
  const { origin, parts } = span;
  const [result] = parts;
  if (origin.from !== 'event' || result?.type !== 'result') return span;
  const { content } = result;
  const text = textOfResult(content);
  if (text.length <= cut.kept && content.every(({ type }) => type === 'text')) return span;
  return {
    ...span,
    parts: [{ ...result, content: [renderPruned(content, wholeUnits(text, cut), origin.position)] }],
  };
}

/**
 * Limits `kept` to the length of the text. If the cut is in the middle of a surrogate pair, it is moved, because a lone
 * surrogate is not valid text.
 */
function wholeUnits(text: string, cut: TextCut): TextCut {
  const length = Math.min(text.length, Math.max(0, Math.floor(cut.kept)));
  const edge = cut.from === 'end' ? text.length - length : length;
  return { ...cut, kept: isInsidePair(text, edge) ? length - 1 : length };
}

function isInsidePair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return at > 0 && at < text.length && before >= 0xd800 && before <= 0xdbff;
}

const NOTICE = '[Shortened here: ';

/** Renders a shortened result: the kept text, and a notice that names the omitted part and the way to read it (L6). */
export function renderPruned(content: ResultPart['content'], { kept, from }: TextCut, position: number): TextPart {
  const text = textOfResult(content);
  const units = Math.min(text.length, Math.max(0, kept));
  const shown = from === 'end' ? text.slice(text.length - units) : text.slice(0, units);
  const which = from === 'end' ? 'last' : 'first';
  const notice = `${NOTICE}${leftOut(text, shown, which, content)}. The whole is at position ${position}: read it with history_read.]`;
  if (shown === '') return { type: 'text', text: notice };
  return { type: 'text', text: from === 'end' ? `${notice}\n${shown}` : `${shown}\n${notice}` };
}

/** Returns the notice of a shortened result. Returns the whole text if it contains no notice. */
export function leftOutNotice(content: ResultPart['content']): string {
  const text = textOfResult(content);
  if (text.startsWith(NOTICE)) return text.split('\n', 1)[0] ?? text;
  const at = text.lastIndexOf(NOTICE);
  return at === -1 ? text : text.slice(at);
}

function leftOut(text: string, shown: string, which: 'first' | 'last', content: ResultPart['content']): string {
  const images = content.filter((part): part is ImagePart => part.type === 'image').length;
  const pictures = images === 1 ? '1 image is left out' : `${images} images are left out`;
  const omissions = [
    ...(shown.length < text.length ? [`the ${which} ${shown.length} of ${text.length} characters are shown`] : []),
    ...(images > 0 ? [pictures] : []),
  ];
  return omissions.join(', and ');
}
