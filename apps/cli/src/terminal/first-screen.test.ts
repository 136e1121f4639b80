import { expect, test } from 'vitest';

import { render } from '../frame/shown.ts';
import type { FirstScreen } from './first-screen.ts';
import { firstScreen } from './first-screen.ts';

const FACTS: FirstScreen = {
  version: '0.1.0',
  model: 'claude-sonnet-5-5',
  isSimulated: false,
  folder: '/home/ann/shop',
  userFolder: '/home/ann',
  trust: 'trusted',
  isRoot: false,
};

const shown = (facts: Partial<FirstScreen>): readonly string[] =>
  firstScreen({ ...FACTS, ...facts }).map((line) => render(line, false));

test('`firstScreen` names the version, the model, the folder with its trust, and the ways to help', () => {
  expect(shown({})).toEqual(['Tidemark 0.1.0 · claude-sonnet-5-5', '~/shop, trusted', '/ for commands · ? for keys']);
});

test('`firstScreen` has at most four lines of at most 80 columns, with root, a simulator and an untrusted folder', () => {
  const lines = shown({ isRoot: true, isSimulated: true, trust: 'untrusted', userFolder: '/home/an' });
  expect(lines).toEqual([
    'Tidemark 0.1.0 · claude-sonnet-5-5, answers of a simulator',
    '/home/ann/shop, not trusted, so its settings are not used: `tidemark trust`',
    'root: commands can write to every file that no mount covers',
    '/ for commands · ? for keys',
  ]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});
