// Tests the folders in which the Copilot CLI keeps its sessions.

import { expect, test } from 'vitest';
import { copilotPlaces } from '../../src/import/copilot/copilot-places.ts';

const pathsIn = (environment: Readonly<Record<string, string>>): readonly string[] =>
  copilotPlaces({ userFolder: '/home/a', environment }).map(({ folder }) => folder);

test('the sessions of Copilot are in `session-state` of the home of Copilot', () => {
  expect(pathsIn({})).toEqual(['/home/a/.copilot/session-state']);
  expect(pathsIn({ COPILOT_HOME: '/data/copilot' })).toEqual(['/data/copilot/session-state']);
  expect(pathsIn({ COPILOT_HOME: 'relative' })).toEqual(pathsIn({}));
  expect(pathsIn({ XDG_STATE_HOME: '/state' })).toEqual([...pathsIn({}), '/state/.copilot/session-state']);
});

test('the sessions of Copilot are the files with events and no other file', () => {
  const [place] = copilotPlaces({ userFolder: '/home/a', environment: {} });
  const id = 'ab43d4ed-07da-4728-9552-9c0a445634f6';
  const names = [`${id}/events.jsonl`, `${id}.jsonl`, `${id}/files/notes.jsonl`, `${id}/session.db`, `${id}/x.jsonl`];
  expect(names.filter((one) => place?.files.test(one))).toEqual(names.slice(0, 2));
});
