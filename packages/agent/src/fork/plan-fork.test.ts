import type { Event, Log, Recorded } from '@tidemark/log';
import { position, sessionId } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, test } from 'vitest';
import { answering, calls, cutShelf, goLive, heldBy, says } from '../../tests/small-live.ts';
import { ID, begin, prompt, second } from '../../tests/small-session.ts';
import { made } from '../../tests/small-work.ts';
import { commit } from '../session/session.ts';
import type { Open } from './cut-points.ts';
import { readCutPoints, readPrompts } from './cut-points.ts';
import { beginFork, planFork } from './plan-fork.ts';

const look = made('look', () => ({
  text: 'seen',
  files: [
    { path: '/w/read.ts', as: 'read' },
    { path: '/w/cart.ts', as: 'written' },
    { path: '/w/old.ts', as: 'removed' },
  ],
}));

/** Returns a session of two turns. The first turn makes two calls in one batch. */
async function twoTurns(): Promise<Awaited<ReturnType<typeof goLive>>> {
  const provider = answering(calls(['c1', 'look'], ['c2', 'look']), says('Looked.'), says('Again.'));
  const stage = await goLive({ provider, runtime: { tools: [look] } });
  await stage.live.prompt('Look at it.');
  await stage.live.prompt('And again.');
  return stage;
}

const placeOf = (records: readonly Recorded[], kind: Recorded['kind'], nth = 0): number =>
  records.filter((record) => record.kind === kind)[nth]?.position ?? -1;

describe('closed positions', () => {
  test('are all positions without a pending request, open calls or an open turn', async () => {
    const { log, records } = await twoTurns();
    const points = await readCutPoints(log, ID);
    const told = (await records()).map(({ kind }, at) => [kind, points[at]]);
    const open = (kind: string): readonly unknown[] => told.filter(([one]) => one === kind).map(([, is]) => is);
    expect(open('request.prepared')).toEqual(['request', 'request', 'request']);
    expect(open('answer.received')).toEqual(['calls', 'turn', 'turn']);
    expect(open('tool.started')).toEqual(['calls', 'calls']);
    expect(open('tool.returned')).toEqual(['calls', 'turn']);
    for (const kind of ['turn.started', 'prompt.given']) expect(open(kind)).toEqual(['turn', 'turn']);
    for (const kind of ['session.created', 'turn.ended']) expect(new Set(open(kind))).toEqual(new Set([undefined]));
  });

  test('are not between the records of one compaction, but a compaction without an epoch is closed', async () => {
    const { log, session } = await begin();
    const note = (cause: 'initial' | 'compacted-away'): Event => ({
      kind: 'context.noted',
      at: second(1),
      data: { source: 's', revision: 'r', cause, body: 'b' },
    });
    const compacted: Event = {
      kind: 'history.compacted',
      at: second(1),
      data: {
        range: { from: position(0), to: position(1) },
        strategy: 'deterministic',
        trigger: 'manual',
        checkpoint: 'c',
        limitations: [],
      },
    };
    await commit(session, [prompt('a'), compacted, note('compacted-away'), note('initial'), prompt('b')]);
    const expected: (Open | undefined)[] = [undefined, undefined, 'compaction', undefined, undefined, undefined];
    expect(await readCutPoints(log, ID)).toEqual(expected);
  });

  test('end at the first record of an unknown kind', async () => {
    const { log, live } = await twoTurns();
    const read: Log['read'] = async function* (...from) {
      for await (const record of log.read(...from))
        yield record.position < 3 ? record : { ...record, kind: 'unknown', name: 'tide.turned', data: {} };
    };
    expect((await readCutPoints({ ...log, read }, live.id)).slice(1, 5)).toEqual([
      undefined,
      'turn',
      'unknown-kind',
      'unknown-kind',
    ]);
  });
});

