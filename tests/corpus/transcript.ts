// Small transcript in the session format of the agent pi, version 3. The corpus imports this transcript. It contains
// thinking with a signature, tool calls and a compaction.

const START = Date.UTC(2026, 10, 20, 9);

/** Returns the transcript as text, with one JSON value a line. */
export function transcriptLines(): string {
  const rows: readonly object[] = [
    { type: 'session', version: 3, id: 'c0c0c0c0-0001', timestamp: moment(0), cwd: '/work' },
    message('m1', null, 1, { role: 'user', content: [{ type: 'text', text: 'Why does the tide table test fail?' }] }),
    answer('m2', 'm1', 2, [
      { type: 'thinking', thinking: 'Look at the test first.', thinkingSignature: 'c2lnbmVkLTE=' },
      { type: 'toolCall', id: 'toolu_corpus_1', name: 'read', arguments: { path: 'tides.test.ts', '10': 1 } },
      { type: 'toolCall', id: 'toolu_corpus_2', name: 'grep', arguments: { pattern: 'high water' } },
    ]),
    result('m3', 'm2', 3, 'toolu_corpus_1', 'read', 'expect(high).toBe(4.2)', false),
    result('m4', 'm3', 4, 'toolu_corpus_2', 'grep', 'no such pattern', true),
    answer('m5', 'm4', 5, [{ type: 'text', text: 'The gauge rounds down.' }]),
    {
      type: 'compaction',
      id: 'm6',
      parentId: 'm5',
      timestamp: moment(6),
      summary: 'The gauge rounds down.',
      firstKeptEntryId: 'm5',
      tokensBefore: 900,
    },
    message('m7', 'm6', 7, { role: 'user', content: [{ type: 'text', text: 'Mend it.' }] }),
    answer('m8', 'm7', 8, [{ type: 'text', text: 'It rounds to the nearest now.' }]),
  ];
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

function moment(second: number): string {
  return new Date(START + second * 1_000).toISOString();
}

function message(id: string, parentId: string | null, second: number, fields: object): object {
  return {
    type: 'message',
    id,
    parentId,
    timestamp: moment(second),
    message: { timestamp: START + second * 1_000, ...fields },
  };
}

function answer(id: string, parentId: string, second: number, content: readonly object[]): object {
  const usage = { input: 3, output: 5, cacheRead: 100, cacheWrite: 20 };
  const stopReason = content.some((block) => 'arguments' in block) ? 'toolUse' : 'stop';
  const common = { api: 'anthropic-messages', provider: 'anthropic', model: 'claude-opus-4-5', usage, stopReason };
  return message(id, parentId, second, { role: 'assistant', content, ...common });
}

function result(
  id: string,
  parentId: string,
  second: number,
  toolCallId: string,
  toolName: string,
  text: string,
  isError: boolean,
): object {
  return message(id, parentId, second, {
    role: 'toolResult',
    toolCallId,
    toolName,
    content: [{ type: 'text', text }],
    isError,
  });
}
