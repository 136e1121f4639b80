// Tests the text of an error for which no server can be connected.

import { expect, test } from 'vitest';
import { messageOf } from './server-link.ts';

const refused = new Error('connect ECONNREFUSED 127.0.0.1:1');

test.each<[unknown, string]>([
  [new TypeError('fetch failed', { cause: refused }), 'fetch failed (connect ECONNREFUSED 127.0.0.1:1)'],
  [new Error('failed', { cause: new Error('fetch failed', { cause: refused }) }), `failed (${refused.message})`],
  [
    new TypeError('fetch failed', { cause: Object.assign(new Error(''), { code: 'ECONNREFUSED' }) }),
    'fetch failed (ECONNREFUSED)',
  ],
  [new Error('closed'), 'closed'],
  ['closed', 'closed'],
])('%s is reported with its cause', (error, text) => {
  expect(messageOf(error)).toBe(text);
});
