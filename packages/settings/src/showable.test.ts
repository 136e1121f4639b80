// Tests that the printed form of a server setting contains no secret. In a server setting, every part can contain a
// secret.

import { expect, test } from 'vitest';

import { showable } from './showable.ts';

test('`showable` hides environment and headers with any content', () => {
  const servers = {
    a: { command: 'serve', args: ['--port', '80'], env: { HOST: 'here' } },
    b: { url: 'https://example.org/mcp', headers: { accept: '*' } },
  };
  expect(showable(servers)).toEqual({
    a: { command: 'serve', args: ['--port', '80'], env: '[not shown]' },
    b: { url: 'https://example.org/mcp', headers: '[not shown]' },
  });
});

test.each([
  [
    ['--token', 'word', 'stays'],
    ['--token', '[not shown]', 'stays'],
  ],
  [
    ['--api-key=word', 'API_KEY=word', '--keyboard=us'],
    ['--api-key=[not shown]', 'API_KEY=[not shown]', '--keyboard=us'],
  ],
  [['https://me:word@example.org/?a=1'], ['https://[not shown]@example.org/?a=1']],
])('`showable` hides secrets in the arguments %j', (args, shown) => {
  expect(showable({ args })).toEqual({ args: shown });
});

test('`showable` hides only the secret parts of a query', () => {
  const url = 'https://example.org/mcp?page=2&access_token=word&apiKey=word#token=word';
  expect(showable({ url })).toEqual({
    url: 'https://example.org/mcp?page=2&access_token=[not shown]&apiKey=[not shown]#token=[not shown]',
  });
});
