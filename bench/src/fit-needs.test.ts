import { commit, createSession } from '@tidemark/agent';
import type { AnswerPart, CallId, Event } from '@tidemark/log';
import { callId, sessionId, timestamp } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { expect, test } from 'vitest';

import type { Needs } from './fit-needs.ts';
import { addNeeds, chanceOf, needsOf } from './fit-needs.ts';

const at = timestamp('2026-11-22T12:00:00.000Z');
const LONG = 'word '.repeat(400);

/**
 * Counts the needs in a made-up session. A pair of a tool and its input adds a call with a long result. A number starts
 * that many turns.
 */
async function needsIn(...steps: readonly (readonly [tool: string, input: object] | number)[]): Promise<Needs> {
  const store = createMemoryStore();
  const id = sessionId('made');
  const session = await createSession(store, id);
  const created: Event = { kind: 'session.created', at, data: { id, root: id, workspace: '/w' } };
  await commit(session, [created, ...steps.flatMap(eventsOf)]);
  const needs = await needsOf(store.read(id));
  await session.writer.close();
  return needs;
}

function eventsOf(step: readonly [tool: string, input: object] | number, index: number): readonly Event[] {
  if (typeof step === 'number')
    return Array.from({ length: step }, () => ({ kind: 'turn.started', at, data: { trigger: 'user' } }));
  const [name, input] = step;
  const call = callId(`c${index}`);
  const parts: readonly AnswerPart<CallId>[] = [{ type: 'call', call, name, arguments: JSON.stringify(input) }];
  const fields = { step: index, stream: 'main', provider: 'p', model: 'm', stop: 'calls', truncated: 'no' } as const;
  return [
    { kind: 'answer.received', at, data: { ...fields, parts, usage: {} } },
    { kind: 'tool.returned', at, data: { call, parts: [{ type: 'text', text: LONG }] } },
  ];
}

test('a result counts as needed only if a later input names its file after the result became prunable', async () => {
  const read = ['read', { path: 'src/a.ts' }] as const;
  const edit = ['edit', { path: 'src/a.ts', old: 'x' }] as const;
  expect((await needsIn(read, edit)).changed).toEqual({ seen: 1, needed: 0 });
  expect((await needsIn(read, edit, edit)).changed).toEqual({ seen: 1, needed: 1 });
  // The second read supersedes the first, so the edit refers to the second one.
  expect((await needsIn(read, read, edit)).repeated).toEqual({ seen: 1, needed: 0 });
});

test('a result that nothing used for two turns counts once, even if it is used again and becomes old again', async () => {
  const read = ['read', { path: '/w/src/a.ts' }] as const;
  const look = ['bash', { command: 'cat src/a.ts' }] as const;
  expect((await needsIn(read, 2)).unused).toEqual({ seen: 0, needed: 0 });
  expect((await needsIn(read, 2, ['bash', { command: 'ls' }])).unused).toEqual({ seen: 1, needed: 0 });
  expect((await needsIn(read, 2, ['bash', { command: 'ls' }], look, 2, ['bash', { command: 'pwd' }])).unused).toEqual({
    seen: 3,
    needed: 1,
  });
});

test('`chanceOf` adds one result of each outcome, and `addNeeds` sums the sessions', async () => {
  const one: Needs = await needsIn(['read', { path: 'a.ts' }], ['read', { path: 'a.ts' }]);
  expect(chanceOf(one.repeated)).toBe(1 / 3);
  expect(addNeeds([one, one]).repeated).toEqual({ seen: 2, needed: 0 });
  expect(chanceOf({ seen: 0, needed: 0 })).toBe(0.5);
});
