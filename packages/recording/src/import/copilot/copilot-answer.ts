// Builds one answer of the Copilot CLI from its messages and its token counts. A message states the provider's id of the
// answer. An answer can consist of several messages.

import { defined, rawElements, rawMember } from '@tidemark/core';
import type { AnswerPart, CallId, Json, StopReason, Timestamp, Usage } from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { countOf, listOf, nameOf, objectOf, textOf } from '../file/fields.ts';
import { billsWrites } from '../format/bills-writes.ts';
import type { From, ImportedMove } from '../format/move.ts';
import type { CopilotEvent } from './copilot-event.ts';

/** Answer to which more messages may be added. */
export interface CopilotAnswer {
  readonly from: From;
  readonly startedAt: Timestamp | undefined;
  readonly model: string;
  /** Id that the provider gave to the answer. */
  readonly response: string | undefined;
  readonly counts: JsonObject | undefined;
  /** Output tokens that versions without counts state. */
  readonly output: number | undefined;
  readonly parts: AnswerPart<CallId>[];
}

/** Returns the finished answer as a move. */
export function finishedCopilotAnswer(answer: CopilotAnswer): ImportedMove {
  const { from, startedAt, model, response, counts = {}, output, parts } = answer;
  const word = nameOf(counts['finishReason']);
  const stop = stopOf(word, parts);
  return {
    type: 'answer',
    from,
    provider: copilotProvider(counts),
    model: nameOf(counts['model']) ?? model,
    ...defined({ startedAt, response, stopRaw: word }),
    parts,
    stop,
    truncated: word === undefined ? 'unknown' : stop === 'length' ? 'yes' : 'no',
    usage: answer.counts === undefined ? defined({ answer: output }) : copilotUsage(counts, model),
  };
}

const STOPS: ReadonlyMap<string, StopReason> = new Map([
  ['stop', 'end'],
  ['tool_calls', 'calls'],
  ['length', 'length'],
  ['content_filter', 'refusal'],
]);

function stopOf(word: string | undefined, parts: CopilotAnswer['parts']): StopReason {
  if (word === undefined) return parts.some(({ type }) => type === 'call') ? 'calls' : 'end';
  return STOPS.get(word) ?? 'other';
}

/** Provider of the models that the Copilot service serves. */
export const COPILOT_SERVICE = 'github-copilot';

/** Returns the provider of a call: the Copilot service, or the user's own provider. */
export function copilotProvider(counts: JsonObject): string {
  if (counts['isByok'] !== true) return COPILOT_SERVICE;
  const named = nameOf(counts['modelProvider']);
  return named === undefined || named === 'other' ? (nameOf(counts['providerType']) ?? COPILOT_SERVICE) : named;
}

/** Address of Anthropic's Messages API in the token counts. */
const ANTHROPIC = '/v1/messages';

/**
 * Returns the token counts of a call in disjoint buckets. In the counts of the client the input includes read and
 * written tokens, and the output includes reasoning. The client writes 0 written tokens also if the provider reports
 * nothing. So 0 is known only for Anthropic's own API, which always reports it, and for models that do not bill writes.
 */
export function copilotUsage(counts: JsonObject, model: string): Usage {
  const input = countOf(counts['inputTokens']);
  const output = countOf(counts['outputTokens']);
  const reasoning = countOf(counts['reasoningTokens']) ?? 0;
  const isReported = counts['cacheDetailsReported'] !== false;
  const read = isReported ? countOf(counts['cacheReadTokens']) : undefined;
  const written = (isReported ? countOf(counts['cacheWriteTokens']) : undefined) ?? 0;
  const isWriteKnown = written > 0 || counts['apiEndpoint'] === ANTHROPIC || !billsWrites(model);
  const fresh = (input ?? 0) - (read ?? 0) - written;
  const isSorted = input !== undefined && read !== undefined && fresh >= 0 && isWriteKnown;
  return {
    ...(isSorted && { fresh }),
    ...defined({ read }),
    ...(written > 0 ? writesOf(counts, written) : isReported && isWriteKnown && { writes: [] }),
    ...(!isSorted && defined({ input })),
    ...(output !== undefined && { answer: Math.max(output - reasoning, 0) }),
    ...(reasoning > 0 && { reasoning: Math.min(reasoning, output ?? reasoning) }),
  };
}

