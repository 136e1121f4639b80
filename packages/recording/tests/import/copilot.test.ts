// Tests the import of sessions that the real Copilot CLI made (`../make-copilot.ts`).

import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, test } from 'vitest';
import { importInto } from '../../src/import/import-into.ts';
import { SESSIONS, sessionLines, sessionPath } from './copilot-rows.ts';
import type { ImportedRows } from './import-rows.ts';
import { importRows, only, packed, pick } from './import-rows.ts';

const SONNET = 'claude-sonnet-4-5';
const OPUS = 'claude-opus-4-5';

describe('a session that the real client made', () => {
  test.each([
    ['main', 10],
    ['fork', 8],
    ['command-line', 8],
    ['responses', 2],
    ['copilot-1.0.24', 5],
    ['copilot-1.0.60', 5],
  ] as const)(
    '%s is imported as `copilot` with %d counted calls, and a second import adds nothing',
    async (name, calls) => {
      const store = createMemoryStore();
      const first = await importInto(store, sessionPath(name));
      expect([first.format, first.calls, first.skipped]).toEqual(['copilot', calls, []]);
      expect((await importInto(store, sessionPath(name))).added).toBe(0);
    },
  );

  test.each(['main', 'fork', 'command-line', 'responses'] as const)(
    'has in %s the tokens that the client counted',
    async (name) => {
      expect(sumOf(await importRows(sessionLines(name)))).toBe(countedInput(sessionLines(name)));
    },
  );

  test.each(SESSIONS)('has each event of %s in the log', async (name) => {
    const lines = sessionLines(name);
    const { imported, of } = await importRows(lines);
    const all = imported.sessions.flatMap((_, index) => of(index));
    const kept = new Set(pick(all, 'foreign.recorded').map(({ data }) => data.line));
    const others = lines.flatMap((text, index) => (kept.has(index + 1) ? [] : [typeOf(text)]));
    const count = (type: string): number => others.filter((one) => one === type).length;
    expect(count('user.message')).toBeLessThanOrEqual(pick(all, 'prompt.given').length);
    expect(count('assistant.message')).toBeLessThanOrEqual(pick(all, 'answer.received').length);
    expect(count('tool.execution_complete')).toBe(pick(all, 'tool.returned').length + pick(all, 'tool.failed').length);
    const rest = others.filter((type) => !READ.has(type));
    expect(rest).toEqual([]);
  });

  test('has the effort, the image, the failed call, the interrupted turn and the compaction of `main`', async () => {
    const { events } = await importRows(sessionLines('main'));
    expect(only(events, 'reasoning.changed')).toMatchObject({ setting: 'low' });
    expect(pick(events, 'prompt.given').flatMap(({ data }) => data.parts.map(({ type }) => type))).toContain('image');
    expect(only(events, 'answer.failed')).toMatchObject({ class: 'refused', code: 'provider/invalid' });
    expect(only(events, 'answer.interrupted')).toMatchObject({ by: 'user', parts: [] });
    expect(pick(events, 'turn.ended').map(({ data }) => data.outcome)).toContain('interrupted');
    expect(only(events, 'history.compacted').checkpoint).toBe('SUMMARY: the shop opens at noon.');
    expect(packed(events)).not.toContain('user: Read note.txt.');
    expect(packed(events).at(-1)).toBe('assistant: It is done.');
    expect(pick(events, 'answer.received').map(({ data }) => data.model)).toEqual([
      ...Array.from({ length: 5 }, () => SONNET),
      ...Array.from({ length: 4 }, () => OPUS),
    ]);
  });

  test('has the disjoint token counts and the lifetime of the first call of `main`', async () => {
    const { events } = await importRows(sessionLines('main'));
    const [first, second] = pick(events, 'answer.received').map(({ data }) => data.usage);
    expect(first).toMatchObject({ fresh: 0, read: 0, writes: [{ ttl: '5m' }] });
    expect(second?.read).toBe(first?.writes?.[0]?.tokens);
  });

  test('pairs the parallel calls of each version with their results', async () => {
    for (const name of ['main', 'responses', 'copilot-1.0.24', 'copilot-1.0.60'] as const) {
      const { events } = await importRows(sessionLines(name));
      const [first] = pick(events, 'answer.received');
      const asked = first?.data.parts.flatMap((part) => (part.type === 'call' ? [part.call] : []));
      expect(asked).toHaveLength(2);
      expect([pick(events, 'tool.returned')[0]?.data.call, pick(events, 'tool.failed')[0]?.data.call]).toEqual(asked);
    }
  });

  test.each([
    ['main', 'count-words'],
    ['command-line', 'count-words'],
    ['copilot-1.0.24', 'Explore Agent'],
    ['copilot-1.0.60', 'Explore Agent'],
  ] as const)('has in %s a subagent with its title, its task and its prompt', async (name, title) => {
    const { imported, events, of } = await importRows(sessionLines(name));
    const child = imported.sessions.findIndex((session) => session !== imported.session);
    expect(only(of(child), 'session.created')).toMatchObject({ title, root: imported.session });
    const asked = pick(events, 'answer.received').flatMap(({ data }) => data.parts);
    const { startedBy } = only(of(child), 'session.created');
    expect(startedBy).toMatchObject({ session: imported.session, depth: 1 });
    expect(asked).toContainEqual(expect.objectContaining({ type: 'call', name: 'task', call: startedBy?.call }));
    expect(only(events, 'session.created').title).not.toBe(title);
    expect(only(events, 'subagent.started')).toMatchObject({ task: 'Count the words of note.txt.' });
    expect(only(of(child), 'prompt.given').parts).toEqual([{ type: 'text', text: 'Count the words of note.txt.' }]);
    expect(only(of(child), 'answer.received').parts).toContainEqual({ type: 'text', text: 'It is done.' });
  });

  test('has in `command-line` the skill, the failed command and the notification of the subagent', async () => {
    const { events } = await importRows(sessionLines('command-line'));
    const notes = pick(events, 'context.noted').map(({ data }) => data.body);
    expect(notes).toContainEqual(
      expect.stringMatching(/^<skill-context name="counting">[^]*Count the words\.[^]*<\/skill-context>$/),
    );
    expect(only(events, 'tool.failed').parts).toEqual([
      { type: 'text', text: expect.stringContaining('completed with exit code 3>') },
    ]);
    expect(only(events, 'notification.received')).toMatchObject({ source: 'copilot', provenance: 'agent_idle' });
  });

  test('has in `responses` the sealed reasoning of the provider and no written tokens', async () => {
    const { events } = await importRows(sessionLines('responses'));
    const [first, last] = pick(events, 'answer.received').map(({ data }) => data);
    expect(first).toMatchObject({ provider: 'openai', stop: 'calls', usage: { read: 0, writes: [] } });
    const [reasoning] = last?.parts ?? [];
    expect(reasoning).toMatchObject({ type: 'reasoning', text: 'I think about the shop.' });
    expect(reasoning).toHaveProperty('opaque', expect.stringContaining('"encrypted_content"'));
  });

  test('of an older version has the output tokens and no input', async () => {
    const { events } = await importRows(sessionLines('copilot-1.0.60'));
    for (const { data } of pick(events, 'answer.received')) expect(Object.keys(data.usage)).toEqual(['answer']);
  });

  test('that was forked bills the calls before the fork once', async () => {
    const store = createMemoryStore();
    await importRows(sessionLines('main'), store);
    const { events } = await importRows(sessionLines('fork'), store);
    const own = pick(events, 'answer.received').filter(({ data }) => data.billed === undefined);
    expect(own).toHaveLength(1);
    expect(own[0]?.position).toBe(pick(events, 'answer.received').at(-1)?.position);
  });

  test('that was imported at any earlier length has the same calls after it grew', async () => {
    for (const name of ['main', 'command-line'] as const) {
      const lines = sessionLines(name);
      for (let length = 3; length < lines.length; length += 7) {
        const store = createMemoryStore();
        await importRows(lines.slice(0, length), store);
        const grown = await importRows(lines, store);
        expect([name, length, sumOf(grown)]).toEqual([name, length, countedInput(lines)]);
      }
    }
  });
});

