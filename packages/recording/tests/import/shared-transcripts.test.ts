// Tests with the recorded sessions in the `shared/transcripts` folder next to the repository. Without that folder the
// tests print a message and are skipped.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryStore } from '@tidemark/store-memory';
import type { Recorded } from '@tidemark/log';
import { describe, expect, it } from 'vitest';
import { importInto } from '../../src/import/import-into.ts';
import type { Imported } from '../../src/import/import-into.ts';
import { collect, fold, pick } from './import-rows.ts';

const folder = join(import.meta.dirname, '../../../../../shared/transcripts');
const there = existsSync(folder);
if (!there) console.warn('skipped: no ../shared/transcripts beside the repository');

async function importShared(name: string): Promise<{ imported: Imported; events: readonly Recorded[] }> {
  const store = createMemoryStore();
  const imported = await importInto(store, join(folder, name));
  return { imported, events: await collect(store.read(imported.session)) };
}

describe.skipIf(!there)('a recorded session of', () => {
  it('pi keeps its 439 calls with usage, and opens an epoch only for a setting that applied to an answer', async () => {
    const { imported, events } = await importShared('pi-coding-session-sonnet.jsonl');
    expect(imported).toMatchObject({ format: 'pi-1', calls: 439, lines: 1019, skipped: [] });
    expect(pick(events, 'epoch.opened').map(({ data }) => data.parameters['reasoning'])).toEqual([
      'off',
      'low',
      'off',
      'high',
      'minimal',
      'off',
    ]);
    expect(pick(events, 'tool.abandoned')).toEqual([]);
    expect(fold(events).problems.length).toBe(0);
  });

  it('Claude Code keeps its 152 calls and its compaction', async () => {
    const { imported, events } = await importShared('claude-code-session-opus.jsonl');
    expect(imported).toMatchObject({ format: 'claude-code', calls: 152, lines: 1863, skipped: [] });
    expect(imported.sessions).toHaveLength(1);
    expect(pick(events, 'answer.received')).toHaveLength(152);
    expect(pick(events, 'notification.received')).toHaveLength(2);
    expect(pick(events, 'prompt.given').map(({ data }) => data.parts)).toMatchObject([
      [{ text: 'Implement spotter-gqc' }],
      [{ text: '[Request interrupted by user for tool use]' }],
      [{ text: 'did you push?' }],
    ]);
    expect(pick(events, 'tool.returned').length + pick(events, 'tool.failed').length).toBe(186);
    expect(pick(events, 'epoch.opened').map(({ data }) => data.cause)).toEqual(['initial', 'compaction']);
    expect(pick(events, 'foreign.recorded').filter(({ data }) => data.reason !== undefined)).toEqual([]);
    expect(fold(events).problems.length).toBe(0);
  });

  it('a subagent of Claude Code becomes one session', async () => {
    const { imported, events } = await importShared('claude-code-subagent-sonnet.jsonl');
    expect(imported).toMatchObject({ format: 'claude-code', calls: 3, lines: 10, sessions: [imported.session] });
    expect(fold(events).problems.length).toBe(0);
  });
});
