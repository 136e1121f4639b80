// What of the skills stands before the model: by the log alone, less what compactions took, and what they cut.

import type { Event, HistoryCompacted } from '@tidemark/log';
import { callId, position } from '@tidemark/log';
import { expect, test } from 'vitest';
import { begin, second } from '../../tests/small-session.ts';
import { commit, skillsInContext } from './session.ts';

/** A note that holds a body, or with a number of characters the result of a call that does: two records. */
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

/** Names of what is loaded behind these records; the first of them stands at position 1. */
async function left(...events: readonly (readonly Event[])[]): Promise<readonly string[]> {
  const { session } = await begin();
  for (const each of events) await commit(session, each);
  const { loaded } = skillsInContext(session);
  await session.writer.close();
  return loaded.map(({ name }) => name);
}

test('all that was loaded stands there until a compaction took it', async () => {
  const [old, kept] = [load('old', 900), load('kept', 900)];
  expect(await left(old, kept)).toEqual(['old', 'kept']);
  expect(await left(old, kept, compacted(2), load('later', 900))).toEqual(['kept', 'later']);
});

test('a body in a result that was cut is as good as gone; a note, a short one and what came later are not', async () => {
  const loads = [load('cut', 501), load('short', 500), load('noted')];
  expect(await left(...loads, compacted(0, 500), load('later', 900))).toEqual(['short', 'noted', 'later']);
});

test('what one compaction cut does not come back with the next one, which keeps it as it is', async () => {
  expect(await left(load('cut', 900), load('kept'), compacted(0, 500), compacted(0))).toEqual(['kept']);
});

test('what was loaded again counts once for each body that is there', async () => {
  expect(await left(load('tax', 900), compacted(2), load('tax', 900))).toEqual(['tax']);
});
