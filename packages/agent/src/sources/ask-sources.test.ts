import type { ContextNoted, Event, RecordedOf } from '@tidemark/log';
import { callId, digest, position, sessionId } from '@tidemark/log';
import { createMemoryStore, createMemoryBackend } from '@tidemark/store-memory';
import { describe, expect, test } from 'vitest';
import { asked, source } from '../../tests/asking.ts';
import type { Small } from '../../tests/small-session.ts';
import { ID, begin, prepare, prompt, second } from '../../tests/small-session.ts';
import type { ContextSource, ToolEffect } from '../ports/context-source.ts';
import type { Secrets } from '../ports/secrets.ts';
import { NO_SECRETS } from '../ports/secrets.ts';
import { readArtifact } from '../session/materials.ts';
import { commit, createSession, openSession } from '../session/session.ts';
import { askSources } from './ask-sources.ts';

async function notes({ log }: Pick<Small, 'log'>): Promise<readonly RecordedOf<'context.noted'>[]> {
  const found: RecordedOf<'context.noted'>[] = [];
  for await (const record of log.read(ID)) if (record.kind === 'context.noted') found.push(record);
  return found;
}

async function noted(small: Pick<Small, 'log'>): Promise<readonly ContextNoted[]> {
  return (await notes(small)).map(({ data }) => data);
}

const WROTE: ToolEffect = { tool: 'write', effect: 'write', touches: ['sheet'] };

describe('`askSources`', () => {
  test('notes each source once, in the order of the list, and again only when its revision changes', async () => {
    const small = await begin();
    const [one, two, none] = [source('one', 'a'), source('two', 'b'), source('none', undefined)];
    const { work } = asked(small, [two, none, one], second(7));
    await askSources(work);
    await askSources(work);
    one.state = 'c';
    await askSources(work);
    expect(await noted(small)).toEqual([
      { source: 'two', revision: 'b', cause: 'initial', body: 'two is b (initial)' },
      { source: 'one', revision: 'a', cause: 'initial', body: 'one is a (initial)' },
      { source: 'one', revision: 'c', cause: 'changed', body: 'one is c (changed)' },
    ]);
    expect((await notes(small))[0]).toMatchObject({ at: second(7), turn: 't1' });
  });

  test('appends all notes together, and appends nothing if no source changed', async () => {
    const small = await begin();
    const lengths: number[] = [];
    const append = small.session.writer.append.bind(small.session.writer);
    small.session.writer.append = (events, expected) => {
      lengths.push(events.length);
      return append(events, expected);
    };
    const { work } = asked(small, [source('one', 'a'), source('two', 'b')]);
    await askSources(work);
    await askSources(work);
    expect(lengths).toEqual([2]);
  });

  test('asks only the sources that a call affects', async () => {
    const small = await begin();
    const [sheet, other] = [source('sheet', 'a'), source('other', 'b')];
    const { work } = asked(small, [sheet, other]);
    await askSources(work, []);
    await askSources(work, [WROTE]);
    expect([sheet.seen.length, other.seen.length]).toEqual([1, 0]);
  });

  test('passes the workspace, the mode, the files and the last noted revision to a source', async () => {
    const small = await begin();
    const touch = { path: '/w/AGENTS.md', digest: digest('a'.repeat(64)), as: 'read' as const };
    const closing = { call: callId('c'), parts: [], files: [touch] };
    await commit(small.session, [
      { kind: 'mode.changed', at: second(0), data: { mode: 'auto', by: 'user' } },
      { kind: 'tool.returned', at: second(0), data: closing },
    ]);
    const one = source('one', 'a');
    const { work } = asked(small, [one], second(3));
    await askSources(work);
    await askSources(work);
    expect(one.seen).toMatchObject([
      { workspace: '/w', now: second(3), mode: 'auto', noted: undefined },
      { workspace: '/w', now: second(3), mode: 'auto', noted: 'a' },
    ]);
    expect([...(one.seen[0]?.files ?? [])]).toEqual([['/w/AGENTS.md', 'a'.repeat(64)]]);
  });

  test('repeats no note after a restart or in a fork', async () => {
    const shelf = createMemoryBackend();
    const small = await begin(createMemoryStore(shelf));
    const one = source('one', 'a');
    await askSources(asked(small, [one]).work);
    const parent = {
      session: ID,
      position: position(small.session.state.length - 1),
      chain: small.session.writer.chain,
    };
    await small.session.writer.close();
    const log = createMemoryStore(shelf);
    const reopened: Small = { log, session: await openSession(log, ID), promptStreams: { main: undefined } };
    await askSources(asked(reopened, [one]).work);
    expect(await noted(reopened)).toHaveLength(1);
    const child = await createSession(log, sessionId('s2'), parent);
    await askSources(asked({ log, session: child, promptStreams: { main: undefined } }, [one]).work);
    expect(child.state.length).toBe(parent.position + 1);
  });

  test('repeats once a note that a compaction dropped', async () => {
    const small = await begin();
    const { work } = asked(small, [source('one', 'a')]);
    await askSources(work);
    await commit(small.session, [prompt('go')]);
    const range = { from: position(0), to: position(small.session.state.length - 1) };
    const data = { range, strategy: 'deterministic', trigger: 'user', checkpoint: 'so far', limitations: [] } as const;
    await commit(small.session, [{ kind: 'history.compacted', at: second(1), data }]);
    await askSources(work);
    await askSources(work);
    expect((await noted(small)).map(({ cause }) => cause)).toEqual(['initial', 'compacted-away']);
  });

  test('runs one at a time, so that the later state of a source is noted last', async () => {
    const small = await begin();
    const rendering = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const slow = source('slow', 'a', {
      render: () => {
        begun.resolve();
        return rendering.promise;
      },
    });
    const mode = source('mode', 'ask');
    const first = askSources(asked(small, [mode, slow]).work);
    await begun.promise;
    mode.state = 'auto';
    const then = askSources(asked(small, [mode]).work);
    await new Promise(setImmediate);
    expect(await noted(small)).toEqual([]);
    rendering.resolve('words');
    await Promise.all([first, then]);
    expect((await noted(small)).map(({ revision }) => revision)).toEqual(['ask', 'a', 'auto']);
  });
});

