// A server may be given a secret in any part of what is set of it: what is printed holds none that a name tells of.

import { expect, test } from 'vitest';

import { showable } from './showable.ts';

test('shows neither environment nor headers, whatever they hold', () => {
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
])('of the arguments %j shows no secret', (args, shown) => {
  expect(showable({ args })).toEqual({ args: shown });
});

test('of an address shows its query less what is secret there', () => {
  const url = 'https://example.org/mcp?page=2&access_token=word&apiKey=word#token=word';
  expect(showable({ url })).toEqual({
    url: 'https://example.org/mcp?page=2&access_token=[not shown]&apiKey=[not shown]#token=[not shown]',
  });
});
