// Functions that build entries of pi's session files for tests.

const START = Date.UTC(2026, 0, 1);

/** Returns the time that is this number of seconds after the fixed start time of all tests. */
export function moment(second: number): string {
  return new Date(START + second * 1000).toISOString();
}

export function header(version: 1 | 2 | 3, more: object = {}): object {
  const named = version === 1 ? {} : { version };
  return { type: 'session', ...named, id: 'aaaabbbb-0000', timestamp: moment(0), cwd: '/work', ...more };
}

export function entry(id: string, parentId: string | null, fields: object): object {
  return { id, parentId, timestamp: moment(1), ...fields };
}

/** Returns a message entry. `second` sets its time. */
export function message(role: string, fields: object, second = 1): object {
  return { type: 'message', timestamp: moment(second), message: { role, timestamp: START + second * 1000, ...fields } };
}

export function user(words: string, second = 1): object {
  return message('user', { content: [text(words)] }, second);
}

export function assistant(content: readonly object[], fields: object = {}, second = 1): object {
  const usage = { input: 3, output: 5, cacheRead: 100, cacheWrite: 20 };
  const stopReason = content.some((block) => 'arguments' in block) ? 'toolUse' : 'stop';
  const common = { api: 'anthropic-messages', provider: 'anthropic', model: 'claude-sonnet-4-5', usage, stopReason };
  return message('assistant', { content, ...common, ...fields }, second);
}

export function text(value: string): object {
  return { type: 'text', text: value };
}

export function call(id: string, args: object = {}): object {
  return { type: 'toolCall', id, name: 'read', arguments: args };
}

export function result(toolCallId: string, fields: object = {}, second = 1): object {
  const content = [{ type: 'text', text: `output of ${toolCallId}` }];
  return message('toolResult', { toolCallId, toolName: 'read', content, isError: false, ...fields }, second);
}