describe('a context source that fails', () => {
  test('raises one notice, while the other sources are noted and the turn continues', async () => {
    const small = await begin();
    const bad = source('bad', 'x', {
      revision: () => {
        throw new Error('the sheet is locked');
      },
    });
    const worse = source('worse', 'x', { render: () => Promise.reject(new Error('no words')) });
    const { work, notices } = asked(small, [bad, source('good', 'a'), worse]);
    await askSources(work);
    await askSources(work);
    await askSources(asked(small, [bad]).work);
    expect((await noted(small)).map((note) => note.source)).toEqual(['good']);
    expect(notices).toMatchObject([
      { code: 'source/failed', message: 'the context source bad failed: the sheet is locked' },
      { code: 'source/failed', message: 'the context source worse failed: no words' },
    ]);
  });

  test('because it returns no text raises a notice, and the model gets no note from it', async () => {
    const small = await begin();
    // @ts-expect-error: a program in JavaScript may return any value.
    const mute = source('mute', 'a', { render: () => undefined });
    // @ts-expect-error: a program in JavaScript may return any value as a revision.
    const counting = source('counting', 'a', { revision: () => 5 });
    const { work, notices } = asked(small, [mute, counting]);
    await askSources(work);
    expect(await noted(small)).toEqual([]);
    expect(notices.map(({ message }) => message).toSorted()).toEqual([
      'the context source counting failed: `revision` must return a string, but returned number',
      'the context source mute failed: `render` must return a string, but returned undefined',
    ]);
  });

  test('is noted again when it recovers', async () => {
    const small = await begin();
    const moody = source('moody', 'a');
    const { work } = asked(small, [{ ...moody, revision: () => Promise.reject(new Error('not now')) }]);
    await askSources(work);
    await askSources(asked(small, [moody]).work);
    expect(await noted(small)).toHaveLength(1);
  });

  test('because it is too slow raises a notice, and the turn waits for it only `patienceMs`', async () => {
    const small = await begin();
    let told: AbortSignal | undefined;
    const begun = Promise.withResolvers<void>();
    const slow = source('slow', 'a', {
      patienceMs: 50,
      revision: ({ signal }) => {
        told = signal;
        begun.resolve();
        return new Promise(() => undefined);
      },
    });
    const { work, notices, waiting, expire } = asked(small, [slow, source('quick', 'b')]);
    const asking = askSources(work);
    await begun.promise;
    expire(50);
    await asking;
    expect(waiting).toEqual([50, 2_000]);
    expect(told?.aborted).toBe(true);
    expect(notices).toMatchObject([{ message: 'the context source slow failed: it did not answer within 50 ms' }]);
    expect((await noted(small)).map((note) => note.source)).toEqual(['quick']);
  });

  test('because `affectedBy` throws raises the same notice', async () => {
    const small = await begin();
    const bad = source('bad', 'a', {
      affectedBy: () => {
        throw new Error('what call?');
      },
    });
    const { work, notices } = asked(small, [bad]);
    await askSources(work, [WROTE]);
    expect(notices).toMatchObject([{ code: 'source/failed' }]);
  });

  test('because of an interrupt raises no notice, and nothing is noted', async () => {
    const small = await begin();
    const begun = Promise.withResolvers<void>();
    const slow = source('slow', 'a', {
      revision: () => {
        begun.resolve();
        return new Promise(() => undefined);
      },
    });
    const { work, notices, interrupt } = asked(small, [source('quick', 'b'), slow]);
    const asking = askSources(work);
    await begun.promise;
    interrupt();
    await asking;
    await askSources(work);
    expect(notices).toEqual([]);
    expect(await noted(small)).toEqual([]);
  });
});

