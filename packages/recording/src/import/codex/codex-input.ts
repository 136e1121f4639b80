// Reads the items that the Codex CLI adds to the history: prompts, context, messages of other agents, results of calls,
// and compactions.

import { defined } from '@tidemark/core';
import type { ContentPart, Json } from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { isList, listOf, nameOf, objectOf, textOf } from '../file/fields.ts';
import type { Keep } from '../format/format.ts';
import { contentParts, plainText } from '../format/format.ts';
import type { From, ImportedMove } from '../format/move.ts';
import type { CodexRecord } from './codex-record.ts';
import { contentText, isPrompt } from './codex-record.ts';

const CODEX = 'codex';

/**
 * Returns the move of a message of the user or of the client. Context with an image becomes a prompt, because a note
 * can contain only text.
 */
export function inputMove(record: CodexRecord, from: From, keep: Keep, trigger: 'user' | 'subagent'): ImportedMove {
  const { payload } = record;
  const parts = codexContent(payload['content'], keep);
  if (isPrompt(record)) return { type: 'prompt', from, parts, presenter: CODEX, trigger };
  const source = payload['role'] === 'user' ? CODEX : (nameOf(payload['role']) ?? CODEX);
  const body = plainText(parts);
  return body === undefined
    ? { type: 'prompt', from, parts, presenter: source, trigger }
    : { type: 'note', from, source, body };
}

/**
 * Returns the move of a message between agents. Some versions write its content as encrypted content, also where it is
 * not encrypted.
 */
export function agentMessage({ payload }: CodexRecord, from: From): ImportedMove {
  const { content } = payload;
  const texts = listOf(content).map((part) => {
    const { text, encrypted_content: sealed } = objectOf(part);
    return textOf(text) ?? textOf(sealed) ?? '';
  });
  const body = textOf(content) ?? texts.join('');
  const provenance = `${nameOf(payload['author']) ?? 'an agent'} to ${nameOf(payload['recipient']) ?? 'an agent'}`;
  return { type: 'notification', from, source: CODEX, provenance, body };
}

/** Returns the move of the result of a call, or a foreign record if the item names no call. */
export function resultMove(record: CodexRecord, from: From, keep: Keep): ImportedMove {
  const { payload, type } = record;
  const call = nameOf(payload['call_id']) ?? nameOf(payload['id']);
  if (call === undefined) return { type: 'foreign', from, reason: 'a tool result that names no call' };
  const output = type === 'tool_search_output' ? JSON.stringify(payload['tools'] ?? []) : payload['output'];
  const { content, success } = objectOf(output);
  const parts = codexContent(isList(output) || typeof output === 'string' ? output : (content ?? output), keep);
  const { code, seconds } = runFacts(parts[0]?.type === 'text' ? parts[0].text : '');
  return {
    type: 'result',
    from,
    call: callId(call),
    error: success === false || (code !== undefined && code !== 0),
    parts,
    ...defined({ durationMs: seconds === undefined ? undefined : Math.round(seconds * 1000) }),
  };
}

interface RunFacts {
  readonly code: number | undefined;
  readonly seconds: number | undefined;
}

const CODE = /^(?:Process exited with code|Exit code:) (-?\d+)$/m;
const SECONDS = /^Wall time: ([\d.]+) seconds$/m;

// Returns the exit code and the duration of a command. Older versions write them as JSON, and newer versions as lines
// before the output.
function runFacts(text: string): RunFacts {
  if (text.startsWith('{"output":')) {
    const { exit_code: code, duration_seconds: seconds } = objectOf(objectOf(parsed(text))['metadata']);
    return { code: numberIn(code), seconds: numberIn(seconds) };
  }
  const head = text.slice(0, 1024).split(/^Output:$/m, 1)[0] ?? '';
  if (!SECONDS.test(head)) return { code: undefined, seconds: undefined };
  return { code: numberIn(CODE.exec(head)?.[1]), seconds: numberIn(SECONDS.exec(head)?.[1]) };
}

function parsed(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return null;
  }
}

function numberIn(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

const IMAGE = /^data:([^;,]+);base64,(.*)$/s;

/** Returns the content of a message or of a result. Images with a data URL are stored by digest. */
function codexContent(content: Json | undefined, keep: Keep): readonly ContentPart[] {
  if (!isList(content)) return contentParts(content === undefined ? [] : asText(content), keep);
  return contentParts(content.map(commonBlock), keep);
}

function asText(content: Json): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

// Returns a block in the form that `contentParts` reads.
function commonBlock(block: Json): Json {
  const fields = objectOf(block);
  const text = textOf(fields['text']);
  if (text !== undefined) return { type: 'text', text };
  const [, mimeType, data] = IMAGE.exec(textOf(fields['image_url']) ?? '') ?? [];
  return mimeType === undefined || data === undefined ? block : { type: 'image', mimeType, data };
}

/**
 * Returns the moves of a compaction. The replacement history stands for all records before it, so its texts are the
 * checkpoint. The record is also kept if it contains more than texts, for example an encrypted summary.
 */
export function compactionMoves({ payload }: CodexRecord, from: From): readonly ImportedMove[] {
  const entries = replacementOf(payload);
  const message = textOf(payload['message']) ?? '';
  const texts = entries.map(replacementText).filter((text) => text !== '');
  const summary = texts.length === 0 ? message : texts.join('\n\n');
  const move = { type: 'compaction', from, summary, trigger: 'recorded' } as const;
  if (entries.every(isTextMessage)) return [move];
  return [move, { type: 'foreign', from, reason: 'a compaction with items that are not text' }];
}

function replacementOf(payload: JsonObject): readonly JsonObject[] {
  const inline = listOf(payload['replacement_history']).map(objectOf);
  if (inline.length > 0) return inline;
  return listOf(payload['replacement_history_entries']).map((entry) => {
    const { item } = objectOf(entry);
    return item === undefined ? objectOf(entry) : objectOf(item);
  });
}

function isTextMessage(item: JsonObject): boolean {
  if (item['type'] !== 'message') return false;
  return listOf(item['content']).every((part) => textOf(objectOf(part)['text']) !== undefined);
}

function replacementText(item: JsonObject): string {
  switch (item['type']) {
    case 'message':
      return contentText(item['content']);
    // The tools are not part of the history.
    case 'additional_tools':
      return '';
    case 'compaction':
    case 'compaction_summary':
    case 'context_compaction':
      return '[encrypted summary]';
    case 'reference':
    case 'reference_v2':
      return `[earlier item ${nameOf(item['item_id']) ?? ''}]`;
    default:
      return JSON.stringify(item);
  }
}
