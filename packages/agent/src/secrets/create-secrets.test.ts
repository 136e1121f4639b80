import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecrets } from './create-secrets.ts';
import { SHAPES } from './token-rules.ts';

const KEY = 'pa$$/w"or+d\\ of äöü & more';
const TOKEN = 'tok-0123456789abcdef';
const VALUES = [
  { name: 'SERVICE_TOKEN', value: TOKEN },
  { name: 'STRANGE_KEY', value: KEY },
];
const secrets = createSecrets({ values: VALUES });
const GITHUB = `ghp_${'a1B2'.repeat(9)}`;
const PEM = `-----BEGIN RSA PRIVATE KEY-----\nMI${'aB3+'.repeat(400)}\n-----END RSA PRIVATE KEY-----`;

const utf8 = (text: string): Buffer => Buffer.from(text);

async function streamed(bytes: Uint8Array, sizes: readonly number[]): Promise<string> {
  const pieces: Uint8Array[] = [];
  let rest = bytes;
  for (const size of sizes) {
    pieces.push(rest.subarray(0, size));
    rest = rest.subarray(size);
  }
  pieces.push(rest);
  return gathered(secrets.maskStream(chunksOf(pieces)));
}

async function* chunksOf(pieces: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* pieces;
}

async function gathered(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

describe('a secret value', () => {
  const base64 = utf8(KEY).toString('base64');
  it.each([
    ['unchanged', KEY],
    ['escaped for JSON', JSON.stringify(KEY).slice(1, -1)],
    ['encoded for a URL', encodeURIComponent(KEY)],
    ['encoded for a URL in lower case', encodeURIComponent(KEY).replaceAll(/%\w\w/g, (code) => code.toLowerCase())],
    ['encoded for a form', new URLSearchParams({ key: KEY }).toString().slice('key='.length)],
    ['escaped for JSON twice', JSON.stringify(JSON.stringify(KEY).slice(1, -1)).slice(1, -1)],
    [
      'escaped for JSON in ASCII',
      JSON.stringify(KEY)
        .slice(1, -1)
        .replace('ä', String.raw`\u00e4`)
        .replace('ö', String.raw`\u00f6`)
        .replace('ü', String.raw`\u00fc`),
    ],
    [
      'escaped for JSON, including the slash',
      JSON.stringify(KEY)
        .slice(1, -1)
        .replace('/', String.raw`\/`),
    ],
    ['in double quotes for a shell', KEY.replaceAll(/["$\\]/g, String.raw`\$&`)],
    ['escaped for a shell, character by character', KEY.replaceAll(/[$"\\ &]/g, String.raw`\$&`)],
    ['in a dollar quote for a shell', KEY.replaceAll('\\', String.raw`\\`)],
    ['escaped for HTML', KEY.replace('&', '&amp;').replace('"', '&quot;')],
    ['escaped for HTML by number', KEY.replace('&', '&amp;').replace('"', '&#34;')],
    ['encoded as a complete URL', encodeURI(KEY)],
    ['in base64', base64],
    ['in base64 for URLs', base64.replaceAll('+', '-').replaceAll('/', '_')],
  ])('is masked when it is written %s', async (_how, form) => {
    expect(await secrets.mask(`before ${form} behind`)).toBe('before [secret:STRANGE_KEY] behind');
  });

  it.each([
    ['single quotes of a shell', String.raw`it'\''s-a-secret`],
    ['single quotes of a shell around double quotes', `it'"'"'s-a-secret`],
    ['single quotes of a shell in JSON', String.raw`it'\\''s-a-secret`],
    ['a dollar quote of a shell', String.raw`it\'s-a-secret`],
    ['single quotes of YAML', "it''s-a-secret"],
    ['HTML', 'it&#39;s-a-secret'],
    ['HTML 5', 'it&apos;s-a-secret'],
    ['a URL with every character encoded', 'it%27s%2Da%2Dsecret'],
  ])('with an apostrophe is masked in %s', async (_how, form) => {
    const { mask } = createSecrets({ values: [{ name: 'A_KEY', value: "it's-a-secret" }] });
    expect(await mask(`before '${form}' behind`)).toBe("before '[secret:A_KEY]' behind");
  });

  it.each(['', 'u', 'us', 'user:', 'user1:', 'user12:'])(
    'is masked in base64 after the prefix "%s"',
    async (before) => {
      const masked = await secrets.mask(`Basic ${utf8(`${before}${TOKEN}:x`).toString('base64')}`);
      expect(masked).toContain('[secret:SERVICE_TOKEN]');
      expect(masked).not.toContain(utf8(TOKEN).toString('base64').slice(4, 12));
    },
  );

  it('is masked inside a longer word and at each occurrence', async () => {
    expect(await secrets.mask(`x${TOKEN}y${TOKEN}${TOKEN}`)).toBe(
      'x[secret:SERVICE_TOKEN]y[secret:SERVICE_TOKEN][secret:SERVICE_TOKEN]',
    );
  });

  it('is masked before a shorter value that is part of it', async () => {
    const both = createSecrets({
      values: [
        { name: 'A_KEY', value: 'inner-value-12' },
        { name: 'B_KEY', value: 'outer-inner-value-12-more' },
      ],
    });
    expect(await both.mask('outer-inner-value-12-more inner-value-12')).toBe('[secret:B_KEY] [secret:A_KEY]');
  });

  it('that already contains a placeholder is ignored', async () => {
    const inherited = createSecrets({ values: [{ name: 'A_KEY', value: '[secret:A_KEY]' }] });
    expect(await inherited.mask('the [secret:A_KEY]')).toBe('the [secret:A_KEY]');
  });

  it('with a name that does not fit into a placeholder gets a placeholder with an adapted name', async () => {
    const odd = createSecrets({ values: [{ name: `//registry/:_authToken${'x'.repeat(80)}`, value: TOKEN }] });
    const masked = await odd.mask(TOKEN);
    expect(masked).toMatch(/^\[secret:__registry___authTokenx+\]$/);
    expect(odd.holdsPlaceholder(masked)).toBe(true);
  });
});

describe('a token of well-known shape', () => {
  it.each([
    ['github', GITHUB],
    ['privatekey', PEM],
    ['npm', `npm_${'a1B2'.repeat(9)}`],
    ['slack', 'xoxb-123456789012-abcdefABCDEF'],
    ['anthropic', `sk-ant-api03-${'a1B2_'.repeat(18)}cdeAA`],
    ['stripe', `sk_live_${'a1B2'.repeat(6)}`],
    ['sendgrid', `SG.${'a1B2c3'.repeat(3)}d4E5.${'f6G7h8'.repeat(7)}i`],
    ['databricks', `dapi${'0a1b2c3d'.repeat(4)}`],
  ])('is masked by the rule %s', async (rule, token) => {
    expect(await secrets.mask(`before ${token} behind`)).toBe(`before [secret:${rule}] behind`);
  });

  it('is masked even if a comment in the text disables secretlint', async () => {
    const text = `/* secretlint-disable */\n${GITHUB} // secretlint-disable-line\n`;
    expect(await secrets.mask(text)).not.toContain(GITHUB);
  });

  it('is masked after a byte order mark', async () => {
    expect(await secrets.mask(`\uFEFF${GITHUB}`)).toBe('\uFEFF[secret:github]');
  });

  it('is masked next to another token', async () => {
    expect(await secrets.mask(`${GITHUB} ${GITHUB},${TOKEN}`)).toBe(
      '[secret:github] [secret:github],[secret:SERVICE_TOKEN]',
    );
  });

  it('is not detected by randomness: a digest and a base64 text are not masked', async () => {
    const text = 'sha256-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 dGhpcyBpcyBub3QgYSBzZWNyZXQ=';
    expect(await secrets.mask(text)).toBe(text);
  });

  it('is found by exactly these rules of the library besides our own, so that a new version of the library is reviewed before use', () => {
    expect(SHAPES).toEqual([
      'gcp',
      'privatekey',
      'slack',
      'sendgrid',
      'shopify',
      'stripe',
      'github',
      'gitlab',
      'grafana',
      'openai',
      'anthropic',
      'groq',
      'huggingface',
      'linear',
      'notion',
      '1password',
      'hashicorp-vault',
      'vercel',
      'databricks',
      'docker',
      'figma',
      'cloudflare',
      'tailscale',
    ]);
  });
});

describe('masking', () => {
  const piece = fc.oneof(
    fc.constantFrom(KEY, TOKEN, GITHUB, PEM, 'xoxb-1-a', '[secret:', ']', '[secret:SERVICE_TOKEN]', '\n', ' ', 'ghp_'),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.nat({ max: TOKEN.length }).map((length) => TOKEN.slice(0, length)),
    fc.nat({ max: GITHUB.length }).map((length) => GITHUB.slice(0, length)),
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

  it('a text twice gives the same result as masking it once', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (one) => {
        const masked = await secrets.mask(one);
        expect(await secrets.mask(masked)).toBe(masked);
      }),
      { numRuns: 150 },
    );
  });

  it('a stream cut at any byte, even inside a character, equals masking the whole text', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat({ max: 40 }), { maxLength: 20 }), async (one, sizes) => {
        expect(await streamed(utf8(one), sizes)).toBe(await secrets.mask(one));
      }),
      { numRuns: 150 },
    );
  });

  it('a stream with invalid UTF-8 replaces the invalid bytes and still finds the secrets after them', async () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xe2, 0x82]), utf8(TOKEN), Buffer.from([0xf0, 0x9f])]);
    expect(await streamed(bytes, [1, 1, 4])).toBe('\uFFFD\uFFFD[secret:SERVICE_TOKEN]\uFFFD');
  });

  it('a long stream holds back less than 300,000 bytes', async () => {
    let sent = 0;
    let received = 0;
    let most = 0;
    async function* endless(): AsyncIterable<Uint8Array> {
      const chunk = utf8(`${'a line of a log without an end\n'.repeat(1_000)}${TOKEN}\n`);
      for (; sent < 8_000_000; sent += chunk.length) {
        yield chunk;
        most = Math.max(most, sent - received);
      }
    }
    let hasLeaked = false;
    for await (const chunk of secrets.maskStream(endless())) {
      received += chunk.length;
      hasLeaked ||= Buffer.from(chunk).includes(TOKEN);
    }
    expect(hasLeaked).toBe(false);
    expect(received).toBeGreaterThan(7_900_000);
    expect(most).toBeLessThan(300_000);
  });

  it('adds no performance entries to the process', async () => {
    await secrets.mask('warm');
    const before = performance.getEntries().length;
    for (let index = 0; index < 20; index += 1) await secrets.mask(`text ${index}`);
    expect(performance.getEntries().length).toBe(before);
  });

  it('`holdsPlaceholder` returns true only for a text with a valid placeholder', () => {
    expect(secrets.holdsPlaceholder('key: [secret:SERVICE_TOKEN]')).toBe(true);
    expect(secrets.holdsPlaceholder('key: [secret: none] secret:SERVICE_TOKEN')).toBe(false);
  });
});