describe('a note', () => {
  test('above 4 KiB keeps its beginning inline and its whole text as an output that can be read', async () => {
    const small = await begin();
    const lines = Array.from({ length: 400 }, (_, index) => `line ${index} of the structure`).join('\n');
    await askSources(asked(small, [source('structure', 'r1', { render: () => lines })]).work);
    const [note] = await noted(small);
    const { body = '', artifact } = note ?? {};
    if (artifact === undefined) throw new Error('the note names no artifact');
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(4_096);
    const [head, notice] = [body.slice(0, body.lastIndexOf('\n')), body.slice(body.lastIndexOf('\n') + 1)];
    expect(lines.startsWith(`${head}\n`)).toBe(true);
    expect(notice).toBe(
      `[The note is cut here, after ${head.length} of ${lines.length} bytes. To read the complete note, use output_read with output ${artifact}.]`,
    );
    expect(Buffer.from(await readArtifact(small.log.artifacts, artifact)).toString()).toBe(lines);
    expect(small.session.progress.knownOutputs.has(artifact)).toBe(true);
  });

  test('may be longer if its source asks for it, but never longer than 32 KiB', async () => {
    const small = await begin();
    const long = (name: string, inlineBytes: number): ContextSource =>
      source(name, 'r1', { inlineBytes, render: () => 'a line\n'.repeat(6_000) });
    const six = source('six', 'r1', { inlineBytes: 8_192, render: () => 'x'.repeat(6_000) });
    await askSources(asked(small, [long('more', 8_192), long('most', 100_000), six]).work);
    const bytes = (await noted(small)).map(({ body = '' }) => Buffer.byteLength(body));
    expect(bytes.every((length) => length > 5_000 && length <= 32_768)).toBe(true);
    expect(bytes[2]).toBe(6_000);
  });

  test('of one long line is cut between graphemes', async () => {
    const small = await begin();
    const family = '👨‍👩‍👧‍👦';
    await askSources(asked(small, [source('wide', 'r1', { render: () => family.repeat(500) })]).work);
    const [{ body = '' } = {}] = await noted(small);
    const head = body.slice(0, body.indexOf('\n'));
    expect(head.replaceAll(family, '')).toBe('');
    expect(head.length).toBeGreaterThan(family.length * 100);
  });

  test('contains no secret in its beginning, its artifact or its revision', async () => {
    const small = await begin();
    const mask = async (text: string): Promise<string> => text.replaceAll('hunter2hunter2', '[secret:PASSWORD]');
    const secrets: Secrets = { ...NO_SECRETS, mask };
    const guarded = { ...small, session: { ...small.session, secrets } };
    const text = `hunter2hunter2 ${'x'.repeat(4_000)} hunter2hunter2 ${'x'.repeat(4_000)}`;
    const leaky = source('leaky', 'hunter2hunter2', { render: () => text });
    const { work } = asked(guarded, [leaky]);
    await askSources(work);
    await askSources(work);
    const found = await noted(small);
    expect(found).toHaveLength(1);
    expect(JSON.stringify(found)).not.toContain('hunter2');
    const whole = await readArtifact(small.log.artifacts, found[0]?.artifact ?? digest('0'.repeat(64)));
    expect(Buffer.from(whole).toString()).toBe(await mask(text));
  });

  test('has a short revision even if the revision of its source is long', async () => {
    const small = await begin();
    const { work } = asked(small, [source('long', 'r'.repeat(10_000))]);
    await askSources(work);
    await askSources(work);
    expect((await noted(small)).map(({ revision }) => revision.length)).toEqual([64]);
  });
});

