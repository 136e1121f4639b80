// Contract of `append`: order, positions, conflicts, refused events, and replaced characters.

import { canonicalJson } from '@tidemark/core';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { KINDS } from '../../src/codec/revision-1/decoders.ts';
import type { Event } from '../../src/event.ts';
import { CHAIN_START, timestamp, turnId } from '../../src/ids.ts';
import { EVENTS, anEvent } from '../arbitrary-event.ts';
import type { LogFactory } from '../log-under-test.ts';
import {
  NOON,
  appended,
  created,
  fails,
  gather,
  prompt,
  prompts,
  textOrKind,
  session,
  sessionWith,
  texts,
} from '../samples.ts';
import { claim } from '../with-store.ts';

export function claimAppends(factory: LogFactory): void {
  describe('`append`', () => {
    claim(factory, 'writes records in order, at positions from 0 without gaps', async ({ log }) => {
      const id = session('a');
      const writer = await log.create(id);
      expect([writer.length, writer.chain]).toEqual([0, CHAIN_START]);
      await appended(writer, [created(id), prompt('0')]);
      await appended(writer, prompts(3, 1));
      const records = await gather(log.read(id));
      expect(records.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4]);
      expect(records.map(textOrKind)).toEqual(['session.created', '0', '1', '2', '3']);
      expect([writer.length, writer.chain]).toEqual([5, records[4]?.chain]);
      await writer.close();
    });

    claim(factory, 'makes records visible to readers before `sync`', async ({ log, reopen }) => {
      const id = session('a');
      const writer = await sessionWith(log, id, 2);
      expect(await texts(reopen(), id)).toEqual(['session.created', '0', '1']);
      await writer.close();
    });

    claim(factory, 'returns the records exactly as a reader gets them', async ({ log }) => {
      const id = session('a');
      const writer = await log.create(id);
      const given = await appended(writer, [created(id), ...prompts(2)]);
      expect(await gather(log.read(id))).toEqual(given);
      await writer.close();
    });

    claim(
      factory,
      'returns a conflict as a value and writes nothing if the expected length is wrong',
      async ({ log }) => {
        const id = session('a');
        const writer = await sessionWith(log, id, 1);
        expect(await writer.append(prompts(1), 1)).toEqual({ ok: false, conflict: { expected: 1, actual: 2 } });
        expect(await writer.append(prompts(1), 3)).toEqual({ ok: false, conflict: { expected: 3, actual: 2 } });
        expect(await texts(log, id)).toEqual(['session.created', '0']);
        await writer.close();
      },
    );

    claim(factory, 'succeeds for exactly one of two calls with the same expected length', async ({ log }) => {
      const id = session('a');
      const writer = await sessionWith(log, id, 0);
      const both = await Promise.all([writer.append([prompt('one')], 1), writer.append([prompt('two')], 1)]);
      expect(both.map(({ ok }) => ok)).toEqual([true, false]);
      expect(await texts(log, id)).toEqual(['session.created', 'one']);
      await writer.close();
    });

    claim(factory, 'writes nothing for an empty list of events', async ({ log }) => {
      const id = session('a');
      const writer = await sessionWith(log, id, 1);
      expect(await writer.append([], 2)).toEqual({ ok: true, position: 2, records: [], replaced: 0 });
      expect(await texts(log, id)).toEqual(['session.created', '0']);
      await writer.close();
    });

    claim(factory, 'accepts events whose times go backwards', async ({ log }) => {
      const id = session('a');
      const writer = await sessionWith(log, id, 0);
      const times = ['2026-11-20T12:00:00.000Z', '2026-11-20T11:00:00.000Z', '1999-01-01T00:00:00.000Z'].map(timestamp);
      await appended(
        writer,
        times.map((at) => prompt('tick', at)),
      );
      expect((await gather(log.read(id, 1))).map(({ at }) => at)).toEqual(times);
      await writer.close();
    });

    claim(
      factory,
      'replaces lone surrogates, which UTF-8 cannot represent, and returns how many strings it changed',
      async ({ log }) => {
        const id = session('a');
        const writer = await sessionWith(log, id, 0);
        const result = await writer.append([prompt('a\ud800b'), prompt('whole \u{1f600}')], 1);
        expect(result).toMatchObject({ ok: true, replaced: 1 });
        expect(result.ok ? result.records.map(textOrKind) : []).toEqual(['a\ufffdb', 'whole \u{1f600}']);
        expect(await texts(log, id, 1)).toEqual(['a\ufffdb', 'whole \u{1f600}']);
        await writer.close();
      },
    );

    claim(
      factory,
      'refuses an event that does not have the shape of its kind, and accepts the next event',
      async ({ log }) => {
        const id = session('a');
        const writer = await sessionWith(log, id, 0);
        const wrong: Event[] = [
          Object.assign(prompt('x'), { data: { parts: 'no array', presenter: 'test' } }),
          Object.assign(prompt('x'), { at: 'yesterday' }),
          Object.assign(prompt('x'), { kind: 'prompt.dreamt' }),
          Object.assign(prompt('x'), { data: { parts: [], presenter: 'test', steer: 1n } }),
        ];
        for (const event of wrong) await fails(writer.append([prompt('sound'), event], 1), 'log/invalid-event');
        const error = await fails(writer.append([wrong[0] ?? prompt('x')], 1), 'log/invalid-event');
        expect(error.data).toMatchObject({ kind: 'prompt.given', issues: [{ path: 'data.parts' }] });
        expect(error.message).not.toContain('no array');
        await appended(writer, [prompt('goes on')]);
        expect(await texts(log, id)).toEqual(['session.created', 'goes on']);
        await writer.close();
      },
    );

    claim(
      factory,
      'accepts only the `session.created` of its session as the first record, and no second one',
      async ({ log }) => {
        const id = session('a');
        const writer = await log.create(id);
        await fails(writer.append([prompt('first')], 0), 'log/first-record');
        await fails(writer.append([created(session('b'))], 0), 'log/first-record');
        await fails(writer.append([created(id), created(id)], 0), 'log/first-record');
        await appended(writer, [created(id)]);
        await fails(writer.append([created(id)], 1), 'log/first-record');
        expect(await texts(log, id)).toEqual(['session.created']);
        await writer.close();
      },
    );

    claim(factory, 'stores events of every kind unchanged, with and without each optional field', async ({ log }) => {
      const id = session('a');
      const writer = await sessionWith(log, id, 0);
      const each = KINDS.filter((kind) => kind !== 'session.created').map((kind) =>
        fc.array<Event>(EVENTS[kind], { minLength: 4, maxLength: 4 }),
      );
      await fc.assert(
        fc.asyncProperty(fc.tuple(...each), fc.array(anEvent), async (kinds, more) => {
          const events = [...kinds.flat(), ...more];
          const from = writer.length;
          await appended(writer, events);
          const records = await gather(log.read(id, from));
          expect(records.map(({ kind, at, turn, data }) => canonicalJson({ kind, at, turn, data }).text)).toEqual(
            events.map((event) => canonicalJson(event).text),
          );
        }),
        { numRuns: 10 },
      );
      await writer.close();
    });

    claim(factory, 'stores every form of `session.created` unchanged', async ({ log }) => {
      let count = 0;
      await fc.assert(
        fc.asyncProperty(EVENTS['session.created'], async ({ data, at }) => {
          const id = session(`s${(count += 1)}`);
          const { parent: _parent, ...rest } = data;
          const writer = await log.create(id);
          await appended(writer, [{ kind: 'session.created', at, data: { ...rest, id } }]);
          await writer.close();
          expect((await gather(log.read(id)))[0]?.data).toEqual({ ...rest, id });
        }),
        { numRuns: 20 },
      );
    });

    claim(factory, 'stores the turn of an event that has one', async ({ log }) => {
      const id = session('a');
      const writer = await sessionWith(log, id, 0);
      await appended(writer, [{ kind: 'turn.started', at: NOON, turn: turnId('t "1"'), data: { trigger: 'user' } }]);
      expect((await gather(log.read(id))).map(({ turn }) => turn)).toEqual([undefined, 't "1"']);
      await writer.close();
    });
  });
}
