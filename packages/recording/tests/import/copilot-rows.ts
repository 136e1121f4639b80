// Functions that build events of the Copilot CLI for tests, and the paths of the fixtures that the real client made.

import { readFileSync } from 'node:fs';

import { moment } from './pi-rows.ts';

let second = 0;

/** Returns an event. Each call makes an event one second later than the previous one. */
export function event(type: string, data: object, agentId?: string): object {
  second += 1;
  const id = `event-${second}`;
  return { type, data, id, timestamp: moment(second), parentId: null, ...(agentId === undefined ? {} : { agentId }) };
}

export function start(fields: object = {}): object {
  const context = { cwd: '/work' };
  return event('session.start', {
    sessionId: '01a2aaaa-0000',
    version: 1,
    copilotVersion: '1.0.102',
    context,
    ...fields,
  });
}

export function user(text: string, fields: object = {}, agent?: string): object {
  return event('user.message', { content: text, ...fields }, agent);
}

export function turn(agent?: string): object {
  return event('assistant.turn_start', { turnId: '0' }, agent);
}

/** Token counts of a call, as the client writes them. */
export function counted(response: string, fields: object = {}, agent?: string): object {
  const usage = {
    model: 'claude-sonnet-4-5',
    inputTokens: 100,
    outputTokens: 10,
    cacheReadTokens: 60,
    cacheWriteTokens: 30,
    reasoningTokens: 4,
    isByok: true,
    modelProvider: 'anthropic',
    providerType: 'anthropic',
    apiEndpoint: '/v1/messages',
    cacheDetailsReported: true,
    finishReason: 'stop',
  };
  return event('session.usage_record', { usage: { ...usage, apiCallId: response, ...fields } }, agent);
}

export function says(response: string | undefined, content: string, fields: object = {}, agent?: string): object {
  const id = response === undefined ? {} : { apiCallId: response };
  return event('assistant.message', { content, toolRequests: [], ...id, ...fields }, agent);
}

export function calls(...ids: readonly string[]): object {
  const toolRequests = ids.map((toolCallId) => ({ toolCallId, name: 'bash', arguments: { command: 'ls' } }));
  return { toolRequests };
}

export function returns(call: string, fields: object = {}, agent?: string): object {
  return event(
    'tool.execution_complete',
    { toolCallId: call, success: true, result: { content: `of ${call}` }, ...fields },
    agent,
  );
}

const FIXTURES = new URL('../../fixtures/copilot/', import.meta.url);

/** Names of the fixtures. */
export const SESSIONS = ['main', 'fork', 'command-line', 'responses', 'copilot-1.0.24', 'copilot-1.0.60'] as const;

/** Returns the path of a fixture. */
export function sessionPath(name: (typeof SESSIONS)[number]): string {
  return new URL(`${name}.jsonl`, FIXTURES).pathname;
}

/** Returns the lines of a fixture. */
export function sessionLines(name: (typeof SESSIONS)[number]): readonly string[] {
  return readFileSync(sessionPath(name), 'utf8').trimEnd().split('\n');
}
