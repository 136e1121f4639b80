// The messages of pi, by role.

import type { ContentPart } from '@tidemark/log';
import { callId } from '@tidemark/log';
import { contentParts, plainText } from '../format/content.ts';
import type { JsonObject } from '../file/fields.ts';
import { countOf, isObject, nameOf, textOf } from '../file/fields.ts';
import type { RawRecord } from '../file/read-records.ts';
import type { Keep } from '../format/format.ts';
import type { From, ImportedMove } from '../format/move.ts';
import { piAnswer } from './pi-answer.ts';

/** The moves of a `message` entry. */
export function piMessage(entry: JsonObject, raw: RawRecord, from: From, keep: Keep): readonly ImportedMove[] {
  const message = entry['message'];
  if (!isObject(message)) return [{ type: 'foreign', from, reason: 'a message entry without a message' }];
  switch (message['role']) {
    case 'user':
      return [prompt(message, from, keep)];
    case 'assistant':
      return [piAnswer(message, raw.text, from)];
    case 'toolResult':
      return [result(message, from, keep)];
    case 'bashExecution':
      return [bash(message, from)];
    case 'custom':
    case 'hookMessage':
      return [piCustom(message, from, keep)];
    case 'branchSummary':
      return [piBranchSummary(message, from)];
    case 'compactionSummary':
      return [piCompaction(message, from)];
    default:
      return [{ type: 'foreign', from, reason: `a message of the role ${JSON.stringify(message['role'] ?? null)}` }];
  }
}

/** Text that an extension put into the context; with an image it can only be a prompt. */
export function piCustom(fields: JsonObject, from: From, keep: Keep): ImportedMove {
  const source = nameOf(fields['customType']) ?? 'custom';
  const parts = contentParts(fields['content'], keep);
  const body = plainText(parts);
  if (body !== undefined) return { type: 'note', from, source, body };
  return { type: 'prompt', from, parts, presenter: source, trigger: 'user' };
}

/** The summary of a branch that was left. */
export function piBranchSummary(fields: JsonObject, from: From): ImportedMove {
  const text = nameOf(fields['summary']);
  return text === undefined ? { type: 'foreign', from, reason: 'an empty summary' } : { type: 'branch', from, text };
}

/** A summary in the place of history. */
export function piCompaction(fields: JsonObject, from: From): ImportedMove {
  const summary = textOf(fields['summary']);
  if (summary === undefined) return { type: 'foreign', from, reason: 'a compaction without a summary' };
  const before = countOf(fields['tokensBefore']);
  return { type: 'compaction', from, summary, trigger: 'recorded', ...(before === undefined ? {} : { before }) };
}

function prompt(message: JsonObject, from: From, keep: Keep): ImportedMove {
  if (message['content'] === undefined) return { type: 'foreign', from, reason: 'a user message without content' };
  const parts: readonly ContentPart[] = contentParts(message['content'], keep);
  return { type: 'prompt', from, parts, presenter: 'pi', trigger: 'user' };
}

function result(message: JsonObject, from: From, keep: Keep): ImportedMove {
  const call = nameOf(message['toolCallId']);
  if (call === undefined) return { type: 'foreign', from, reason: 'a tool result that names no call' };
  const error = message['isError'] === true;
  return { type: 'result', from, call: callId(call), error, parts: contentParts(message['content'], keep) };
}

function bash(message: JsonObject, from: From): ImportedMove {
  if (message['excludeFromContext'] === true) return { type: 'foreign', from };
  const command = textOf(message['command']) ?? '';
  const output = textOf(message['output']) ?? '';
  const code = countOf(message['exitCode']);
  const end = message['cancelled'] === true ? '\n(cancelled)' : code === undefined ? '' : `\n(exit code ${code})`;
  return { type: 'note', from, source: 'bash', body: `$ ${command}\n${output}${end}` };
}