describe('`planFork`', () => {
  test('refuses each given position inside a turn, and the error names the nearest positions before and after the turn', async () => {
    const { log, records } = await twoTurns();
    const all = await records();
    const begins = placeOf(all, 'turn.started');
    const ends = placeOf(all, 'turn.ended');
    for (let at = begins; at < ends; at += 1)
      await expect(planFork(log, ID, { at })).rejects.toMatchObject({
        code: 'agent/not-closed',
        data: { before: begins - 1, after: ends },
      });
    await expect(planFork(log, ID, { at: placeOf(all, 'tool.returned', 1) })).rejects.toThrow(
      `where a turn has not ended; fork at record ${begins - 1} before it, or at record ${ends} after it`,
    );
    for (const at of [begins - 1, ends]) expect((await planFork(log, ID, { at })).parent.position).toBe(at);
  });

  test('without a position continues the turn that is open at the end', async () => {
    const { shelf, records } = await twoTurns();
    const end = placeOf(await records(), 'tool.returned', 1);
    const log = createMemoryStore(cutShelf(shelf, end + 1));
    expect(await planFork(log, ID)).toMatchObject({ parent: { position: end }, left: undefined, open: undefined });
    await expect(planFork(log, ID, { at: end })).rejects.toMatchObject({ data: { open: 'turn', after: undefined } });
  });

  test('refuses a position inside a batch or between request and answer, and the error names the nearest closed positions', async () => {
    const { log, records } = await twoTurns();
    const all = await records();
    const before = placeOf(all, 'turn.started') - 1;
    const after = placeOf(all, 'turn.ended');
    for (const [at, open] of [
      [placeOf(all, 'request.prepared'), 'request'],
      [placeOf(all, 'tool.returned'), 'calls'],
    ] as const)
      await expect(planFork(log, ID, { at })).rejects.toMatchObject({
        code: 'agent/not-closed',
        message: expect.stringContaining(`fork at record ${before} before it, or at record ${after} after it`),
        data: { at, open, before, after },
      });
    for (const at of [before, after]) expect((await planFork(log, ID, { at })).parent.position).toBe(at);
  });

  test('refuses a position or a prompt that does not exist', async () => {
    const { log } = await twoTurns();
    for (const options of [{ at: 999 }, { at: -1 }, { at: 1.5 }, { beforePrompt: 3 }, { beforePrompt: 0 }])
      await expect(planFork(log, ID, options)).rejects.toMatchObject({ code: 'agent/no-such-record' });
  });

  test('with `beforePrompt` goes back to before a prompt and its turn, counted from the beginning or from the end', async () => {
    const { log, records } = await twoTurns();
    const ended = placeOf(await records(), 'turn.ended');
    for (const beforePrompt of [2, -1]) {
      const { parent, left } = await planFork(log, ID, { beforePrompt });
      expect([parent.position, left?.from]).toEqual([ended, ended + 1]);
    }
    const prompts = await readPrompts(log, ID);
    expect(prompts.map(({ number, words }) => [number, words])).toEqual([
      [1, 'Look at it.'],
      [2, 'And again.'],
    ]);
    expect((await planFork(log, ID, { beforePrompt: 1 })).parent.position).toBeLessThan(prompts[0]?.begins ?? 0);
  });

  test('without a position begins before the batch if the session was cut off inside the batch, and reports the open calls', async () => {
    const { shelf, records } = await twoTurns();
    const all = await records();
    const log = createMemoryStore(cutShelf(shelf, placeOf(all, 'tool.returned') + 1));
    const plan = await planFork(log, ID);
    expect(plan).toMatchObject({
      parent: { session: ID, position: placeOf(all, 'request.prepared') - 1 },
      left: { from: placeOf(all, 'request.prepared'), to: placeOf(all, 'tool.returned') },
      open: 'calls',
    });
  });

  test('refers to the ancestor that contains the record if a fork is forked at an earlier position', async () => {
    const { live, log } = await twoTurns();
    const child = await live.fork();
    const at = 1;
    expect((await planFork(log, child.id, { at })).parent).toMatchObject({ session: ID, position: at });
    expect((await planFork(log, child.id)).parent.session).toBe(child.id);
  });

  test('writes nothing', async () => {
    const { log, kinds } = await twoTurns();
    const before = await kinds();
    await planFork(log, ID, { beforePrompt: 1, summarize: true });
    expect(await kinds()).toEqual(before);
    expect((await log.sessions()).sessions).toHaveLength(1);
  });
});

describe('a fork', () => {
  test('of a running session contains the records up to the last closed position, and both sessions continue', async () => {
    const provider = answering(calls(['c1', 'fork']), says('done'), says('child'));
    let child: Awaited<ReturnType<typeof goLive>>['live'] | undefined;
    const stage = await goLive({
      provider,
      runtime: {
        tools: [
          made('fork', async () => {
            child = await stage.live.fork();
            return { text: 'forked' };
          }),
        ],
      },
    });
    expect(await stage.live.prompt('go')).toMatchObject({ outcome: 'completed', text: 'done' });
    expect(await child?.resume()).toMatchObject({ outcome: 'completed', text: 'child' });
  });

  test('keeps the mode of its parent, and does not restore a right that was revoked later', async () => {
    const { live, log } = await goLive({ provider: answering(says('a'), says('b')) });
    await live.prompt('one');
    await live.setMode('read-only');
    await live.prompt('two');
    expect((await live.fork({ beforePrompt: -1 })).mode).toBe('read-only');
    const session = await beginFork(log, await planFork(log, ID, { beforePrompt: 1 }), {
      id: sessionId('other'),
      at: second(9),
    });
    expect(session.progress.mode).toBe('read-only');
  });

  test('contains a summary of the abandoned branch only if `summarize` is set', async () => {
    const provider = answering(
      calls(['c1', 'look'], ['c2', 'look']),
      says(`Looked. ${'x'.repeat(900)}`),
      says('ok'),
      says('ok'),
    );
    const { live, log } = await goLive({ provider, runtime: { tools: [look] } });
    await live.prompt('Look at it.');
    const plain = await live.fork({ beforePrompt: 1 });
    await plain.prompt('Start over.');
    expect(heldBy(provider.sent.at(-1)?.body ?? new Uint8Array())).not.toContainEqual(
      expect.stringContaining('branch'),
    );
    const told = await live.fork({ beforePrompt: 1, summarize: true });
    await told.prompt('Start over.');
    const [summary] = (await Array.fromAsync(log.read(told.id))).flatMap((one) =>
      one.kind === 'branch.summarized' ? [one.data] : [],
    );
    expect(summary).toMatchObject({ session: ID, strategy: 'deterministic' });
    expect(summary?.text.split('\n')).toEqual([
      'The user went back to a point before the work listed here. That work is no longer part of this conversation.',
      'Prompts:',
      '- Look at it.',
      'Work:',
      '- 2 answers; calls: look 2',
      'Files changed:',
      '- /w/cart.ts',
      'Files removed:',
      '- /w/old.ts',
      'Last answer:',
      `- Looked. ${'x'.repeat(392)}…`,
    ]);
    expect(summary?.limitations.join('\n')).toMatch(
      /lossy.*session s1, records 2 to \d+[^]*Files are as that branch left them[^]*1 entries/,
    );
    expect(heldBy(provider.sent.at(-1)?.body ?? new Uint8Array())).toContainEqual(expect.stringMatching(/^<branch>/));
  });
});
