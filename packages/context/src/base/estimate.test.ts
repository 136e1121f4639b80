// Compares estimates with measured values, on samples of each class of text (provider-facts §5.2, facts measured.md:
// characters per o200k token). The tests allow a difference of about 25% up or down and check no exact numbers.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { estimateImageTokens, estimateTokens } from './estimate.ts';

const PROSE = `A session is one conversation with an agent. It has an identifier, a log, and one writer at a time. The log is
the only truth: everything else can be deleted and built again from it. When a process dies in the middle of a write, the
reader ignores the torn line and the next writer cuts it off, so that nothing which was acknowledged is ever lost.
Providers charge less for what they have already read, but only when the beginning of the request has not changed. That
is why the front of every request is frozen, and why the history behind it only ever grows at its end.`;

const CODE = `export function mergeSettings(defaults: Settings, overrides: Partial<Settings>): Settings {
  const result: Settings = { ...defaults };
  for (const key of Object.keys(overrides)) {
    if (!(key in defaults)) {
      throw new UnknownSettingError(\`unknown setting: \${key}\`, { key });
    }
    result[key] = overrides[key] ?? defaults[key];
  }
  return result;
}

/** Reads a configuration file, and returns the defaults when there is none. */
export async function loadSettings(path: string, defaults: Settings): Promise<Settings> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? defaults : mergeSettings(defaults, JSON.parse(text));
}
`;

const RECORDS = Array.from({ length: 30 }, (_, index) => ({
  id: `item-${index}`,
  name: 'north entrance sensor',
  enabled: index % 3 === 0,
  interval: 30 + index,
  position: { x: index * 1.5, y: 20.25 },
  labels: ['internal', 'production'],
}));

const LOG = Array.from({ length: 40 }, (_, index) => {
  const [minute, second] = [index % 60, (index * 7) % 60].map((part) => String(part).padStart(2, '0'));
  return `2026-11-20T09:${minute}:${second}.${137 + index}Z 192.168.${index}.17 GET /v1/items/${8_127 + index * 31} 200 ${5_113 + index * 997} ${12 + index}.${index}ms pid=${20_417 + index}`;
}).join('\n');

/** Bytes that look random but are the same in every run. */
const BYTES = Uint8Array.from({ length: 3_000 }, (_, index) => (Math.imul(index + 1, 2_654_435_761) >>> 13) & 0xff);
const HEX = Array.from(BYTES, (byte) => byte.toString(16).padStart(2, '0')).join('');
const BASE64 = btoa(String.fromCharCode(...BYTES));
const CHINESE = '供应商对已经读过的内容收费更低，但前提是请求的开头没有改变。因此每个请求的前端都是冻结的。'.repeat(5);

describe('estimateTokens', () => {
  it.each([
    ['English prose', PROSE, 4.52],
    ['TypeScript', CODE, 4.58],
    ['compact JSON', JSON.stringify(RECORDS), 3.33],
    ['pretty JSON', JSON.stringify(RECORDS, null, 2), 3.43],
    ['log lines', LOG, 2.21],
    ['hex', HEX, 1.76],
    ['base64', BASE64, 1.47],
    ['Chinese', CHINESE, 1.51],
  ])('counts %s within a quarter of the measured value', (_, text, charactersPerToken) => {
    const ratio = estimateTokens(text) / (text.length / charactersPerToken);
    expect(ratio).toBeGreaterThan(0.8);
    expect(ratio).toBeLessThan(1.25);
  });

  it('distinguishes hex from base64', () => {
    expect(HEX.length / estimateTokens(HEX)).toBeCloseTo(1.76, 1);
    expect(BASE64.length / estimateTokens(BASE64)).toBeLessThan(1.6);
  });

  it('is at least twice as accurate as the rule of four characters per token for logs, hex, base64 and Chinese', () => {
    for (const [text, measured] of [
      [LOG, 2.21],
      [HEX, 1.76],
      [BASE64, 1.47],
      [CHINESE, 1.51],
    ] as const) {
      const actual = text.length / measured;
      expect(Math.abs(estimateTokens(text) - actual)).toBeLessThan(Math.abs(text.length / 4 - actual) / 2);
    }
  });

  it.each([
    ['', 0],
    ['a', 1],
    ['word', 1],
    ['two words', 2],
    ['2026', 2],
    [' '.repeat(5_000), 51],
    ['='.repeat(80), 6],
    ['\n', 1],
    ['\n\n\n\n', 2],
    ['estimateTokens', 2],
    ['字', 1],
    ['😀', 2],
    ['\ud800', 1],
  ])('counts %j as %i', (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  it('counts every UTF-16 code unit, alone and in runs, as in the sessions that were recorded', () => {
    let sum = 0;
    for (let code = 0; code <= 0xffff; code += 1) {
      const one = String.fromCharCode(code);
      for (const text of [one, `${one}a`, `a${one}0`, `.${one}\n`, one.repeat(20)]) sum += estimateTokens(text);
    }
    expect(sum).toBe(1_281_229);
  });

  it('counts a long run of one character as a run, not as words', () => {
    for (const character of ['a', ' ', '=', '\n', 'A', '0', '字', 'я', '\u0000']) {
      const tokens = estimateTokens(character.repeat(50 * 1_024));
      expect(tokens).toBeGreaterThan(500);
      expect(tokens).toBeLessThanOrEqual(50 * 1_024);
    }
  });

  it('reads each character at most a fixed number of times', () => {
    const reads = (text: string): number => {
      let count = 0;
      const counted = {
        length: text.length,
        charCodeAt: (index: number): number => {
          count += 1;
          return text.charCodeAt(index);
        },
      };
      Reflect.apply(estimateTokens, undefined, [counted]);
      return count / text.length;
    };
    for (const unit of ['a', ' ', '=', 'aB3', '{"', '\n\t', 'aé字я1', 'A']) {
      expect(reads(unit.repeat(20_000))).toBeLessThan(12);
    }
  });

  const text = fc.string({ unit: 'binary', maxLength: 400 });

  it('returns a whole number between 0 and two per character', () => {
    fc.assert(
      fc.property(text, (one) => {
        const tokens = estimateTokens(one);
        expect(Number.isInteger(tokens)).toBe(true);
        expect(tokens).toBeGreaterThanOrEqual(0);
        expect(tokens).toBeLessThanOrEqual(2 * one.length);
      }),
    );
  });

  it('returns about the same for a whole text as for the sum of its lines', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PROSE.split('\n'), ...CODE.split('\n')), { maxLength: 20 }), (lines) => {
        const whole = estimateTokens(lines.join('\n'));
        const parts = lines.reduce((sum, line) => sum + estimateTokens(line), 0);
        expect(Math.abs(whole - parts)).toBeLessThanOrEqual(2 * lines.length);
      }),
    );
  });
});

describe('estimateImageTokens', () => {
  it.each([
    [200, 200, 64],
    [1_000, 1_000, 1_296],
    [1_456, 819, 1_560],
    [2_000, 1_125, 2_952],
    [3_000, 3_000, 4_784],
    [1, 1, 1],
    [0, 0, 1],
  ])('counts %i × %i pixels as %i for any number of bytes', (width, height, tokens) => {
    expect(estimateImageTokens(width, height, 1)).toBe(tokens);
    expect(estimateImageTokens(width, height, 50_000_000)).toBe(tokens);
  });

  it('estimates from the bytes if the pixels are unknown, up to a maximum', () => {
    expect(estimateImageTokens(undefined, undefined, 15_000)).toBe(192);
    expect(estimateImageTokens(800, undefined, 5_000_000)).toBe(1_600);
  });
});
