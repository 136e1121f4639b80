// Makes `recording.jsonl`, the session that `tidemark demo --recorded` replays. The recording is a coding task in pi's
// session format 1. It shows the work of an agent that does not plan its use of the cache. The file is committed. To
// make it again, run `node apps/cli/demo/make-recording.ts`.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { estimateTokens } from '@tidemark/context';

import { TASK } from './task.ts';
import type { Happening } from './task.ts';

/**
 * Size of the agent's system text and tool schemas, in tokens. A recording does not contain these texts, but each total
 * in the recording counts their tokens.
 */
const FRONT_TOKENS = 3_900;
const MODEL = { provider: 'anthropic', model: 'claude-sonnet-5-5' };
const LIFE_MS = 300_000;

interface Recording {
  readonly rows: object[];
  /** Number of rows and size of the context, in tokens, before each prompt. */
  readonly prompts: (readonly [row: number, context: number])[];
  now: number;
  /** Size of the context so far, in tokens. */
  context: number;
  /** Number of tokens in the cache. `usedAt` is the time at which these tokens were last used. */
  cached: number;
  usedAt: number;
  calls: number;
}

function record(happening: Happening, state: Recording): void {
  state.now += happening.after * 1000;
  switch (happening.what) {
    case 'prompt':
      // The agent's system prompt contains a clock. Each prompt therefore changes the front, and nothing is read from
      // the cache.
      state.cached = 0;
      state.prompts.push([state.rows.length, state.context]);
      push(state, { role: 'user', content: [{ type: 'text', text: happening.text }], timestamp: state.now });
      state.context += estimateTokens(happening.text);
      return;
    case 'answer':
      return recordAnswer(happening, state);
    case 'result':
      push(state, {
        role: 'toolResult',
        toolCallId: happening.call,
        toolName: happening.tool,
        content: [{ type: 'text', text: happening.text }],
        isError: false,
        timestamp: state.now,
      });
      state.context += estimateTokens(happening.text);
      return;
    case 'reasoning':
      state.rows.push({ type: 'thinking_level_change', timestamp: time(state.now), thinkingLevel: happening.level });
      state.cached = 0;
      return;
    case 'compaction':
      return compact(happening, state);
  }
}

function recordAnswer(answer: Extract<Happening, { what: 'answer' }>, state: Recording): void {
  const input = state.context;
  const read = state.now - state.usedAt < LIFE_MS ? Math.min(state.cached, input) : 0;
  const output =
    estimateTokens(answer.text) + answer.calls.reduce((sum, call) => sum + estimateTokens(JSON.stringify(call)), 0);
  const startedAt = state.now;
  state.usedAt = startedAt;
  state.now += 1_500 + output * 15;
  state.calls += 1;
  const content = [
    { type: 'text', text: answer.text },
    ...answer.calls.map(({ id, tool, arguments: given }) => ({ type: 'toolCall', id, name: tool, arguments: given })),
  ];
  const usage = { input: 3, output, cacheRead: read, cacheWrite: input - read - 3, totalTokens: input + output };
  const stopReason = answer.calls.length === 0 ? 'stop' : 'toolUse';
  push(state, {
    role: 'assistant',
    content,
    api: 'anthropic-messages',
    ...MODEL,
    usage,
    stopReason,
    timestamp: startedAt,
  });
  state.cached = input;
  state.context += output;
}

/** Records a compaction. In format 1, an index names the first kept entry. The index also counts the header row. */
function compact({ summary, keep }: Extract<Happening, { what: 'compaction' }>, state: Recording): void {
  const [index, before] = state.prompts.at(-keep) ?? [state.rows.length, state.context];
  const kept = state.context - before;
  const row = {
    type: 'compaction',
    timestamp: time(state.now),
    summary,
    firstKeptEntryIndex: index,
    tokensBefore: state.context,
  };
  state.rows.push(row);
  state.context = FRONT_TOKENS + estimateTokens(summary) + kept;
  state.cached = 0;
}

function push(state: Recording, message: object): void {
  state.rows.push({ type: 'message', timestamp: time(state.now), message });
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

const start = Date.UTC(2026, 10, 20, 9, 30);
const state: Recording = { rows: [], prompts: [], now: start, context: FRONT_TOKENS, cached: 0, usedAt: 0, calls: 0 };
state.rows.push({
  type: 'session',
  id: 'demo',
  timestamp: time(start),
  cwd: '/home/user/shop',
  provider: MODEL.provider,
  modelId: MODEL.model,
  thinkingLevel: 'off',
});
for (const happening of TASK) record(happening, state);
writeFileSync(
  join(import.meta.dirname, 'recording.jsonl'),
  `${state.rows.map((row) => JSON.stringify(row)).join('\n')}\n`,
);
process.stdout.write(`${state.calls} calls, ${state.context} tokens at the end\n`);
