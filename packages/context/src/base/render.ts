// What this project itself says to a model: notes, abandoned calls, checkpoints. These bytes are part of L2: a change
// of one of them is a new rendering revision beside this one, and each request names the revision that made it.

import type { ContentPart, ToolAbandoned } from '@tidemark/log';
import type { ImagePart, TextPart } from '@tidemark/model';
import { isBlank } from '@tidemark/model';

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
  return enclosed('context', { source, revision }, body);
}

/** A notification with its provenance. */
export function renderNotification(source: string, provenance: string, body: string): TextPart {
  return enclosed('notification', { source, from: provenance }, body);
}

/** A checkpoint and its limitations, as the first thing in the tail. `form`: of its fields; absent where it has none. */
export function renderCheckpoint(text: string, limitations: readonly string[], form?: string): TextPart {
  const body = form === 'checkpoint/2' ? withLimits(text, limitations) : withLimitations(text, limitations);
  return enclosed('checkpoint', {}, body);
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
  return enclosed('branch', {}, withLimitations(text, limitations));
}

function withLimitations(text: string, limitations: readonly string[]): string {
  return limitations.length === 0
    ? text
    : `${text}\n\nLimitations:\n${limitations.map((line) => `- ${line}`).join('\n')}`;
}

/** What stands inside comes from files, tools and summaries: it may not end its own enclosure, and go on as the user. */
function enclosed(tag: string, attributes: { readonly [name: string]: string }, body: string): TextPart {
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
