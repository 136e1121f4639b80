// Tests which values of the `Host` header a server accepts, for different addresses, ports and allowed names. The
// contract tests send whole requests.

import { expect, it } from 'vitest';
import { allowHosts } from './hosts.ts';

it.each([
  ['127.0.0.1', 8787, '127.0.0.1:8787', true],
  ['127.0.0.1', 8787, '127.0.0.1', false],
  ['127.0.0.1', 80, '127.0.0.1', true],
  ['127.0.0.1', 80, 'localhost:80', true],
  ['::1', 8787, '[::1]:8787', true],
  ['FD00::7', 8787, '[fd00::7]:8787', true],
  ['fd00::7', 8787, 'fd00::7:8787', false],
  ['0.0.0.0', 8787, '0.0.0.0:8787', false],
  ['::', 8787, '[::]:8787', false],
  ['192.0.2.7', 8787, '192.0.2.7:8787', true],
  ['192.0.2.7', 8787, 'localhost:8787', true],
  ['192.0.2.7', 8787, '192.0.2.8:8787', false],
])('for a server at %s port %d and the host %s, `accepts` returns %j', (host, port, authority, accepted) => {
  expect(allowHosts({ host, port, allowed: [] }).accepts(authority)).toBe(accepted);
});

it.each([
  ['CI.test', 'ci.TEST:1', true],
  ['ci.test:7', 'ci.test:7', true],
  ['ci.test:7', 'ci.test:8', false],
  ['[fd00::7]', '[FD00::7]:1', true],
  ['test', 'ci.test', false],
])('with the allowed name %s and the host %s, `accepts` returns %j', (name, authority, accepted) => {
  expect(allowHosts({ host: '127.0.0.1', port: 1, allowed: [name] }).accepts(authority)).toBe(accepted);
});