const LIFETIMES = new Map([
  [300, '5m'],
  [1800, '30m'],
  [3600, '1h'],
  [43_200, '12h'],
] as const);

// The client asks Anthropic's API for no lifetime, so the entries live 5 minutes. Newer versions state other lifetimes.
function writesOf(counts: JsonObject, tokens: number): Pick<Usage, 'writes' | 'written'> {
  const seconds = countOf(counts['cacheTtlSeconds']) ?? (counts['apiEndpoint'] === ANTHROPIC ? 300 : undefined);
  const ttl = [...LIFETIMES].find(([one]) => one === seconds)?.[1];
  return ttl === undefined ? { written: tokens } : { writes: [{ ttl, tokens }] };
}

/** Returns the parts of a message: its reasoning, its text, its calls, and items of tools that the provider runs. */
export function copilotParts(event: CopilotEvent): readonly AnswerPart<CallId>[] {
  const { data } = event;
  const text = textOf(data['content']) ?? '';
  const phase = nameOf(data['phase']);
  const served = data['serverTools'];
  return [
    ...reasoningParts(event),
    ...(text === '' ? [] : [{ type: 'text', text, ...defined({ phase }) } as const]),
    ...callParts(event),
    ...(served === undefined || served === null
      ? []
      : [{ type: 'native', provider: 'copilot', item: JSON.stringify(served), text: '[server tools]' } as const]),
  ];
}

// Newer versions keep the provider's own blocks, and older versions the text with the signature. The first versions
// keep only the text.
function reasoningParts({ data, text }: CopilotEvent): readonly AnswerPart<CallId>[] {
  const thinking = textOf(data['reasoningText']) ?? '';
  const blocks = listOf(objectOf(data['reasoningBlocks'])['blocks']);
  if (blocks.length > 0) {
    const raws = rawElements(rawMember(rawMember(text(), 'reasoningBlocks') ?? '{}', 'blocks') ?? '[]');
    return blocks.map((block, index) => blockPart(objectOf(block), raws[index] ?? JSON.stringify(block)));
  }
  const opaque = sealedItem(data, thinking);
  if (opaque === undefined && thinking === '') return [];
  return [{ type: 'reasoning', ...defined({ opaque }), text: thinking }];
}

function blockPart(block: JsonObject, raw: string): AnswerPart<CallId> {
  const summary = listOf(block['summary']).flatMap((part) => nameOf(objectOf(part)['text']) ?? []);
  const text = textOf(block['thinking']) ?? summary.join('\n\n');
  const { signature, encrypted_content: sealed, data } = block;
  const isSealed = [signature, sealed, data].some((one) => nameOf(one) !== undefined);
  return { type: 'reasoning', ...(isSealed ? { opaque: raw } : {}), text };
}

function sealedItem(data: JsonObject, thinking: string): string | undefined {
  const opaque = nameOf(data['reasoningOpaque']);
  const sealed = nameOf(data['encryptedContent']);
  if (sealed !== undefined) {
    const summary = thinking === '' ? [] : [{ type: 'summary_text', text: thinking }];
    return JSON.stringify({ ...defined({ id: opaque }), type: 'reasoning', summary, encrypted_content: sealed });
  }
  return opaque === undefined ? undefined : JSON.stringify({ type: 'thinking', thinking, signature: opaque });
}

function callParts({ data, text }: CopilotEvent): readonly AnswerPart<CallId>[] {
  const requests = listOf(data['toolRequests']);
  if (requests.length === 0) return [];
  const raws = rawElements(rawMember(text(), 'toolRequests') ?? '[]');
  return requests.map((request, index) => callPart(request, raws[index] ?? JSON.stringify(request)));
}

function callPart(request: Json, raw: string): AnswerPart<CallId> {
  const { toolCallId, name, arguments: given } = objectOf(request);
  const id = nameOf(toolCallId);
  const tool = nameOf(name);
  if (id === undefined || tool === undefined) return { type: 'native', provider: 'copilot', item: raw, text: '[call]' };
  // A call of a tool with a grammar has a text in place of arguments.
  const args = typeof given === 'string' ? JSON.stringify({ input: given }) : rawMember(raw, 'arguments');
  return { type: 'call', call: callId(id), name: tool, arguments: args ?? '{}' };
}
