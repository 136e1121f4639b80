// Tests each alternative of the rules for secrets of well-known formats. If a rule lost an alternative, it would no
// longer mask that kind of secret.

import { describe, expect, test } from 'vitest';
import { noise } from '../../contract/secret-samples.ts';
import { createSecrets } from '../secrets/create-secrets.ts';
import { findOwn } from '../secrets/find-shapes.ts';

const { mask } = createSecrets({ values: [] });
const capitals = (count: number): string =>
  noise(200)
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
    .slice(0, count);

describe('a provider token', () => {
  test.each(['AKIA', 'ASIA', 'ABIA', 'ACCA'])('of AWS is masked: %s', async (kind) => {
    expect(await mask(`id ${kind}${capitals(16)} end`)).toBe('id [secret:aws] end');
  });

  test.each(['pat', 'dt', 'rt', 'rtr', 'cbt', 'ptt', 'ft', 'imt', 'agent', 'oas', 'soat', 'ffct', 'wt'])(
    'of GitLab is masked: gl%s-',
    async (kind) => {
      expect(await mask(`see ${['gl', kind, '-'].join('')}${noise(24)} end`)).toBe('see [secret:gitlab] end');
    },
  );

  test.each([20, 28, 64])('of Google is masked completely with %d characters after its prefix', async (length) => {
    const begin = ['GOC', 'SPX-'].join('');
    expect(await mask(`see ${begin}${noise(length)} end`)).toBe('see [secret:google] end');
    expect(await mask(`see ${begin}${noise(19)} end`)).toBe(`see ${begin}${noise(19)} end`);
  });

  test('with encryption (JWE) is masked with all its five parts', async () => {
    const header = Buffer.from('{"alg":"RSA-OAEP","enc":"A256GCM"}').toString('base64url');
    const token = [header, noise(80), noise(16, 2), noise(60, 3), noise(22, 4)].join('.');
    expect(await mask(`see ${token} end`)).toBe('see [secret:jwt] end');
  });

  test('is masked after another token at any distance', async () => {
    const [one, two] = [`AKIA${capitals(16)}`, `ASIA${capitals(16)}`];
    for (let gap = 1; gap < 25; gap += 1) {
      const text = `${one}${' '.repeat(gap)}${two}`;
      expect(findOwn(text).map(({ start, end }) => text.slice(start, end))).toEqual([one, two]);
      expect(await mask(text)).toBe(`[secret:aws]${' '.repeat(gap)}[secret:aws]`);
    }
  });
});

describe('a credential found by its place', () => {
  const password = ['Tr0ub4', 'dor', '7x'].join('');

  test.each(['redis', 'rediss', 'amqp', 'amqps', 'mqtt', 'mqtts', 'postgresql', 'mongodb+srv', 'smtps', 'nats'])(
    'in a URL is masked even if it contains a slash: %s://',
    async (scheme) => {
      expect(await mask(`${scheme}://user:${password}/x@host/0`)).toBe(`${scheme}://user:[secret:url-password]@host/0`);
    },
  );

  test.each([
    'curl -u',
    'curl -U',
    'curl -sSU',
    'curl --user',
    'curl --proxy-user',
    'wget --user',
    'wget --proxy-user',
    'xh -u',
  ])('of a command is masked: %s', async (command) => {
    expect(await mask(`${command} alice:${password} https://example.org`)).toBe(
      `${command} alice:[secret:curl-user] https://example.org`,
    );
  });

  test('of any other program is not masked', async () => {
    const text = `docker run -u alice:${password} image`;
    expect(await mask(text)).toBe(text);
  });

  test('in a private key without its end line is masked together with the header lines', async () => {
    const begin = ['-----BEGIN RSA PRIVATE', ' KEY-----'].join('');
    const lines = [
      begin,
      'Proc-Type: 4,ENCRYPTED',
      `DEK-Info: AES-256-CBC,${capitals(32)}`,
      '',
      noise(64),
      noise(64, 2),
    ];
    expect(await mask(`${lines.join('\n')}\nend of it`)).toBe('[secret:privatekey]\nend of it');
  });
});

describe('a value after the name of a credential', () => {
  test.each(['private-token', 'x-auth-token', 'api-key', 'Ocp-Apim-Subscription-Key'])(
    'in a header is masked even if it is short: %s',
    async (name) => {
      expect(await mask(`${name}: a1b2c3`)).toBe(`${name}: [secret:${name}]`);
    },
  );

  test('in an XML tag is masked if the tag is closed, else it is not a value', async () => {
    expect(await mask('<password>hunter2x</password>')).toBe('<password>[secret:password]</password>');
    for (const text of ['<password>hunter2x', '<password>hunter2x<b>', 'if (password>hunter2x)'])
      expect(await mask(text)).toBe(text);
  });

  test.each(['12:', '12|', '12\t', 'a/b.properties:12:', '+', '  '])(
    'alone on a line is masked after %j',
    async (before) => {
      expect(await mask(`${before}password=correcthorse`)).toBe(`${before}password=[secret:password]`);
    },
  );
});
