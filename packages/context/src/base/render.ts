// What this project itself says to a model: notes, abandoned calls, checkpoints. These bytes are part of L2: a change
// of one of them is a new rendering revision beside this one, and each request names the revision that made it.

import type { ContentPart, ToolAbandoned, PrunedResult } from '@tidemark/log';
import type { ImagePart, TextPart, ResultPart, Span } from '@tidemark/model';
import { isBlank, graphemeAt } from '@tidemark/model';

/** Names the bytes of this file in `request.prepared`. */
export const RENDERING = 'render/2';

/**
 * The revisions whose requests this file makes again. `render/2` differs from the first in two things. The output of a command that
 * is shortened keeps its end where its `history.pruned` says so, and a checkpoint of the form `checkpoint/2` ends with its limits
 * under a heading. Older records say neither, and are rendered as before.
 */
export const RENDERINGS: readonly string[] = ['render/1', RENDERING];

const ABANDONED: Readonly<Record<ToolAbandoned['reason'], string>> = {
  interrupted: 'The call was interrupted before it finished. It may or may not have taken effect.',
  unstarted: 'The turn was ended before this call began. It did not run.',
  crashed: 'The process stopped while this call was running. It may or may not have taken effect.',
  denied: 'The call was denied by the permission rules. It did not run.',
  unavailable: 'The tool is not available. The call did not run.',
  cut: 'The arguments of this call were cut. It did not run.',
};

/** The closing line behind what an interrupted answer had said. */
export const INTERRUPTED = '[The user interrupted this answer here.]';

/** What stands between a change that no answer followed and what was said next: a provider wants an answer behind it. */
export const UNANSWERED = '[No answer came.]';

/** What stands in the place of a result when a call was abandoned. */
export function renderAbandoned(reason: ToolAbandoned['reason']): TextPart {
  return { type: 'text', text: ABANDONED[reason] };
}

/** A context note, named and delimited, so that it cannot be taken for the user's words. */
export function renderNote(source: string, revision: string, body: string): TextPart {
  return encloseText('context', { source, revision }, body);
}

/** A notification with its provenance. */
export function renderNotification(source: string, provenance: string, body: string): TextPart {
  return encloseText('notification', { source, from: provenance }, body);
}

/** A checkpoint and its limitations, as the first thing in the tail. `form`: of its fields; absent where it has none. */
export function renderCheckpoint(text: string, limitations: readonly string[], form?: string): TextPart {
  const body = form === 'checkpoint/2' ? withLimits(text, limitations) : withLimitations(text, limitations);
  return encloseText('checkpoint', {}, body);
}

/** Under a heading like those of the text. */
function withLimits(text: string, limitations: readonly string[]): string {
  return [text, ['## Limits of this checkpoint', ...limitations.map((line) => `- ${line}`)].join('\n')].join('\n\n');
}

/** The agent's own system text in the place of the one before it, or that there is none any more. */
export function renderRole(text: string): string {
  if (isBlank(text)) return 'The earlier text about your role is no longer in force, and there is none in its place.';
  return `The text about your role has changed. From here on this one is in force, in the place of any before it:\n\n${text}`;
}

/** A branch that was left, in short. */
export function renderBranch(text: string, limitations: readonly string[]): TextPart {
  return encloseText('branch', {}, withLimitations(text, limitations));
}

function withLimitations(text: string, limitations: readonly string[]): string {
  return limitations.length === 0
    ? text
    : `${text}\n\nLimitations:\n${limitations.map((line) => `- ${line}`).join('\n')}`;
}

/** What stands inside comes from files, tools and summaries: it may not end its own enclosure, and go on as the user. */
function encloseText(tag: string, attributes: { readonly [name: string]: string }, body: string): TextPart {
  const named = Object.entries(attributes).map(([name, value]) => ` ${name}="${attribute(value)}"`);
  const held = body.replaceAll(new RegExp(`</(?=${tag})`, 'gi'), '<\\/');
  return { type: 'text', text: `<${tag}${named.join('')}>\n${held}\n</${tag}>` };
}

function attribute(value: string): string {
  return value.replaceAll('"', "'").replaceAll(/[<>\s]+/g, ' ');
}

/** Recorded parts as a span holds them: a file becomes the line that names it. */
export function renderContent(parts: readonly ContentPart[]): readonly (TextPart | ImagePart)[] {
  return parts.map((part): TextPart | ImagePart =>
    part.type === 'file' ? { type: 'text', text: `<file path="${attribute(part.path)}"/>` } : part,
  );
}

// The text of a shortened result. It is part of L2 like the words above: other words are another rendering, and a record that
// asks for them names it. A record that names none asks for the beginning of a text.

/** How much of a text stays, and at which end; its beginning where that is absent. */
export type TextCut = Pick<PrunedResult, 'kept' | 'from'>;

/** A text that stays whole, and what is still shown of a longer one, in UTF-16 units. */
const LONG = 1_200;

const PREVIEW = 500;

/** The text of a result, as its cut is counted. */
export function textOfResult(content: ResultPart['content']): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Returns how a long result is cut, between graphemes, and what is then shown; `undefined` for a short one without images. */
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

/** The span with its result shortened; as it is where that leaves nothing out. */
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

/** Never half of a pair: a lone surrogate is no text. */
function wholeUnits(text: string, cut: TextCut): TextCut {
  const kept = Math.min(text.length, Math.max(0, Math.floor(cut.kept)));
  const edge = cut.from === 'end' ? text.length - kept : kept;
  return { ...cut, kept: isInsidePair(text, edge) ? kept - 1 : kept };
}

function isInsidePair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return at > 0 && at < text.length && before >= 0xd800 && before <= 0xdbff;
}

const NOTICE = '[Shortened here: ';

/** What is still shown of the result's text, and what is left out with how to read it (L6). */
export function renderPruned(content: ResultPart['content'], { kept, from }: TextCut, position: number): TextPart {
  const text = textOfResult(content);
  const units = Math.min(text.length, Math.max(0, kept));
  const shown = from === 'end' ? text.slice(text.length - units) : text.slice(0, units);
  const which = from === 'end' ? 'last' : 'first';
  const notice = `${NOTICE}${leftOut(text, shown, which, content)}. The whole is at position ${position}: read it with history_read.]`;
  if (shown === '') return { type: 'text', text: notice };
  // What is left out stands before an end, and behind a beginning.
  return { type: 'text', text: from === 'end' ? `${notice}\n${shown}` : `${shown}\n${notice}` };
}

/** The words of a shortened result that stand for what is left out: all of a text that holds none. */
export function leftOutNotice(content: ResultPart['content']): string {
  const text = textOfResult(content);
  if (text.startsWith(NOTICE)) return text.split('\n', 1)[0] ?? text;
  const at = text.lastIndexOf(NOTICE);
  return at === -1 ? text : text.slice(at);
}

function leftOut(text: string, shown: string, which: 'first' | 'last', content: ResultPart['content']): string {
  const images = content.filter((part): part is ImagePart => part.type === 'image').length;
  const pictures = images === 1 ? '1 image is left out' : `${images} images are left out`;
  const said = [
    ...(shown.length < text.length ? [`the ${which} ${shown.length} of ${text.length} characters are shown`] : []),
    ...(images > 0 ? [pictures] : []),
  ];
  return said.join(', and ');
}
