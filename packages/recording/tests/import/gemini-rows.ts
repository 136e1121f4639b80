// Functions that build records of the Gemini CLI for tests, and the paths of the fixtures that the real client made.

import { globSync, readFileSync } from 'node:fs';

import { moment } from './pi-rows.ts';

let second = 0;

export function geminiHeader(fields: object = {}): object {
  return { sessionId: 'aaaabbbb-0000', projectHash: 'hash', startTime: moment(0), kind: 'main', ...fields };
}

/** Returns a message. Each call makes a message one second later than the previous one. */
export function geminiMessage(id: string, type: string, fields: object): object {
  second += 1;
  return { id, timestamp: moment(second), type, ...fields };
}

export function asks(id: string, text: string): object {
  return geminiMessage(id, 'user', { content: [{ text }] });
}

/** Token counts of an answer, in the form of the client. */
export function tokens(
  input: number,
  cached: number,
  more: Readonly<Record<string, number>> = {},
): Readonly<Record<string, number>> {
  return { input, output: 10, cached, thoughts: 0, tool: 0, total: input + 10, ...more };
}

export function answersWith(id: string, text: string, fields: object = {}): object {
  return geminiMessage(id, 'gemini', {
    content: text,
    thoughts: [],
    tokens: tokens(100, 0),
    model: 'gemini-2.5-pro',
    ...fields,
  });
}

/** Returns a call with its result, as the client records it after the call ended. */
export function toolCall(id: string, fields: object = {}): object {
  const result = [{ functionResponse: { id, name: 'read_file', response: { output: `output of ${id}` } } }];
  return { id, name: 'read_file', args: { path: id }, result, status: 'success', timestamp: moment(500), ...fields };
}

export function changed(fields: object): object {
  return { $set: fields };
}

/** Text of the context that the client adds before the first prompt. */
export const CONTEXT = '<session_context>\n- **Workspace Directories:**\n  - /work\n</session_context>';

const FIXTURES = new URL('../../fixtures/gemini-cli/', import.meta.url);

/** Fixtures with the number of their calls that were counted. */
export const GEMINI_SESSIONS = [
  ['main.jsonl', 5],
  ['compacted.jsonl', 3],
  ['parent.jsonl', 2],
  ['cancelled.jsonl', 2],
  ['gemini-cli-0.20.0.json', 2],
  ['gemini-cli-0.38.2.json', 3],
] as const;

/** Returns the path of a fixture. */
export function geminiPath(name: string): string {
  return new URL(name, FIXTURES).pathname;
}

/** Returns the path of the session of the subagent. Its folder has the id of its parent. */
export function geminiSubagentPath(): string {
  const [path = ''] = globSync('chats/*/*.jsonl', { cwd: FIXTURES.pathname });
  return geminiPath(path);
}

/** Returns the lines of a fixture. */
export function geminiLines(name: string): readonly string[] {
  return readFileSync(geminiPath(name), 'utf8').trimEnd().split('\n');
}
