// Tests that `write` refuses to replace a file whose content the model no longer has in its context, or never had whole.
// The agent, its tools, compactions and the log are real; the model is a list of calls.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentSession } from '@tidemark/kit';
import { createAgent } from '@tidemark/kit';
import { callId } from '@tidemark/log';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, onTestFinished, test } from 'vitest';

type Input = Readonly<Record<string, unknown>>;

interface Work {
  readonly folder: string;
  /** Runs one call in a turn of its own, and returns its result. */
  call(name: string, input: Input): Promise<string>;
  /** Runs several calls of one answer, and returns their results. */
  calls(...list: readonly (readonly [name: string, input: Input])[]): Promise<readonly string[]>;
  readonly session: AgentSession;
  /** Opens the session again in a new agent, as after a restart. */
  reopen(): Promise<Work>;
  content(): string;
}

async function openWork(content = 'one\ntwo\nthree\n'): Promise<Work> {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-known-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'a.txt'), content);
  return workIn(folder, createMemoryStore());
}

async function workIn(folder: string, store: ReturnType<typeof createMemoryStore>, id?: string): Promise<Work> {
  const answers: ScriptedAnswer[] = [];
  let count = 0;
  const provider = createScriptedProvider({
    respond: () => answers.shift() ?? { parts: [{ type: 'text', text: 'Done.' }] },
  });
  const agent = createAgent({
    model: 'claude-sonnet-5-5',
    provider,
    store,
    workspace: folder,
    permissions: { mode: 'auto' },
    compaction: { when: 'manual', by: 'deterministic', budgets: { tail: 1 } },
  });
  onTestFinished(() => agent.close());
  const session = await agent.open(id);
  const calls: Work['calls'] = async (...list) => {
    const parts = list.map(([name, input]) => ({
      type: 'call' as const,
      call: callId(`call_${Date.now()}_${(count += 1)}`),
      name,
      arguments: JSON.stringify(input),
    }));
    answers.push({ parts });
    await session.prompt(`Call ${list.map(([name]) => name).join(', ')}.`);
    const records = await Array.fromAsync(store.read(session.id));
    return parts.map(({ call }) =>
      records
        .flatMap((record) =>
          (record.kind === 'tool.returned' || record.kind === 'tool.failed') && record.data.call === call
            ? record.data.parts
            : [],
        )
        .map((part) => (part.type === 'text' ? part.text : ''))
        .join(''),
    );
  };
  return {
    folder,
    session,
    calls,
    call: async (name, input) => (await calls([name, input]))[0] ?? '',
    async reopen() {
      await agent.close();
      return workIn(folder, store, session.id);
    },
    content: () => readFileSync(join(folder, 'a.txt'), 'utf8'),
  };
}

const write = ['write', { path: 'a.txt', content: 'new\n' }] as const;
const REFUSED = 'a.txt was not replaced: its content is no longer in your context; nothing was written.';

/** Fills the history, and compacts it so that the earlier turns are dropped. */
async function compact({ call, session, folder }: Work): Promise<void> {
  for (let at = 0; at < 6; at += 1) {
    writeFileSync(join(folder, `other-${at}.txt`), `other words ${at}\n`.repeat(400));
    await call('read', { path: `other-${at}.txt` });
  }
  expect(await session.compact()).toMatchObject({ outcome: 'compacted' });
}

describe('`write` replaces a file', () => {
  test('that was read whole, written or edited in calls that are still in the context', async () => {
    const work = await openWork();
    await work.call('read', { path: 'a.txt' });
    expect(await work.call(...write)).toContain('wrote a.txt');
    expect(await work.call('write', { path: 'a.txt', content: 'one\n' })).toContain('wrote a.txt');
    await work.call('edit', { path: 'a.txt', old_text: 'one', new_text: '1' });
    expect(await work.call(...write)).toContain('wrote a.txt');
  });

  test('that was read in pages, in any order', async () => {
    const work = await openWork();
    await work.call('read', { path: 'a.txt', offset: 3 });
    expect(await work.call(...write)).toContain('a.txt was not replaced: you have read only a part of it');
    await work.call('read', { path: 'a.txt', limit: 2 });
    expect(await work.call(...write)).toContain('wrote a.txt');
  });

  test('that was read in the same answer', async () => {
    const work = await openWork();
    const [, written] = await work.calls(['read', { path: 'a.txt' }], write);
    expect(written).toContain('wrote a.txt');
  });

  test('that it created, after the session was opened again', async () => {
    const work = await openWork();
    await work.call('write', { path: 'b.txt', content: 'b\n' });
    const again = await work.reopen();
    expect(await again.call('write', { path: 'b.txt', content: 'c\n' })).toContain('wrote b.txt');
  });

  test('that is empty, or that already has the same content, without knowing it', async () => {
    const work = await openWork('');
    await work.call('read', { path: 'a.txt', limit: 1 });
    expect(await work.call(...write)).toContain('wrote a.txt');
    await compact(work);
    expect(await work.call(...write)).toContain('already has exactly this content');
  });
});

describe('`write` refuses to replace a file', () => {
  test('whose content a compaction dropped, until it is read again', async () => {
    const work = await openWork();
    await work.call('read', { path: 'a.txt' });
    await compact(work);
    expect(await work.call(...write)).toContain(REFUSED);
    expect(work.content()).toBe('one\ntwo\nthree\n');
    expect(await work.call('edit', { path: 'a.txt', old_text: 'one', new_text: '1' })).toContain('edited a.txt');
    expect(await work.call(...write)).toContain(REFUSED);
    await work.call('read', { path: 'a.txt' });
    expect(await work.call(...write)).toContain('wrote a.txt');
  });

  test('that it wrote itself in a call that a compaction dropped, also after the session was opened again', async () => {
    const work = await openWork();
    await work.call('read', { path: 'a.txt' });
    await work.call('write', { path: 'a.txt', content: 'mine\n' });
    await compact(work);
    const again = await work.reopen();
    expect(await again.call(...write)).toContain(REFUSED);
  });

  test('of which it was shown only a picture or the text of a PDF', async () => {
    const pdf = readFileSync(new URL('../../apps/cli/tests/fixtures/specification.pdf', import.meta.url));
    const work = await openWork();
    writeFileSync(join(work.folder, 'a.txt'), pdf);
    expect(await work.call('read', { path: 'a.txt' })).toContain('[page 1 of');
    expect(await work.call(...write)).toContain('not its bytes; nothing was written. Write to another path');
    expect(readFileSync(join(work.folder, 'a.txt')).equals(pdf)).toBe(true);
  });

  test('of which it saw only the changes of its own edits', async () => {
    const work = await openWork();
    await work.call('edit', { path: 'a.txt', old_text: 'one', new_text: '1' });
    expect(await work.call(...write)).toContain('a.txt was not replaced: you have read only a part of it');
  });
});