describe('in a tool loop', () => {
  const calls: Event = {
    kind: 'answer.received',
    at: second(1),
    data: {
      step: 0,
      stream: 'main',
      provider: 'scripted',
      model: 'claude-sonnet-4-5',
      parts: [{ type: 'call', call: callId('c1'), name: 'read', arguments: '{}' }],
      stop: 'calls',
      truncated: 'no',
      usage: {},
    },
  };
  const returned: Event = {
    kind: 'tool.returned',
    at: second(2),
    data: { call: callId('c1'), parts: [{ type: 'text', text: 'the result' }] },
  };

  async function bodyAfter(changed: 'branch' | 'mode'): Promise<readonly [loop: string, next: string]> {
    const small = await begin();
    const sources = {
      branch: source('workspace', 'main', { affectedBy: () => true }),
      mode: source('permission-mode', 'ask', { urgent: true, affectedBy: () => true }),
    };
    const { work } = asked(small, [sources.branch, sources.mode]);
    await askSources(work);
    await commit(small.session, [prompt('go')]);
    await prepare(small);
    await commit(small.session, [calls]);
    sources[changed].state = 'other';
    await askSources(work, [WROTE]);
    await commit(small.session, [returned]);
    const loop = await prepare(small, 3);
    await commit(small.session, [
      {
        kind: 'answer.failed',
        at: second(4),
        data: { step: 1, stream: 'main', class: 'stop', code: 'x', message: 'x' },
      },
      prompt('and now?', 5),
    ]);
    const next = await prepare(small, 6);
    return [Buffer.from(loop.body).toString(), Buffer.from(next.body).toString()];
  }

  test('a note about a changed branch waits for the next prompt', async () => {
    const [loop, next] = await bodyAfter('branch');
    expect(loop).not.toContain('workspace is other');
    expect(next.indexOf('workspace is other')).toBeGreaterThan(next.indexOf('the result'));
    expect(next.indexOf('workspace is other')).toBeLessThan(next.indexOf('and now?'));
  });

  test('a note about a changed mode does not wait and comes after the results', async () => {
    const [loop, next] = await bodyAfter('mode');
    expect(loop.indexOf('permission-mode is other')).toBeGreaterThan(loop.indexOf('the result'));
    expect(next.match(/permission-mode is other/g)).toHaveLength(1);
  });
});
