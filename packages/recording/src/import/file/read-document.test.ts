// Tests the lines of a transcript that is one JSON document.

import { expect, test } from 'vitest';
import { readDocument } from './read-document.ts';
import type { FileLine } from './read-lines.ts';

async function linesOf(text: string | Uint8Array, longest?: number): Promise<readonly FileLine[]> {
  const bytes = Buffer.from(text);
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  };
  const lines: FileLine[] = [];
  for await (const some of readDocument(chunks(), longest)) lines.push(...some);
  return lines;
}

const DOCUMENT = { id: 'a', messages: [{ text: 'x": y', list: [{}, { deep: [] }] }, { text: '\n  ],' }], kind: 'main' };
const PRINTED = JSON.stringify(DOCUMENT, null, 2);

test('each message of a printed document is a line with the number of its first line', async () => {
  expect(await linesOf(PRINTED)).toEqual([
    { number: 1, text: '{"id":"a"}' },
    ...DOCUMENT.messages.map((message, index) => ({ number: [4, 13][index], text: JSON.stringify(message) })),
    { number: 17, text: '{"kind":"main"}' },
  ]);
});

test('a document without a list of messages is one line', async () => {
  expect(await linesOf(JSON.stringify({ id: 'a', more: { list: [1, 2] } }, null, 2))).toEqual([
    { number: 1, text: '{"id":"a","more":{"list":[1,2]}}' },
  ]);
});

test('a document without messages, and messages that are not objects, keep their fields', async () => {
  expect(await linesOf(JSON.stringify({ messages: [], id: 'a' }, null, 2))).toEqual([
    { number: 1, text: '{"messages":[],"id":"a"}' },
  ]);
  expect(await linesOf(JSON.stringify({ messages: [1, 'b'] }, null, 2))).toEqual([
    { number: 3, text: '1' },
    { number: 4, text: '"b"' },
  ]);
});

test('records with one line each are not joined', async () => {
  const rows = ['{"a":1}', '{', '  "messages": [', '{"b":2}'];
  expect(await linesOf(rows.join('\n'))).toEqual(rows.map((text, index) => ({ number: index + 1, text })));
});

test('a message above the maximum length is skipped, and the next one is read', async () => {
  const messages = [{ text: 'x'.repeat(100) }, { text: 'y' }];
  expect(await linesOf(JSON.stringify({ messages }, null, 2), 50)).toEqual([
    { number: 3, reason: 'longer than 50 characters (112)' },
    { number: 6, text: '{"text":"y"}' },
  ]);
});

test('a message that is cut off ends before the next one', async () => {
  const torn = PRINTED.replace('\n    },\n    {', '\n    {');
  expect((await linesOf(torn)).map((line) => ('text' in line ? line.text.slice(-8) : line.reason))).toEqual([
    '{"id":"a"}'.slice(-8),
    JSON.stringify(DOCUMENT.messages[0]).slice(0, -1).slice(-8),
    JSON.stringify(DOCUMENT.messages[1]).slice(-8),
    '{"kind":"main"}'.slice(-8),
  ]);
});
