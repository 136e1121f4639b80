import { createHash } from 'node:crypto';
import type { FileTouch, Recorded, Usage } from '@tidemark/log';
import { digest } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, test } from 'vitest';
import { inShort, wordsOf } from '../../tests/in-short.ts';
import { ID, READ } from '../../tests/small-session.ts';
import type { Setting, SmallWork } from '../../tests/small-work.ts';
import { beginWork, made } from '../../tests/small-work.ts';
import { headroomOf } from '../output/result-limits.ts';
import type { Runtime } from '../ports/runtime.ts';
import { NO_SECRETS } from '../ports/secrets.ts';
import type { Tool } from '../ports/tool.ts';
import { createSecrets } from '../secrets/create-secrets.ts';
import { readArtifact } from '../session/materials.ts';
import { runCalls } from './run-calls.ts';

const TOKEN = 'correct-horse-battery';

type Ended = SmallWork & { readonly last: Recorded | undefined; readonly words: string };

async function close(tool: Tool, change: Partial<Setting> = {}): Promise<Ended> {
  const small = await beginWork({ calls: [{ id: 'c1', name: tool.name }], tools: [tool], ...change });
  await runCalls(small.work);
  const all = await small.records();
  return { ...small, last: all.at(-1), words: wordsOf(all) };
}

