// Functions that build records of the Codex CLI for tests, and the paths of the fixtures that the real client made.

import { readFileSync } from 'node:fs';

import type { ImportedRows } from './import-rows.ts';
import { pick } from './import-rows.ts';
import { moment } from './pi-rows.ts';

let second = 0;

/** Returns a record. Each call makes a record one second later than the previous one. */
export function line(type: string, payload: object): object {
  second += 1;
  return { timestamp: moment(second), type, payload };
}

export function meta(fields: object = {}): object {
  return line('session_meta', { id: '01a2aaaa-0000', cwd: '/work', model_provider: 'openai', ...fields });
}

export function context(model: string, effort?: string): object {
  return line('turn_context', { cwd: '/work', model, ...(effort === undefined ? {} : { effort }) });
}

export function item(type: string, fields: object): object {
  return line('response_item', { type, ...fields });
}

export function user(text: string): object {
  return item('message', { role: 'user', content: [{ type: 'input_text', text }] });
}

export function says(text: string): object {
  return item('message', { role: 'assistant', content: [{ type: 'output_text', text }] });
}

export function thinks(text: string): object {
  return item('reasoning', { summary: [{ type: 'summary_text', text }], encrypted_content: `sealed ${text}` });
}

export function calls(id: string, fields: object = {}): object {
  return item('function_call', { name: 'shell', arguments: '{"command":["ls"]}', call_id: id, ...fields });
}

export function returns(id: string, output: unknown = `output of ${id}`): object {
  return item('function_call_output', { call_id: id, output });
}

export function event(type: string, fields: object = {}): object {
  return line('event_msg', { type, ...fields });
}

/** Token counts of a call, in the form of the client. */
export function counts(input: number, cached: number, output = 10, written?: number): object {
  const more = written === undefined ? {} : { cache_write_input_tokens: written };
  return {
    input_tokens: input,
    cached_input_tokens: cached,
    output_tokens: output,
    reasoning_output_tokens: 4,
    total_tokens: input + output,
    ...more,
  };
}

/** Returns a `token_count` event. `total` is the running total of the input. */
export function counted(total: number, last: object): object {
  return event('token_count', { info: { total_token_usage: { input_tokens: total }, last_token_usage: last } });
}

export function recorded(response: string, usage: object): object {
  return line('token_usage_record', { response_id: response, usage });
}

const FIXTURES = new URL('../../fixtures/codex/', import.meta.url);

/** Names of the fixtures. */
export const ROLLOUTS = [
  'main',
  'fork',
  'subagent',
  'switched',
  'switched-reverted',
  'codex-0.20.0',
  'codex-0.47.0',
  'codex-0.98.0',
] as const;

/** Returns the path of a fixture. */
export function rolloutPath(name: (typeof ROLLOUTS)[number]): string {
  return new URL(`${name}.jsonl`, FIXTURES).pathname;
}

/** Returns the lines of a fixture. */
export function rollout(name: (typeof ROLLOUTS)[number]): readonly string[] {
  return readFileSync(rolloutPath(name), 'utf8').trimEnd().split('\n');
}

/** Reason with which the record of a compaction is kept. */
export const NOT_TEXT = 'a compaction with items that are not text';

/** Returns the types of the parts and the input tokens of each answer. */
export function answers({
  events,
}: Pick<ImportedRows, 'events'>): readonly (readonly [types: string, input: unknown])[] {
  return pick(events, 'answer.received').map(({ data: { parts, usage } }) => {
    const written = (usage.writes ?? []).reduce((sum, { tokens }) => sum + tokens, usage.written ?? 0);
    const sum = usage.fresh === undefined ? undefined : usage.fresh + (usage.read ?? 0) + written;
    return [parts.map(({ type }) => type).join(' '), usage.input ?? sum];
  });
}
