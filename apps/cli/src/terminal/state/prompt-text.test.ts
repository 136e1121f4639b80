// Tests the text of a prompt in the conversation.

import { digest } from '@tidemark/log';
import { expect, test } from 'vitest';

import { OUTPUT_NAME, promptText, withoutOutputs } from './prompt-text.ts';

const report = 'The user ran it.\nCommand: seq 1 3\nExit code: 0\nOutput:\n1\n2\n3';
const text = `${OUTPUT_NAME} (${Buffer.byteLength(report)} bytes):\n${report}`;
const words = { type: 'text', text: 'Sum them.' } as const;

test('the output of a command of the user is one line in the prompt', () => {
  expect(promptText([words, { type: 'text', text }])).toBe('Sum them.\n[output of seq 1 3: 5 bytes]');
  const artifact = { type: 'file', path: OUTPUT_NAME, artifact: digest('0'.repeat(64)) } as const;
  expect(promptText([words, artifact, { type: 'text', text }])).toBe('Sum them.\n[output of seq 1 3: 5 bytes]');
});

test('the words of the user, files and other attachments are shown whole', () => {
  expect(promptText([{ type: 'text', text }])).toBe(text);
  expect(promptText([words, { type: 'file', path: 'a.txt' }, { type: 'text', text: 'stdin (3 bytes):\nabc' }])).toBe(
    'Sum them.\n[file a.txt]\nstdin (3 bytes):\nabc',
  );
});

test('`withoutOutputs` leaves only the words of the user', () => {
  expect(withoutOutputs(`Sum them.\nNow.\n${text}\n${text}`)).toBe('Sum them.\nNow.');
  expect(withoutOutputs('Sum them.')).toBe('Sum them.');
});
