// Tests a note that waits for the next prompt while a compaction is recorded. The note is sent exactly one time and is
// not lost.

import { describe, expect, test } from 'vitest';
import type { MadeSource } from '../../tests/asking.ts';
import { source } from '../../tests/asking.ts';
import type { Live } from '../../tests/small-live.ts';
import { answering, calls, goLive, heldBy, says } from '../../tests/small-live.ts';
import { made } from '../../tests/small-work.ts';

const look = made('look', () => ({ text: 'An order. '.repeat(2_000) }));

function notesIn(body: Uint8Array = new Uint8Array()): readonly string[] {
  return heldBy(body).filter((text) => text.startsWith('<context source='));
}

const git = (): MadeSource => source('git', 'one commit', { affectedBy: () => true });

function commits(status: MadeSource): ReturnType<typeof made> {
  return made('commit', () => {
    status.state = 'two commits';
    return { text: 'committed' };
  });
}

describe('a note that waits while a compaction is recorded', () => {
  test('between two turns is sent once, with the next prompt', async () => {
    const status = git();
    const provider = answering(
      calls(['c0', 'look']),
      says('Seen.'),
      calls(['c1', 'commit']),
      says('Committed.'),
      says('Done.'),
    );
    const { live } = await goLive({ provider, runtime: { sources: [status], tools: [look, commits(status)] } });
    await live.prompt('Look.');
    await live.prompt('Commit it.');
    expect(await live.compact({ tailTokens: 0 })).toMatchObject({ outcome: 'compacted' });
    await live.prompt('Go on.');
    expect(notesIn(provider.sent.at(-1)?.body)).toEqual([expect.stringContaining('git is two commits (changed)')]);
  });

  test('during a turn is sent once, with the next step', async () => {
    const status = git();
    const stages: Live[] = [];
    const pack = made('pack', async () => {
      await stages[0]?.live.compact({ tailTokens: 0 });
      return { text: 'packed' };
    });
    const provider = answering(
      calls(['c0', 'look']),
      says('Seen.'),
      calls(['c1', 'commit']),
      calls(['c2', 'pack']),
      says('Done.'),
    );
    const stage = await goLive({ provider, runtime: { sources: [status], tools: [look, commits(status), pack] } });
    stages.push(stage);
    await stage.live.prompt('Look.');
    await stage.live.prompt('Commit it, and pack.');
    expect((await stage.kinds()).filter((kind) => kind === 'history.compacted')).toHaveLength(1);
    const notes = notesIn(provider.sent.at(-1)?.body);
    expect(notes.filter((note) => note.includes('git is two commits'))).toHaveLength(1);
    expect(notes.at(-1)).toContain('The previous note with this revision now applies.');
    expect(notes).toHaveLength(2);
  });
});
