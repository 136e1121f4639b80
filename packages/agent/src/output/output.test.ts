import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Artifacts, Digest } from '@tidemark/log';
import { LogError, digest } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_SECRETS } from '../ports/secrets.ts';
import { createSecrets } from '../secrets/create-secrets.ts';
import { newHash } from '../session/materials.ts';
import type { ShapeOptions, ShapedOutput } from './output.ts';
import { openOutput } from './output.ts';

const HEAD: ShapeOptions = { limits: { bytes: 51_200, lines: 2_000 }, keeps: 'head' };
const TAIL: ShapeOptions = { ...HEAD, keeps: 'tail' };
const VALUE = 'tok-0123456789abcdef';
const secrets = createSecrets({ values: [{ name: 'A_TOKEN', value: VALUE }] });

interface Counted extends Artifacts {
  readonly puts: () => number;
}

function counted(artifacts: Artifacts = createMemoryStore().artifacts): Counted {
  let puts = 0;
  return {
    ...artifacts,
    put: (bytes) => {
      puts += 1;
      return artifacts.put(bytes);
    },
    puts: () => puts,
  };
}

async function bytesOf(artifacts: Artifacts, name: Digest | undefined): Promise<Buffer> {
  if (name === undefined) throw new Error('there is no artifact');
  const chunks: Uint8Array[] = [];
  for await (const chunk of artifacts.get(name)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function shaped(
  chunks: readonly (string | Uint8Array)[],
  options: ShapeOptions = HEAD,
  artifacts: Artifacts = createMemoryStore().artifacts,
): Promise<ShapedOutput> {
  const output = openOutput({ artifacts, secrets });
  for (const chunk of chunks) await output.write(chunk);
  return output.finish(options);
}

function pieces(bytes: Uint8Array, sizes: readonly number[]): readonly Uint8Array[] {
  const cut: Uint8Array[] = [];
  let rest = bytes;
  for (const size of sizes) {
    cut.push(rest.subarray(0, size));
    rest = rest.subarray(size);
  }
  return [...cut, rest];
}

const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index}\n`).join('');

describe('a short output', () => {
  it('is shown unchanged, and no artifact is stored', async () => {
    const artifacts = counted();
    expect(await shaped(['first\n', Buffer.from('second')], HEAD, artifacts)).toEqual({ text: 'first\nsecond' });
    expect(artifacts.puts()).toBe(0);
  });

  it('may be empty', async () => {
    expect(await shaped([])).toEqual({ text: '' });
  });

  it('is masked, even if the secret came in two chunks', async () => {
    expect(await shaped([`key: ${VALUE.slice(0, 7)}`, VALUE.slice(7)])).toEqual({ text: 'key: [secret:A_TOKEN]' });
  });

  it('has a notice about bytes that are not UTF-8', async () => {
    expect(await shaped([Buffer.from([0x61, 0xff, 0x62])])).toEqual({
      text: 'a\uFFFDb\n[Bytes that are not UTF-8 are shown as U+FFFD.]',
    });
  });

  it('has no such notice for a character that came in two chunks, or for a real U+FFFD', async () => {
    const euro = Buffer.from('€\uFFFD');
    expect(await shaped([euro.subarray(0, 1), euro.subarray(1, 4), euro.subarray(4)])).toEqual({ text: '€\uFFFD' });
  });

  it('shows control characters as visible symbols with a notice, except tabs and line ends', async () => {
    expect(await shaped(['\0\u001B[31mred\u007F\t\r\n'])).toEqual({
      text: '␀␛[31mred␡\t\r\n[Control characters are shown as symbols: ␀ for NUL, ␛ for ESC.]',
    });
  });
});

describe('a long output', () => {
  it('shows its first lines, the amount that was omitted, and the name of the whole output', async () => {
    const artifacts = createMemoryStore().artifacts;
    const text = numbered(10_000);
    const { text: shown, output, shaping } = await shaped([text], HEAD, artifacts);
    expect(shaping).toEqual({ by: 'head', kept: 1_999, total: 10_000, unit: 'lines' });
    expect(shown).toBe(
      `${numbered(1_999)}[The output is cut here: the first 1999 of 10000 lines are shown. To read the complete output, use output_read with output ${output}.]`,
    );
    expect((await bytesOf(artifacts, output)).toString()).toBe(text);
  });

  it('shows its last lines if the tool keeps the tail', async () => {
    const { text, output, shaping } = await shaped([numbered(10_000)], TAIL);
    expect(shaping).toEqual({ by: 'tail', kept: 1_999, total: 10_000, unit: 'lines' });
    expect(text.split('\n')[0]).toBe(
      `[The output is cut here: the last 1999 of 10000 lines are shown. To read the complete output, use output_read with output ${output}.]`,
    );
    expect(text.endsWith('line 9998\nline 9999\n')).toBe(true);
    expect(text.split('\n')[1]).toBe('line 8001');
  });

  it('is cut inside a line only if that line alone is too long', async () => {
    const { text, shaping } = await shaped([`short\n${'x'.repeat(300_000)}\nlast`]);
    expect(shaping?.unit).toBe('bytes');
    expect(shaping?.total).toBe(300_011);
    expect(text.startsWith(`short\n${'x'.repeat(shaping?.kept === undefined ? 0 : shaping.kept - 6)}\n[`)).toBe(true);
  });

  it('is stored as an artifact and cut if the share of the batch is small, even if the output was too short to be streamed', async () => {
    const artifacts = counted();
    const options: ShapeOptions = { limits: { bytes: 2_048, lines: 2_000 }, keeps: 'head' };
    const { text, output } = await shaped([numbered(1_000)], options, artifacts);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_048);
    expect((await bytesOf(artifacts, output)).toString()).toBe(numbered(1_000));
    expect(artifacts.puts()).toBe(1);
  });

  it('has its secrets masked in the artifact too', async () => {
    const artifacts = createMemoryStore().artifacts;
    const { output } = await shaped(
      [numbered(9_000), VALUE.slice(0, 5), VALUE.slice(5), numbered(9_000)],
      HEAD,
      artifacts,
    );
    const whole = (await bytesOf(artifacts, output)).toString();
    expect(whole).toBe(`${numbered(9_000)}[secret:A_TOKEN]${numbered(9_000)}`);
  });

  it('is stored correctly if the caller reuses its buffer', async () => {
    const artifacts = createMemoryStore().artifacts;
    const output = openOutput({ artifacts, secrets: NO_SECRETS });
    const buffer = Buffer.alloc(40_000);
    for (const letter of ['a', 'b', 'c']) await output.write(buffer.fill(letter));
    const { output: name } = await output.finish(HEAD);
    expect((await bytesOf(artifacts, name)).toString()).toBe(
      'a'.repeat(40_000) + 'b'.repeat(40_000) + 'c'.repeat(40_000),
    );
  });
});

describe('any output', () => {
  const grapheme = fc.constantFrom('👨‍👩‍👧‍👦', 'e\u0301', '한', '\r\n', '🇩🇪', 'x');
  const run = fc.tuple(fc.oneof(grapheme, fc.constantFrom('a line of words\n', '\u001B', 'ü\n')), fc.nat({ max: 900 }));
  const text = fc.array(run, { maxLength: 8 }).map((runs) => runs.map(([one, count]) => one.repeat(count)).join(''));
  const limits = fc.record({ bytes: fc.integer({ min: 1_024, max: 9_000 }), lines: fc.integer({ min: 4, max: 60 }) });
  const keeps = fc.constantFrom('head' as const, 'tail' as const);

  it('never exceeds its limits, notices included, and is stored whole as an artifact', async () => {
    await fc.assert(
      fc.asyncProperty(text, limits, keeps, fc.array(fc.nat({ max: 5_000 })), async (one, most, end, sizes) => {
        const artifacts = createMemoryStore().artifacts;
        const result = await shaped(pieces(Buffer.from(one), sizes), { limits: most, keeps: end }, artifacts);
        expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(most.bytes);
        expect(result.text.split('\n').length - (result.text.endsWith('\n') ? 1 : 0)).toBeLessThanOrEqual(most.lines);
        if (result.output !== undefined) expect((await bytesOf(artifacts, result.output)).toString()).toBe(one);
        else expect(result.text.startsWith(one.replaceAll('\u001B', '␛'))).toBe(true);
      }),
      { numRuns: 80 },
    );
  });

  it.each(['head', 'tail'] as const)('keeps graphemes whole at the %s of a line that was streamed', async (end) => {
    const family = '👨‍👩‍👧‍👦';
    const { text: shown } = await shaped([family.repeat(20_000)], { ...HEAD, keeps: end });
    const body = shown.split('\n').find((line) => !line.startsWith('[')) ?? '';
    expect(body.length).toBeGreaterThan(20_000);
    expect(body.replaceAll(family, '')).toBe('');
  });

  it('does not depend on how its bytes were divided into chunks, UTF-8 or not', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 400 }),
        fc.array(fc.nat({ max: 30 }), { maxLength: 12 }),
        async (bytes, sizes) => {
          expect(await shaped(pieces(bytes, sizes))).toEqual(await shaped([bytes]));
        },
      ),
    );
  });
});

describe('the size limit of an artifact', () => {
  it('keeps beginning and end, and the artifact and the notice state how much was omitted', async () => {
    const artifacts = createMemoryStore().artifacts;
    const output = openOutput({ artifacts, secrets, keep: 100_000 });
    for (let index = 0; index < 300; index += 1) await output.write('äöü'.repeat(200));
    const { text, output: name, shaping } = await output.finish(TAIL);
    const kept = (await bytesOf(artifacts, name)).toString();
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(100_000);
    expect(Buffer.byteLength(kept)).toBeGreaterThan(99_800);
    const [, left] = /^(?:äöü)*ä?ö?\n\[tidemark: (\d+) bytes are omitted here\]\nü?(?:[öü])*(?:äöü)*$/.exec(kept) ?? [];
    const notice = `\n[tidemark: ${left} bytes are omitted here]\n`;
    expect(Buffer.byteLength(kept) - notice.length + Number(left)).toBe(360_000);
    expect(shaping?.total).toBe(360_000);
    expect(text).toContain(
      `Only its beginning and its end, 100000 bytes together, are stored: to read them, use output_read with output ${name}.`,
    );
  });

  it('omits no byte without a notice', async () => {
    const artifacts = createMemoryStore().artifacts;
    const output = openOutput({ artifacts, secrets, keep: 60_000 });
    await output.write('x'.repeat(60_001));
    const kept = (await bytesOf(artifacts, (await output.finish(HEAD)).output)).toString();
    expect(kept).toMatch(/^x+\n\[tidemark: \d+ bytes are omitted here\]\nx+$/);
    expect(kept.length).toBeLessThanOrEqual(60_000);
  });

  it('does not change an output that has exactly the maximum size', async () => {
    const artifacts = createMemoryStore().artifacts;
    const output = openOutput({ artifacts, secrets, keep: 60_000 });
    await output.write('x'.repeat(60_000));
    expect((await bytesOf(artifacts, (await output.finish(HEAD)).output)).toString()).toBe('x'.repeat(60_000));
  });
});

describe('a store', () => {
  it('that is slow blocks the writer', async () => {
    const gate = Promise.withResolvers<void>();
    const store = createMemoryStore().artifacts;
    let taken = 0;
    const slow: Artifacts = {
      ...store,
      put: async (bytes) => {
        if (bytes instanceof Uint8Array) return store.put(bytes);
        const all: Uint8Array[] = [];
        for await (const chunk of bytes) {
          all.push(chunk);
          taken += chunk.length;
          await gate.promise;
        }
        return store.put(Buffer.concat(all));
      },
    };
    const output = openOutput({ artifacts: slow, secrets: NO_SECRETS });
    let written = 0;
    const writing = (async () => {
      for (; written < 2_000_000; written += 60_000) await output.write('x'.repeat(60_000));
    })();
    // After this wait, all work that does not need the store has run.
    await new Promise((resolve) => setImmediate(resolve));
    expect(taken).toBe(60_000);
    expect(written).toBe(0);
    gate.resolve();
    await writing;
    expect((await output.finish(HEAD)).shaping?.total).toBe(written);
  });

  it('that fails rejects the next write and the end of the output', async () => {
    const full = new LogError('artifact/write-failed', 'the disk is full');
    const artifacts: Artifacts = {
      ...createMemoryStore().artifacts,
      put: () => Promise.reject(full),
    };
    const output = openOutput({ artifacts, secrets });
    const failed = async (): Promise<void> => {
      for (let index = 0; index < 10; index += 1) await output.write('x'.repeat(60_000));
    };
    await expect(failed()).rejects.toBe(full);
    await expect(output.finish(HEAD)).rejects.toBe(full);
  });

  it('keeps nothing of a dropped output, and nothing of what is written to it afterwards', async () => {
    const shelf = counted();
    const kept: Digest[] = [];
    const artifacts: Artifacts = {
      ...shelf,
      put: async (bytes) => {
        const stored = await shelf.put(bytes);
        kept.push(stored.digest);
        return stored;
      },
    };
    const output = openOutput({ artifacts, secrets });
    await output.write('x'.repeat(200_000));
    output.drop();
    await output.write('x'.repeat(200_000));
    await new Promise((resolve) => setImmediate(resolve));
    expect(kept).toEqual([]);
  });
});

describe('an output of 300 MB', () => {
  it('is streamed while only its two ends are in memory', async () => {
    const hash = newHash();
    let most = 0;
    let size = 0;
    const sink: Artifacts = {
      ...createMemoryStore().artifacts,
      put: async (bytes) => {
        if (bytes instanceof Uint8Array) throw new Error('not streamed');
        for await (const chunk of bytes) {
          size += chunk.length;
          hash.update(chunk.subarray(0, 16));
          // Garbage is collected first, so the result contains only memory in use.
          if (size % 16_777_216 < chunk.length) {
            collectGarbage();
            most = Math.max(most, process.memoryUsage().arrayBuffers);
          }
        }
        return { digest: digest(hash.hex()), size };
      },
    };
    const before = process.memoryUsage().arrayBuffers;
    const output = openOutput({ artifacts: sink, secrets: NO_SECRETS });
    const chunk = Buffer.from('a line of sixty-four bytes, which is what many programs print..\n'.repeat(16_384));
    for (let index = 0; index < 300; index += 1) await output.write(chunk);
    const { shaping } = await output.finish(TAIL);
    expect(shaping).toEqual({ by: 'tail', kept: shaping?.kept, total: 300 * 16_384, unit: 'lines' });
    expect(size).toBeLessThanOrEqual(256 * 1_024 * 1_024);
    expect(size).toBeGreaterThan(255 * 1_024 * 1_024);
    // The whole artifact in memory would be at least 256 MB.
    expect(most).toBeGreaterThan(0);
    expect(most - before).toBeLessThan(100_000_000);
  });
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this runtime has no garbage collector to call');
  collect();
}
