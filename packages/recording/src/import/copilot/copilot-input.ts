// Reads the events of the Copilot CLI that a model gets as input: prompts with their context, notifications, skills,
// results of calls, and compactions.

import { defined } from '@tidemark/core';
import type { ContentPart, Json } from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { countOf, listOf, nameOf, objectOf, textOf } from '../file/fields.ts';
import type { Keep } from '../format/format.ts';
import { contentParts } from '../format/format.ts';
import type { From, ImportedMove } from '../format/move.ts';
import type { CopilotEvent } from './copilot-event.ts';

const COPILOT = 'copilot';

/** Content that events state once and that later events refer to by id. */
export interface CopilotContents {
  readonly keep: Keep;
  /** Images, by the id of the asset. */
  readonly images: Map<string, ContentPart>;
  /** Texts of skills, by name. */
  readonly skills: Map<string, string>;
}

/**
 * Returns the moves of a message of the user. The model gets the text with context that the client adds around it. This
 * context becomes a note after the prompt. A text that a skill adds is a note.
 */
export function userMoves({ data }: CopilotEvent, from: From, contents: CopilotContents): readonly ImportedMove[] {
  const source = nameOf(data['source']) ?? '';
  const typed = textOf(data['content']) ?? '';
  const sent = textOf(data['transformedContent']) ?? typed;
  if (source.startsWith('skill-')) return [{ type: 'note', from, source: COPILOT, body: sent }];
  const place = sent.indexOf(typed);
  const text = place === -1 ? sent : typed;
  const context = place === -1 ? '' : [sent.slice(0, place), sent.slice(place + typed.length)].map(trimmed).join('\n');
  const { images, others } = attachmentsOf(data['attachments'], contents);
  const prompt: ImportedMove = {
    type: 'prompt',
    from,
    parts: [{ type: 'text', text }, ...images],
    presenter: COPILOT,
    trigger: source.startsWith('agent-') ? 'subagent' : 'user',
    ...(data['delivery'] === 'steering' ? { steer: true } : {}),
  };
  return [
    prompt,
    ...(context.trim() === '' ? [] : [{ type: 'note', from, source: COPILOT, body: context.trim() } as const]),
    ...(others ? [{ type: 'foreign', from, reason: 'attachments that are not images' } as const] : []),
    ...(place === -1 ? [{ type: 'foreign', from, reason: 'a prompt that the client changed' } as const] : []),
  ];
}

function trimmed(text: string): string {
  return text.trim();
}

function attachmentsOf(
  list: Json | undefined,
  contents: CopilotContents,
): { readonly images: readonly ContentPart[]; readonly others: boolean } {
  const found = listOf(list).map((one) => imageIn(objectOf(one), contents));
  return { images: found.flatMap((one) => one ?? []), others: found.includes(undefined) };
}

// Returns the image of an attachment or of a result. Its bytes are in the object, or in an earlier event.
function imageIn(fields: JsonObject, { keep, images }: CopilotContents): ContentPart | undefined {
  const mimeType = nameOf(fields['mimeType']);
  const data = nameOf(fields['data']);
  const known = images.get(nameOf(fields['assetId']) ?? '');
  if (known !== undefined || mimeType?.startsWith('image/') !== true || data === undefined) return known;
  const [part] = contentParts([{ type: 'image', mimeType, data }], keep);
  return part?.type === 'image' ? part : undefined;
}

/** Stores the bytes of an image to which later events refer. Returns false if the event contains no image. */
export function keepAsset({ data }: CopilotEvent, contents: CopilotContents): boolean {
  const id = nameOf(data['assetId']);
  const image = id === undefined ? undefined : imageIn({ ...data, assetId: undefined }, contents);
  if (id === undefined || image === undefined) return false;
  contents.images.set(id, image);
  return true;
}

/** Returns the move of a notification of the client, for example about the end of a subagent. */
export function notificationMove({ data }: CopilotEvent, from: From): ImportedMove {
  const provenance = nameOf(objectOf(data['kind'])['type']) ?? 'system';
  return { type: 'notification', from, source: COPILOT, provenance, body: textOf(data['content']) ?? '' };
}

/** Returns the moves of a skill that was added to the context. A newer event refers to the text of the skill. */
export function skillMoves({ data }: CopilotEvent, from: From, contents: CopilotContents): readonly ImportedMove[] {
  const content = textOf(data['content']);
  if (content !== undefined) return [{ type: 'note', from, source: COPILOT, body: content }];
  const name = nameOf(data['source'])?.replace(/^skill-/, '') ?? '';
  const text = contents.skills.get(name);
  const foreign: ImportedMove = { type: 'foreign', from };
  if (text === undefined) return [foreign];
  const body = `${textOf(data['prefix']) ?? ''}${text}${textOf(data['suffix']) ?? ''}`;
  return [{ type: 'note', from, source: COPILOT, body }, foreign];
}

const EXIT = /<(?:exited|shellId: \S+ completed) with exit code (-?\d+)>\s*$/;

/** Returns the move of the result of a call. A command whose exit code is not 0 is a failed tool run. */
export function resultMove({ data }: CopilotEvent, from: From, contents: CopilotContents): ImportedMove {
  const call = nameOf(data['toolCallId']);
  if (call === undefined) return { type: 'foreign', from, reason: 'a tool result that names no call' };
  const result = objectOf(data['result']);
  const failure = textOf(objectOf(data['error'])['message']);
  const text = textOf(result['content']) ?? failure ?? '';
  const images = listOf(result['binaryResultsForLlm']).map((one) => {
    const fields = objectOf(one);
    return imageIn(fields, contents) ?? { type: 'text' as const, text: textOf(fields['description']) ?? '[binary]' };
  });
  const code = countOf(objectOf(data['shellExecution'])['exitCode']) ?? Number(EXIT.exec(text.slice(-200))?.[1] ?? 0);
  return {
    type: 'result',
    from,
    call: callId(call),
    error: data['success'] === false || code !== 0,
    parts: [{ type: 'text', text }, ...images],
  };
}

/**
 * Returns the move of a compaction. The summary stands for all events before the start of the compaction. Events between
 * the start and the end stay in the history.
 */
export function compactionMove({ data }: CopilotEvent, from: From): ImportedMove {
  return {
    type: 'compaction',
    from,
    summary: [textOf(data['summaryContent']) ?? '', textOf(data['activeWorkflowSummary']) ?? ''].join('\n\n').trim(),
    trigger: nameOf(data['trigger']) ?? 'recorded',
    ...defined({ before: countOf(data['preCompactionTokens']) }),
  };
}

/** Returns the token counts of the call that wrote a summary. Older versions use other names. */
export function compactionCounts({ data }: CopilotEvent): JsonObject | undefined {
  const used = objectOf(data['compactionTokensUsed']);
  const input = countOf(used['inputTokens']) ?? countOf(used['input']);
  if (input === undefined || input === 0) return undefined;
  return {
    ...used,
    inputTokens: input,
    outputTokens: used['outputTokens'] ?? used['output'],
    cacheReadTokens: used['cacheReadTokens'] ?? used['cachedInput'],
  };
}
