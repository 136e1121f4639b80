// Tests the judgement of addresses.

import { describe, expect, test } from 'vitest';

import { allowedHosts } from './allowed-hosts.ts';
import { judgeAddress } from './judge-address.ts';
import { readAddress } from './read-address.ts';

describe('an address', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '2606:4700:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ])('%s is public', (address) => expect(judgeAddress(address)).toBe('public'));

  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '100.127.255.255',
    '::1',
    'fc00::1',
    'fd12:3456::1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::7f00:1',
  ])('%s is private', (address) => expect(judgeAddress(address)).toBe('private'));

  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '169.254.169.254',
    '169.254.0.1',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::7f00:1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '2001:db8::1',
    '2001::1',
    '2002:7f00:1::',
    '64:ff9b:1::10.0.0.1',
    '::ffff:0:127.0.0.1',
    '::ffff:169.254.169.254',
    '64:ff9b::169.254.169.254',
    'fd00:ec2::254 ',
    'example.com',
    '',
  ])('%s can never be reached', (address) => expect(judgeAddress(address)).toBe('never'));

  test.each([
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://①②⑦.0.0.1/', '127.0.0.1'],
    ['http://0/', '0.0.0.0'],
    ['http://[::ffff:127.0.0.1]/', '[::ffff:7f00:1]'],
    ['http://[0:0:0:0:0:0:0:1]/', '[::1]'],
  ])('written as %s is %s', (text, host) => expect(readAddress(text).hostname).toBe(host));
});

describe('a URL', () => {
  test.each([
    ['ftp://example.com/', 'only http and https can be fetched'],
    ['file:///etc/passwd', 'only http and https can be fetched'],
    ['data:text/html,hello', 'only http and https can be fetched'],
    ['http://user:word@example.com/', 'a user name or a password'],
    ['http://user@example.com/', 'a user name or a password'],
    ['example.com', 'not a complete URL'],
    ['http://', 'not a complete URL'],
    [`http://example.com/${'a'.repeat(9_000)}`, 'not a complete URL'],
  ])('such as %.40s is refused', (text, words) => {
    expect(() => readAddress(text)).toThrow(
      expect.objectContaining({ code: 'web/bad-address', message: expect.stringContaining(words) }),
    );
  });

  test('is sent without the part after `#`', () => {
    expect(readAddress(' https://Example.com/a?b=1#c ').href).toBe('https://example.com/a?b=1');
  });
});

describe('an allowed host', () => {
  const allowed = allowedHosts(['wiki.corp.example', '127.0.0.1:3000', '[::1]:8080', 'Short']);
  const allows = (url: string): boolean => allowed.allows(new URL(url));

  test.each([
    'http://wiki.corp.example/',
    'https://wiki.corp.example:8443/a',
    'http://127.0.0.1:3000/',
    'http://0x7f.1:3000/',
    'http://[::1]:8080/',
    'http://short/',
  ])('covers %s', (url) => expect(allows(url)).toBe(true));

  test.each([
    'http://corp.example/',
    'http://www.wiki.corp.example/',
    'http://wiki.corp.example.evil.example/',
    'http://127.0.0.1/',
    'http://127.0.0.1:30000/',
    'http://127.0.0.2:3000/',
    'http://[::1]/',
  ])('does not cover %s', (url) => expect(allows(url)).toBe(false));

  test.each(['http://a.example', 'a.example/path', '*.example', '10.0.0.0/8', 'a:0', 'a:65536', 'a b', ''])(
    'cannot be written as %j',
    (entry) => expect(() => allowedHosts([entry])).toThrow(expect.objectContaining({ code: 'web/bad-address' })),
  );
});
