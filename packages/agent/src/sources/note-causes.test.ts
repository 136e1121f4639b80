// Why a note is recorded: each cause that is not in `ask-sources.test.ts`.

import type { ContextNoted } from '@tidemark/log';
import { position } from '@tidemark/log';
import { describe, expect, test } from 'vitest';
import { asked, source } from '../../tests/asking.ts';
import type { Small } from '../../tests/small-session.ts';
import { ID, begin, prompt, second } from '../../tests/small-session.ts';
import { commit } from '../session/session.ts';
import { askSources, wantNote } from './ask-sources.ts';

async function noted({ log }: Pick<Small, 'log'>): Promise<readonly ContextNoted[]> {
  const found: ContextNoted[] = [];
  for await (const record of log.read(ID)) if (record.kind === 'context.noted') found.push(record.data);
  return found;
}

describe('asking the sources', () => {
  test('says again what a compaction dropped, whole, though its last note told of a change behind that', async () => {
    const small = await begin();
    const [memory, other] = [source('memory', 'a', { tellsChanges: true }), source('other', 'a')];
    const { work } = asked(small, [memory, other]);
    await askSources(work);
    await commit(small.session, [prompt('go')]);
    const to = position(small.session.state.length - 1);
    memory.state = other.state = 'b';
    await askSources(work);
    const range = { from: position(0), to };
    const data = { range, strategy: 'deterministic', trigger: 'user', checkpoint: 'so far', limitations: [] } as const;
    await commit(small.session, [{ kind: 'history.compacted', at: second(1), data }]);
    memory.state = 'c';
    await askSources(work);
    await askSources(work);
    const causes = (await noted(small)).map((note) => `${note.source} ${note.revision} ${note.cause}`);
    expect(causes.slice(2)).toEqual(['memory b changed', 'other b changed', 'memory c compacted-away']);
  });

  test('says that it is switched where the state is that of another thing', async () => {
    const small = await begin();
    const branch = source('branch', 'main at 1', { isAnother: (was, now) => was.split(' ')[0] !== now.split(' ')[0] });
    const { work } = asked(small, [branch]);
    for (const state of ['main at 1', 'main at 2', 'other at 2']) {
      branch.state = state;
      await askSources(work);
    }
    expect((await noted(small)).map(({ cause }) => cause)).toEqual(['initial', 'changed', 'switched']);
  });

  test('takes back, once, what a source has nothing to say of any more', async () => {
    const small = await begin();
    const [file, never] = [source('file', 'a'), source('never', undefined)];
    const { work } = asked(small, [file, never]);
    for (const state of ['a', undefined, undefined, 'b']) {
      file.state = state;
      await askSources(work);
    }
    expect((await noted(small)).map(({ cause, revision }) => [cause, revision])).toEqual([
      ['initial', 'a'],
      ['invalidated', 'gone'],
      ['changed', 'b'],
    ]);
    expect((await noted(small))[1]?.body).toContain('no longer holds');
  });

  test('notes anew what somebody asked for, once, whatever its state', async () => {
    const small = await begin();
    const one = source('one', 'a');
    const { work } = asked(small, [one, source('two', 'a')]);
    await askSources(work);
    wantNote(small.session, 'one');
    await askSources(work);
    await askSources(work);
    one.state = 'b';
    wantNote(small.session, 'one');
    await askSources(work);
    const causes = (await noted(small)).map((note) => `${note.source} ${note.revision} ${note.cause}`);
    expect(causes.slice(2)).toEqual(['one a refreshed', 'one b refreshed']);
  });
});