describe('the result of a tool', () => {
  test('is the text it wrote, in order, followed by the text it returned', async () => {
    const tool = made('look', async ({ write }) => {
      await write('one\n');
      await write(Buffer.from('two\n'));
      return { text: 'three' };
    });
    expect((await close(tool)).words).toBe('one\ntwo\nthree');
  });

  test('is complete even if the tool does not wait for its writes', async () => {
    const tool = made('look', ({ write }) => {
      for (const word of ['a', 'b', 'c']) void write(word);
      return { text: 'd' };
    });
    expect((await close(tool)).words).toBe('abcd');
  });

  test('may be empty', async () => {
    expect((await close(made('look', () => ({})))).last).toMatchObject({ kind: 'tool.returned', data: { parts: [] } });
  });

  test('carries exit code, files and duration, and is a failure if the tool reports one', async () => {
    const file: FileTouch = { path: '/w/a', digest: digest('a'.repeat(64)), as: 'written' };
    const tool = made('look', () => {
      small.pass(40);
      return { text: 'bad', failed: true, exit: 2, files: [file] };
    });
    const small = await beginWork({ calls: [{ id: 'c1', name: 'look' }], tools: [tool] });
    await runCalls(small.work);
    expect((await small.records()).at(-1)).toMatchObject({
      kind: 'tool.failed',
      data: { call: 'c1', exit: 2, durationMs: 40, files: [file] },
    });
    expect(small.session.progress.knownFiles.get('/w/a')).toEqual(file);
  });

  test("may carry facts, which are recorded directly after the call's closing event, and a fact with a field for the call gets the call's id", async () => {
    const skill = { name: 'tax', version: 'v1', reason: 'on_demand', tokens: 7, source: '/s' } as const;
    const memory = { file: 'MEMORY.md', operation: 'add', after: digest('b'.repeat(64)), bytes: 3 } as const;
    const tool = made('look', () => ({
      text: 'body',
      facts: [
        { kind: 'skill.loaded', data: skill },
        { kind: 'memory.changed', data: memory },
      ],
    }));
    const { records } = await close(tool);
    expect((await records()).slice(-3)).toMatchObject([
      { kind: 'tool.returned', data: { call: 'c1' } },
      { kind: 'skill.loaded', data: { ...skill, call: 'c1' } },
      { kind: 'memory.changed', data: memory },
    ]);
  });

  test('records no skill load if the skill body was cut, because a partial body does not count as loaded', async () => {
    const data = { name: 'tax', version: 'v1', reason: 'on_demand', tokens: 7, source: '/s' } as const;
    const tool = made('look', () => ({ text: 'a line\n'.repeat(9_000), facts: [{ kind: 'skill.loaded', data }] }));
    const { records } = await close(tool);
    expect((await records()).at(-1)).toMatchObject({ kind: 'tool.returned', data: { shaping: { total: 9_000 } } });
  });

  test('contains images, and their bytes are stored once as artifacts', async () => {
    const data = Buffer.from('pixels');
    const tool = made('look', () => ({
      text: 'two of them',
      images: [
        { data, mediaType: 'image/png', width: 2, height: 1 },
        { data, mediaType: 'image/png' },
      ],
    }));
    const { last, session } = await close(tool);
    const [, image, again] = last?.kind === 'tool.returned' ? last.data.parts : [];
    expect(image).toMatchObject({ type: 'image', mediaType: 'image/png', bytes: 6, width: 2, height: 1 });
    if (image?.type !== 'image' || again?.type !== 'image') throw new Error('no image');
    expect(again.artifact).toBe(image.artifact);
    expect(await readArtifact(session.log.artifacts, image.artifact)).toEqual(data);
  });

  test('is masked before it is recorded', async () => {
    const secrets = {
      ...NO_SECRETS,
      mask: async (text: string) => text.replaceAll('s3cret', '[secret:KEY]'),
      maskEvent: async <T>(event: T): Promise<T> =>
        JSON.parse(JSON.stringify(event).replaceAll('s3cret', '[secret:KEY]')),
    };
    const throws = made('look', () => Promise.reject(new Error('refused by s3cret')));
    expect((await close(throws, { secrets })).words).toBe('refused by [secret:KEY]');
  });

  test('of a write that failed next to a secret explains that the secret is hidden and what to do', async () => {
    const secrets = { ...NO_SECRETS, mask: async (text: string) => text.replaceAll('s3cret', '[secret:KEY]') };
    const fails = (message: string, effect: Tool['effect']): Tool =>
      made('edit', () => Promise.reject(new Error(message)), { effect });
    const { words } = await close(fails('nearest is KEY=s3cret', 'write'), { secrets });
    expect(words).toMatch(/^nearest is KEY=\[secret:KEY\]\n\[A placeholder above.* replaces a secret in the file/);
    expect(words).toContain('Choose text that ends before the secret or begins after it');
    expect((await close(fails('nearest is KEY=1', 'write'), { secrets })).words).toBe('nearest is KEY=1');
    expect((await close(fails('no s3cret', 'read'), { secrets })).words).toBe('no [secret:KEY]');
  });

  test('of 5 MB is stored whole as an artifact, and the model sees the head or the tail as the tool chose', async () => {
    const line = `${'x'.repeat(99)}\n`;
    const tool = (truncate: 'start' | 'end'): Tool =>
      made(
        'look',
        async ({ write }) => {
          await write('first\n');
          for (let i = 0; i < 50; i += 1) await write(line.repeat(1000));
          return { text: 'last' };
        },
        { truncate },
      );
    for (const truncate of ['start', 'end'] as const) {
      const { last, words, session } = await close(tool(truncate));
      if (last?.kind !== 'tool.returned' || last.data.output === undefined) throw new Error('no output');
      expect(words.length).toBeLessThanOrEqual(51_200);
      expect(words.includes('first')).toBe(truncate === 'end');
      expect(words.includes('last')).toBe(truncate === 'start');
      expect(last.data.shaping?.total).toBeGreaterThan(last.data.shaping?.kept ?? Infinity);
      expect((await readArtifact(session.log.artifacts, last.data.output)).length).toBe(5_000_010);
      expect(session.progress.knownOutputs.has(last.data.output)).toBe(true);
    }
  });

  test('in progress is sent to presenters and is in no record', async () => {
    const tool = made('look', ({ progress }) => {
      progress('half');
      return {};
    });
    const { told, records } = await close(tool);
    expect(told).toEqual([{ type: 'tool.progressed', call: 'c1', text: 'half' }]);
    expect(JSON.stringify(await records())).not.toContain('half');
  });

  test('is sent to presenters while the call runs, with its secrets masked, and not after its end', async () => {
    const shown = Promise.withResolvers<void>();
    const tool = made('look', async ({ write }) => {
      await write(`one \u001B[31m\n${TOKEN.slice(0, 9)}`);
      await write(`${TOKEN.slice(9)}\n`);
      await shown.promise;
      await write('end\n');
      return {};
    });
    const secrets = createSecrets({ values: [{ name: 'A_TOKEN', value: TOKEN }] });
    const { work, told, pass, records } = await beginWork({
      calls: [{ id: 'c1', name: 'look' }],
      tools: [tool],
      secrets,
    });
    const running = runCalls(work);
    await new Promise(setImmediate);
    pass(100);
    await new Promise(setImmediate);
    const sent = [{ type: 'tool.output', call: 'c1', text: 'one \u001B[31m\n[secret:A_TOKEN]\n' }];
    expect(told).toEqual(sent);
    shown.resolve();
    await running;
    pass(1_000);
    await new Promise(setImmediate);
    expect(told).toEqual(sent);
    expect((await records()).map(({ kind }) => kind)).toEqual(['permission.decided', 'tool.started', 'tool.returned']);
  });
});

describe('the bytes of a file before a change', () => {
  const tool = made('write', async ({ undo }) => {
    await undo?.keep(Buffer.from(`key=${TOKEN}\n`));
    return { text: 'done' };
  });

  test('are kept unmasked for the session, and are in no record', async () => {
    const log = createMemoryStore();
    const { records } = await close(tool, { log });
    const bytes = await log.undo?.get(ID, digest(createHash('sha256').update(`key=${TOKEN}\n`).digest('hex')));
    expect(Buffer.from(bytes ?? '').toString()).toBe(`key=${TOKEN}\n`);
    expect(JSON.stringify(await records())).not.toContain(TOKEN);
  });

  test('that cannot be kept do not stop the call, and a notice reports it', async () => {
    const memory = createMemoryStore();
    const undo = { largest: 100, keep: () => Promise.reject(new Error('no space left')), get: async () => undefined };
    const { last, told } = await close(tool, { log: { ...memory, undo } });
    expect(last?.kind).toBe('tool.returned');
    expect(told).toMatchObject([{ type: 'notice.raised', notice: { code: 'undo/not-kept' } }]);
  });

  test('are not asked for if the store keeps none', async () => {
    const { undo: _, ...log } = createMemoryStore();
    const { last } = await close(
      made('write', ({ undo }) => ({ text: typeof undo })),
      { log },
    );
    expect(wordsOf(last === undefined ? [] : [last])).toBe('undefined');
  });
});

describe('ten outputs of 50 KiB at once', () => {
  const calls = Array.from({ length: 10 }, (_, i) => ({ id: `c${i}`, name: 'look' }));
  const text = 'some words that a model may read or leave aside\n'.repeat(1_060);

  interface Shown {
    /** Estimated tokens left in the window before the calls. `after` is the estimate after them. */
    readonly before: number;
    readonly after: number;
    /** Bytes of each call's output that the model sees. */
    readonly bytes: readonly number[];
  }

  async function run(tool: Tool, input: number, runtime: Partial<Runtime> = {}): Promise<Shown> {
    const usage: Usage = { fresh: input, read: 0, writes: [], answer: 100 };
    const { session, work, records } = await beginWork({ calls, tools: [tool], listed: [READ], usage, runtime });
    const { capabilities, budgets } = work.runtime;
    const left = (): number => headroomOf(session.state, capabilities, budgets) ?? Number.NaN;
    const before = left();
    await runCalls(work);
    const all = await records();
    return { before, after: left(), bytes: calls.map(({ id }) => wordsOf(all, id).length) };
  }

  test('stay whole if they fit into the window', async () => {
    const small = 'word '.repeat(2_000);
    const { bytes } = await run(
      made('look', () => ({ text: small })),
      1_000,
    );
    expect(new Set(bytes)).toEqual(new Set([small.length]));
  });

  test('share the room left below the `hard` budget that the user set', async () => {
    const tool = made('look', () => ({ text }));
    const { before, after, bytes } = await run(tool, 10_000, { budgets: { hard: 40_000 } });
    expect(before).toBeLessThan(30_000);
    expect(Math.max(...bytes)).toBeLessThanOrEqual((before * 2) / 10);
    expect(after).toBeGreaterThan(0);
  });

  test('share the room left in the window if the calls run in parallel', async () => {
    const { before, after, bytes } = await run(
      made('look', () => ({ text })),
      100_000,
    );
    expect(text.length).toBeGreaterThan(50_000);
    expect(Math.max(...bytes)).toBeLessThanOrEqual((before * 2) / 10);
    expect(Math.min(...bytes)).toBeGreaterThan((before * 2 * 0.9) / 10);
    expect(after).toBeGreaterThan(0);
  });

  test('share the room left in the window if the calls run one after another, and room that one call does not use goes to the others', async () => {
    const oneByOne = (say: (call: string) => string): Tool =>
      made('look', ({ call }) => ({ text: say(call) }), { alone: true });
    const even = await run(
      oneByOne(() => text),
      130_000,
    );
    const uneven = await run(
      oneByOne((call) => (call < 'c5' ? 'short' : text)),
      130_000,
    );
    expect(even.after).toBeGreaterThan(0);
    expect(uneven.after).toBeGreaterThan(0);
    expect(uneven.bytes[5]).toBeGreaterThan((uneven.before * 2 * 0.9) / 5);
  });

  test('show 2 KiB each if no room is left in the window', async () => {
    const { bytes } = await run(
      made('look', () => ({ text })),
      199_000,
    );
    for (const one of bytes) expect(one).toBeLessThanOrEqual(2_048);
    for (const one of bytes) expect(one).toBeGreaterThan(1_024);
  });
});

describe('a tool that throws', () => {
  test('fails its call with the error message and never with the stack', async () => {
    const { last, words } = await close(made('look', () => Promise.reject(new Error('no such file'))));
    expect(last?.kind).toBe('tool.failed');
    expect(words).toBe('no such file');
  });

  test('reports the error with its stack as an event, which the log does not contain', async () => {
    const error = new Error('no such file');
    const { told, words } = await close(made('look', () => Promise.reject(error)));
    expect(told).toEqual([{ type: 'tool.threw', call: 'c1', tool: 'look', error }]);
    expect(error.stack).toContain('run-call.test.ts');
    expect(words).not.toContain('run-call.test.ts');
  });

  test('before its first await also fails its call', async () => {
    const throws = made('look', () => {
      throw new TypeError('');
    });
    expect((await close(throws)).words).toBe('TypeError');
  });

  test('keeps the text it wrote, with the visible error message on a line of its own', async () => {
    const wrote = (text: string): Tool =>
      made('look', async ({ write }) => {
        await write(text);
        throw new Error('then it broke');
      });
    expect((await close(wrote('half'))).words).toBe('half\nthen it broke');
    expect((await close(wrote('half\n'))).words).toBe('half\nthen it broke');
    expect((await close(wrote('line\n'.repeat(100_000)))).words).toMatch(/\nthen it broke$/);
  });

  test('does not stop the other calls', async () => {
    const tools = [made('look', () => Promise.reject(new Error('no'))), made('see', () => ({ text: 'yes' }))];
    const calls = [
      { id: 'c1', name: 'look' },
      { id: 'c2', name: 'see' },
    ];
    const { work, records } = await beginWork({ calls, tools });
    await runCalls(work);
    expect(
      inShort(await records())
        .slice(4)
        .toSorted(),
    ).toEqual(['tool.failed c1', 'tool.returned c2']);
  });
});

describe('a result that cannot be stored', () => {
  test('in the log closes the call as failed, because the call cannot stay open', async () => {
    const { last, words } = await close(made('look', () => ({ text: 'fine', exit: Number.NaN })));
    expect(last?.kind).toBe('tool.failed');
    expect(words).toMatch(/^"look" ran and may have taken effect, but its result could not be recorded: .*JSON/);
  });

  test('as an artifact also closes the call as failed', async () => {
    const log = createMemoryStore();
    const full = {
      ...log,
      artifacts: { ...log.artifacts, put: () => Promise.reject(new Error('no space left')) },
    };
    const images = [{ data: Buffer.from('x'), mediaType: 'image/png' }];
    const { words } = await close(
      made('look', () => ({ images })),
      { log: full },
    );
    expect(words).toBe('"look" ran and may have taken effect, but its result could not be recorded: no space left');
  });
});

describe('the context of a call', () => {
  test('returns files that were touched and outputs that the log names, and no others', async () => {
    const seen: unknown[] = [];
    const output = digest('0123456789abcdef'.repeat(4));
    const twin = digest('0123456789ab0000'.repeat(4));
    const tool = made('look', ({ fileSeen, output: find }) => {
      seen.push(fileSeen('/w/a'), fileSeen('/w/b'));
      for (const name of [output, '0123456789ab', '0123456789abc', '01234567', 'f'.repeat(64)]) seen.push(find(name));
      return {};
    });
    const small = await beginWork({ calls: [{ id: 'c1', name: 'look' }], tools: [tool] });
    small.session.progress.knownFiles.set('/w/a', { path: '/w/a', as: 'read' });
    small.session.progress.knownOutputs.add(output).add(twin);
    await runCalls(small.work);
    expect(seen.slice(0, 2)).toEqual([{ path: '/w/a', as: 'read' }, undefined]);
    expect(seen.slice(2).map((one) => one !== undefined)).toEqual([true, false, true, false, false]);
  });
});
