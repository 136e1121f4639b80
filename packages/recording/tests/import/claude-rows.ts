// Functions that build rows of Claude Code for tests.

import { moment } from './pi-rows.ts';

let second = 0;

/** Returns a row of any type with a parent. Each call makes a row one second later than the previous one. */
export function row(uuid: string, parentUuid: string | null, fields: object): object {
  second += 1;
  const common = {
    isSidechain: false,
    cwd: '/work',
    sessionId: 'ccccdddd-0000',
    version: '2.1.39',
    timestamp: moment(second),
  };
  return { parentUuid, ...common, uuid, ...fields };
}

export function prompt(uuid: string, parent: string | null, content: unknown, fields: object = {}): object {
  return row(uuid, parent, { type: 'user', message: { role: 'user', content }, ...fields });
}

/** Returns one row of an answer. `id` is the id that all rows of the answer share. */
export function answer(uuid: string, parent: string | null, id: string, block: object, fields: object = {}): object {
  const usage = {
    input_tokens: 3,
    cache_creation_input_tokens: 30,
    cache_read_input_tokens: 100,
    cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    output_tokens: 5,
  };
  const message = {
    id,
    role: 'assistant',
    model: 'claude-opus-4-6',
    content: [block],
    stop_reason: null,
    usage,
    ...fields,
  };
  return row(uuid, parent, { type: 'assistant', message });
}

export function say(value: string): object {
  return { type: 'text', text: value };
}

export function use(id: string, input: object = {}): object {
  return { type: 'tool_use', id, name: 'Read', input };
}

export function toolResult(uuid: string, parent: string, call: string, fields: object = {}): object {
  const block = { type: 'tool_result', tool_use_id: call, content: `output of ${call}`, ...fields };
  return row(uuid, parent, { type: 'user', message: { role: 'user', content: [block] } });
}

export function progress(uuid: string, parent: string): object {
  return row(uuid, parent, { type: 'progress', data: { type: 'hook_progress' } });
}
