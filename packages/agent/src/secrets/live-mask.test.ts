import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LiveMask } from '../ports/secrets.ts';
import { createSecrets } from './create-secrets.ts';

const VALUE = 'correct-horse-battery';
const LINES = 'first part of a value\nsecond part of it\nand a third';
const TOKEN = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
const KEY_LINE = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';
const KEY = `-----BEGIN PRIVATE KEY-----\n${`${KEY_LINE}\n`.repeat(3)}aB3dE5gH7==\n-----END PRIVATE KEY-----`;
const secrets = createSecrets({
  values: [
    { name: 'A_TOKEN', value: VALUE },
    { name: 'LINES', value: LINES },
  ],
});

/** Pushes the pieces and takes after each. Returns what was shown, without the counts. */
async function shownOf(pieces: readonly string[], mask: LiveMask = secrets.openLive()): Promise<string> {
  let shown = '';
  for (const piece of pieces) {
    mask.push(piece);
    shown += (await mask.take()).text;
  }
  return shown;
}

function cutUp(text: string, sizes: readonly number[]): readonly string[] {
  const pieces: string[] = [];
  let at = 0;
  for (const size of sizes) {
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return [...pieces, text.slice(at), '\nlast\n'];
}

describe('the mask of a live output', () => {
  it('returns each line as soon as it is complete, and holds back the line that is not', async () => {
    const mask = secrets.openLive();
    mask.push('one\ntwo\nthr');
    expect(await mask.take()).toEqual({ text: 'one\ntwo\n', omitted: 0 });
    expect(await mask.take()).toEqual({ text: '', omitted: 0 });
    mask.push('ee\n');
    expect(await mask.take()).toEqual({ text: 'three\n', omitted: 0 });
  });

  it('returns the states of a progress bar, which end with a carriage return', async () =>
    expect(await shownOf(['10 %\r20 %\r', '30 %\r\n'])).toBe('10 %\r20 %\r30 %\r\n'));

  it.each([
    ['dots', 'Running tests ....', 'Running tests ....'],
    ['a bar', '[====>     ]  45%', '[====>     ]  45%'],
    ['a state after a carriage return', 'old\r  5 1024 ', 'old\r  5 1024 '],
    ['a word that is not complete', 'Building the ind', 'Building the '],
    ['a name that a value can follow', 'the password: ', 'the '],
    ['an option', 'curl -u ', 'curl '],
    ['an assignment', 'A = ', 'A '],
  ])('shows %s of an incomplete line, and nothing that may be a part of a secret', async (_, line, shown) => {
    const mask = secrets.openLive();
    mask.push(line);
    expect((await mask.take()).text).toBe(shown);
    mask.push('\n');
    expect((await mask.take()).text).toBe(`${line}\n`.slice(shown.length));
  });

  it('holds back words that begin a known secret', async () => {
    const mask = createSecrets({ values: [{ name: 'PHRASE', value: 'seven green apples fall' }] }).openLive();
    mask.push('it says seven green ');
    expect((await mask.take()).text).toBe('it says ');
    mask.push('pears ');
    expect((await mask.take()).text).toBe('seven green pears ');
  });

  it.each([
    ['a value', VALUE],
    ['a value of several lines', LINES],
    ['a token', TOKEN],
    ['a password after its name', 'DB_PASSWORD=kX9#mQ2$vL7'],
    ['a password of curl on the second line of a command', 'curl -s \\\n -u kim:kX9#mQ2$vL7 https://example.com'],
    ['a private key', KEY],
    ['a private key after its file name', KEY.replaceAll('\n', '\nkey.pem:')],
  ])('shows no part of %s, wherever it is cut, and then the same as the log', async (_, secret) => {
    const text = `before\n${secret}\nafter`;
    const masked = await secrets.mask(`${text}\nlast\n`);
    for (let at = 0; at <= text.length; at += 1) {
      expect(await shownOf([text.slice(0, at), text.slice(at), '\nlast\n'])).toBe(masked);
    }
    expect(await shownOf([...text.split(''), '\nlast\n'])).toBe(masked);
  });

  it('shows the same as the log, for any text and any pieces', async () => {
    const secret = [VALUE, LINES, TOKEN, KEY, 'first part of a ', 'correct'];
    const around = [
      'words ',
      '\n',
      'a line\n',
      'A_KEY=',
      '"',
      '\r\n',
      '😀',
      '... ',
      '[==> ',
      '45% ',
      ' = ',
      'password: ',
      '\r',
    ];
    const part = fc.constantFrom(...secret, ...around);
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
        fc.array(fc.nat({ max: 60 }), { maxLength: 20 }),
        async (text, sizes) => {
          expect(await shownOf(cutUp(text, sizes))).toBe(await secrets.mask(`${text}\nlast\n`));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('continues after a private key that never ends', async () => {
    const text = `-----BEGIN PRIVATE KEY-----\n${'a line\n'.repeat(4_000)}`;
    const mask = secrets.openLive();
    mask.push('before\n-----BEGIN PRIVATE KEY-----\n');
    expect((await mask.take()).text).toBe('before\n');
    mask.push(text.slice(28));
    expect((await mask.take()).text).toMatch(/a line\n$/);
  });
});

describe('a live output that is faster than its presenter', () => {
  it('omits the older text, and reports how many characters', async () => {
    const mask = secrets.openLive();
    const line = `${'x'.repeat(99)}\n`;
    mask.push('first\n');
    let shown = (await mask.take()).text.length;
    for (let count = 0; count < 100_000; count += 1) mask.push(line);
    const { text, omitted } = await mask.take();
    expect(text.length).toBeLessThanOrEqual(16_384);
    expect(text.startsWith('x')).toBe(true);
    shown += text.length + omitted;
    expect(shown).toBe(6 + 10_000_000);
  });

  it('shows a line that is longer than any limit in pieces, and reports the rest', async () => {
    const mask = secrets.openLive();
    let seen = 0;
    for (let count = 0; count < 50; count += 1) {
      mask.push('y'.repeat(10_000));
      const { text, omitted } = await mask.take();
      seen += text.length + omitted;
    }
    expect(seen).toBeGreaterThan(400_000);
    expect(seen).toBeLessThanOrEqual(500_000);
  });

  it.each([TOKEN, VALUE, KEY, LINES])('shows no part of a secret at the place where it omits text', async (secret) => {
    const body = KEY_LINE.slice(0, 12);
    for (let shift = 0; shift < secret.length + 40; shift += 7) {
      const mask = secrets.openLive();
      mask.push(`${'word '.repeat(40_000)}\n${secret}\n${'z'.repeat(16_384 - shift)}\n`);
      const { text } = await mask.take();
      for (const part of [body, 'a1B2c3D4', 'horse', 'second part', 'third']) expect(text).not.toContain(part);
    }
  });

  it('reports omitted text also if text arrives while it masks', async () => {
    const mask = secrets.openLive();
    mask.push('one\n');
    const taking = mask.take();
    for (let count = 0; count < 40; count += 1) mask.push(`${'x'.repeat(9_999)}\n`);
    const first = await taking;
    const second = await mask.take();
    expect(first).toEqual({ text: 'one\n', omitted: 0 });
    expect(second.omitted + second.text.length).toBe(400_000);
  });
});
