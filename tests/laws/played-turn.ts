// One turn as all threads play it: three calls, one more, and done. And how a process leaves a session to the next one.

import type { AgentSession, Tool } from '@tidemark/agent';
import { defineTool } from '@tidemark/kit';
import type { Recorded, SessionId } from '@tidemark/log';
import type { AnswerPlan, PlannedAnswer, ReceivedRequest } from '@tidemark/simulator';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Place, StoreName } from './place.ts';
import { newPlace, within } from './place.ts';
import { play } from './played-agent.ts';
import { FULL } from './try-stories.ts';

/** What the user says when the turn is over, whatever came of it. */
export const AGAIN = 'And now?';
/** The answers of the turn. */
export const STEPS: readonly PlannedAnswer[] = [
  {
    thinking: 'I think about what there is to see, and where to look for it.',
    text: 'I look at both, and change one of them.',
    calls: [
      { id: 'call_a', name: 'look', arguments: { at: 'a'.repeat(30) } },
      { id: 'call_b', name: 'look', arguments: { at: 'b' } },
      { id: 'call_c', name: 'change', arguments: { at: 'c' } },
    ],
  },
  { thinking: 'One more.', calls: [{ id: 'call_d', name: 'look', arguments: { at: 'd' } }] },
  { text: 'That is all.' },
];

/** A step further with each call whose result is there, unless the user has said something else. */
export function byStep({ body, lastUserText }: ReceivedRequest): AnswerPlan {
  if (lastUserText.includes(AGAIN)) return { answer: { text: 'I see.' } };
  const held = JSON.stringify(body);
  return { answer: STEPS[held.includes('"call_d"') ? 2 : held.includes('"call_c"') ? 1 : 0] ?? { text: '' } };
}

const at = z.object({ at: z.string() });
/** What a tool does. */
export type Run = Parameters<typeof defineTool<typeof at>>[0]['run'];

/** A tool that looks and one that changes. */
export function toolsThat(look: Run, change: Run = look): readonly Tool[] {
  const made = { description: 'Looks or changes.', input: at };
  return [
    defineTool({ ...made, name: 'look', effect: 'read', run: look }),
    defineTool({ ...made, name: 'change', effect: 'write', run: change }),
  ];
}

/** They answer at once. */
export const quick: readonly Tool[] = toolsThat(({ at: where }) => `seen ${where}`);

/** Both stores, and how far apart the points are that are tried: a file is slower. */
export const STORES: readonly { readonly store: StoreName; readonly stride: number }[] = [
  { store: 'memory', stride: FULL ? 1 : 3 },
  { store: 'ndjson', stride: FULL ? 3 : 14 },
];

/** Tries something in a new place. */
export function onNew<T>(store: StoreName, act: (place: Place) => Promise<T>): Promise<T> {
  return within(newPlace(store), act);
}

/** The user speaks again, and is answered. */
export async function expectAnswered(live: AgentSession): Promise<void> {
  expect(await live.prompt(AGAIN)).toMatchObject({ outcome: 'completed', text: 'I see.' });
}

/** A session as a process left it. */
export interface Left {
  readonly place: Place;
  readonly id: SessionId;
}

/** Plays a whole turn in a place. */
export async function playedWhole(place: Place): Promise<Left & { readonly records: readonly Recorded[] }> {
  await play({ place, tools: quick, answer: byStep }, async ({ live }) => {
    expect(await live.prompt('Go.')).toMatchObject({ outcome: 'completed', text: 'That is all.' });
  });
  return recordsOf(place);
}

/** The one session of a place. */
export async function recordsOf(place: Place): Promise<Left & { readonly records: readonly Recorded[] }> {
  const log = place.open();
  const [found] = (await log.sessions()).sessions;
  if (found === undefined) throw new Error('there is no session');
  return { place, id: found.session, records: await Array.fromAsync(log.read(found.session)) };
}

/** In another place the log ends behind the record at this position. */
export async function cutBehind(place: Place, last: number, act: (left: Left) => Promise<void>): Promise<void> {
  const { id } = await recordsOf(place);
  const bytes = place.bytesOf(id);
  let length = 0;
  for (let line = 0; line <= last; line += 1) length = bytes.indexOf(0x0a, length) + 1;
  await within(place.copyWith(id, bytes.subarray(0, length)), (copy) => act({ place: copy, id }));
}
