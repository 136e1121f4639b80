import { expect, test } from 'vitest';
import { outputOf } from './call-result.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('`outputOf` joins text blocks, and marks an error result as failed', () => {
  const content = [
    { type: 'text' as const, text: 'one' },
    { type: 'text' as const, text: 'two' },
  ];
  expect(outputOf({ content, isError: true })).toEqual({ text: 'one\n\ntwo', failed: true });
});

test('the type of an image comes from its bytes and not from its declared type', () => {
  const { images } = outputOf({ content: [{ type: 'image', data: PNG, mimeType: 'image/jpeg' }] });
  expect(images?.map(({ mediaType, data }) => [mediaType, data.length])).toEqual([['image/png', 70]]);
});

test('data that is wrongly declared as an image becomes a text, because no provider would accept it', () => {
  const data = Buffer.from('<svg onload="x()"/>').toString('base64');
  expect(outputOf({ content: [{ type: 'image', data, mimeType: 'image/png' }] })).toEqual({
    text: '[an image, image/png, 19 bytes, cannot be shown]',
  });
});

test('resources and links become text with their address', () => {
  const { text } = outputOf({
    content: [
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inside' } },
      { type: 'resource', resource: { uri: 'file:///a.bin', mimeType: 'application/zip', blob: 'AAAA' } },
      { type: 'resource_link', uri: 'file:///b.txt', name: 'b', description: 'the other' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
    ],
  });
  expect(text?.split('\n\n')).toEqual([
    '[the resource file:///a.txt]\ninside',
    '[the resource file:///a.bin, application/zip, 3 bytes, cannot be shown]',
    '[a link to the resource file:///b.txt (b): the other]',
    '[audio, audio/wav, 3 bytes, cannot be shown]',
  ]);
});

test('structured content that equals a text block is not repeated', () => {
  const structuredContent = { sum: 5 };
  expect(outputOf({ content: [{ type: 'text', text: '{ "sum": 5 }' }], structuredContent }).text).toBe('{ "sum": 5 }');
  expect(outputOf({ content: [{ type: 'text', text: 'five' }], structuredContent }).text).toBe('five\n\n{"sum":5}');
});

test('structured content repeats neither the text of a block nor the base64 of an image', () => {
  const text = { type: 'text' as const, text: 'inside. '.repeat(50) };
  const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
  expect(outputOf({ content: [text], structuredContent: { content: text.text } }).text).toBe(text.text);
  expect(outputOf({ content: [image], structuredContent: { content: [image] } }).text).toBe('');
  expect(outputOf({ content: [text], structuredContent: { content: text.text, lines: 50 } }).text).toBe(
    `${text.text}\n\n{"content":"[as above]","lines":50}`,
  );
});

test('structured content that is nested 20,000 levels deep becomes a short text, without a stack overflow', () => {
  const structuredContent = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`);
  expect(outputOf({ content: [{ type: 'text', text: 'five' }], structuredContent }).text).toBe(
    'five\n\n[structured content that is nested too deep to be shown]',
  );
});
