// Tests the causes of notes that `ask-sources.test.ts` does not test.

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

describe('`askSources`', () => {
  test('repeats a dropped note in full, even if a later note reported a change to it', async () => {
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

  test('records the cause `switched` if the state belongs to a different thing', async () => {
    const small = await begin();
    const branch = source('branch', 'main at 1', { isAnother: (was, now) => was.split(' ')[0] !== now.split(' ')[0] });
    const { work } = asked(small, [branch]);
    for (const state of ['main at 1', 'main at 2', 'other at 2']) {
      branch.state = state;
      await askSources(work);
    }
    expect((await noted(small)).map(({ cause }) => cause)).toEqual(['initial', 'changed', 'switched']);
  });

  test('withdraws a note once if its source has nothing to report any more', async () => {
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
    expect((await noted(small))[1]?.body).toContain('no longer apply');
  });

  test('repeats a requested note once, even if its state did not change', async () => {
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
