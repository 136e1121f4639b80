// Tests `skillsInContext`. It returns the loaded skills from the log, without those that compactions dropped or
// shortened.

import type { Event, HistoryCompacted } from '@tidemark/log';
import { callId, position } from '@tidemark/log';
import { expect, test } from 'vitest';
import { begin, second } from '../../tests/small-session.ts';
import { commit, skillsInContext } from './session.ts';

/**
 * Returns the two records of a loaded skill. With `units` the body is the result of a call with this many characters.
 * Otherwise it is in a note.
 */
function load(name: string, units?: number): readonly Event[] {
  const call = callId(`load_${name}`);
  const data = { name, version: 'v', reason: 'on_demand', tokens: 10, source: 'home' } as const;
  const at = second(1);
  if (units === undefined)
    return [
      { kind: 'context.noted', at, data: { source: `skill:${name}`, revision: 'v', cause: 'initial', body: 'Do it.' } },
      { kind: 'skill.loaded', at, data },
    ];
  return [
    { kind: 'tool.returned', at, data: { call, parts: [{ type: 'text', text: 'x'.repeat(units) }], durationMs: 1 } },
    { kind: 'skill.loaded', at, data: { ...data, call } },
  ];
}

function compacted(to: number, shortens?: number): readonly Event[] {
  const data: HistoryCompacted = {
    range: { from: position(0), to: position(to) },
    strategy: 'deterministic',
    trigger: 'manual',
    checkpoint: 'So far.',
    limitations: [],
    ...(shortens !== undefined && { shortens }),
  };
  return [{ kind: 'history.compacted', at: second(2), data }];
}

/** Returns the names of the loaded skills after these records. The first record is at position 1. */
async function left(...events: readonly (readonly Event[])[]): Promise<readonly string[]> {
  const { session } = await begin();
  for (const each of events) await commit(session, each);
  const { loaded } = skillsInContext(session);
  await session.writer.close();
  return loaded.map(({ name }) => name);
}

test('a loaded skill is in the context until a compaction drops it', async () => {
  const [old, kept] = [load('old', 900), load('kept', 900)];
  expect(await left(old, kept)).toEqual(['old', 'kept']);
  expect(await left(old, kept, compacted(2), load('later', 900))).toEqual(['kept', 'later']);
});

test('a body in a shortened result is no longer in the context, but a body in a note, in a short result or in a later result is', async () => {
  const loads = [load('cut', 501), load('short', 500), load('noted')];
  expect(await left(...loads, compacted(0, 500), load('later', 900))).toEqual(['short', 'noted', 'later']);
});

test('a body that one compaction shortened is still missing after the next compaction', async () => {
  expect(await left(load('cut', 900), load('kept'), compacted(0, 500), compacted(0))).toEqual(['kept']);
});

test('a skill that was loaded again counts once if only one body is left', async () => {
  expect(await left(load('tax', 900), compacted(2), load('tax', 900))).toEqual(['tax']);
});
