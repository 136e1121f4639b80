// Tests which redirects are followed.

import { expect, test } from 'vitest';

import { isFollowed } from './follow.ts';

test.each([
  ['http://a.example/', 'https://a.example/', true],
  ['http://a.example/', 'http://a.example:8080/b', true],
  ['https://a.example/', 'https://a.example/b', true],
  ['https://a.example/', 'http://a.example/', false],
  ['https://a.example/', 'https://www.a.example/', false],
  ['https://www.a.example/', 'https://a.example/', false],
  ['https://a.example/', 'https://a.example./', false],
])('a redirect from %s to %s: followed is %s', (from, to, followed) => {
  expect(isFollowed(new URL(from), new URL(to))).toBe(followed);
});