/** Events of which the import reads the content. Images are stored, and are in the prompt. */
const READ = new Set([
  'user.message',
  'assistant.message',
  'tool.execution_complete',
  'session.usage_record',
  'system.notification',
  'session.binary_asset',
  'session.compaction_complete',
]);

interface Line {
  readonly type: string;
  readonly data: {
    readonly usage?: { readonly inputTokens: number };
    readonly compactionTokensUsed?: { readonly inputTokens: number };
  };
}

function typeOf(text: string): string {
  const { type }: Line = JSON.parse(text);
  return type;
}

/** Returns the input tokens that the client counted in a file, with those of compactions. */
function countedInput(lines: readonly string[]): number {
  const rows = lines.map((text): Line => JSON.parse(text));
  return rows.reduce(
    (sum, { data }) => sum + (data.usage?.inputTokens ?? 0) + (data.compactionTokensUsed?.inputTokens ?? 0),
    0,
  );
}

function sumOf({ imported, of }: ImportedRows): number {
  const all = imported.sessions.flatMap((_, index) => of(index));
  return pick(all, 'answer.received').reduce((sum, { data: { usage } }) => {
    const written = (usage.writes ?? []).reduce((tokens, write) => tokens + write.tokens, usage.written ?? 0);
    return sum + (usage.input ?? (usage.fresh ?? 0) + (usage.read ?? 0) + written);
  }, 0);
}
