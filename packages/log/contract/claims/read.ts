// Contract of `read`: ranges, missing sessions, and kinds and fields written by a later build.

import { describe, expect } from 'vitest';
import type { LogFactory } from '../log-under-test.ts';
import { fails, gather, prompts, appended, textOrKind, session, sessionWith, texts } from '../samples.ts';
import { appendRaw } from '../raw-lines.ts';
import { claim, claimWhere } from '../with-store.ts';

const KEEPS_NO_LINES = 'this store does not keep its log as lines';

export function claimReads(factory: LogFactory): void {
  describe('`read`', () => {
    claim(factory, 'yields the records of any range, without the end position', async ({ log, reopen }) => {
      const id = session('a');
      const writer = await sessionWith(log, id, 40);
      const all = await texts(log, id);
      for (const store of [log, reopen()]) {
        for (const [from, to] of [
          [0, 41],
          [0, 0],
          [7, 7],
          [7, 8],
          [1, 40],
          [40, 41],
          [40, 99],
          [41, 42],
          [12, 3],
        ] as const) {
          expect(await texts(store, id, from, to)).toEqual(all.slice(from, Math.max(from, to)));
        }
        expect(await texts(store, id, 39)).toEqual(all.slice(39));
      }
      await writer.close();
    });

    claim(factory, 'can be stopped in the middle and started again', async ({ log }) => {
      const id = session('a');
      const writer = await sessionWith(log, id, 10);
      for await (const record of log.read(id)) if (record.position === 3) break;
      expect((await texts(log, id)).length).toBe(11);
      await writer.close();
    });

    claim(factory, 'throws `log/missing` for a session that does not exist', async ({ log }) => {
      const error = await fails(gather(log.read(session('nobody'))), 'log/missing');
      expect(error.sort).toBe('refused');
      await fails(log.open(session('nobody')), 'log/missing');
    });

    claim(factory, 'throws `log/missing` for a session without a record', async ({ log, reopen }) => {
      const id = session('a');
      await (await log.create(id)).close();
      await fails(gather(reopen().read(id)), 'log/missing');
      await fails(reopen().open(id), 'log/missing');
      expect((await reopen().sessions()).sessions).toEqual([]);
      await (await sessionWith(reopen(), id, 1)).close();
      expect(await texts(log, id)).toEqual(['session.created', '0']);
    });

    claimWhere(
      factory,
      'returns a record whose kind this build does not know with the kind `unknown`',
      ({ lines }) => lines,
      KEEPS_NO_LINES,
      async ({ log, reopen }, lines) => {
        const id = session('a');
        await (await sessionWith(log, id, 1)).close();
        await appendRaw(lines, id, { kind: 'dream.dreamt', data: '{"depth":3,"of":["sheep"]}' });
        const writer = await reopen().open(id);
        await appended(writer, prompts(1, 9));
        const records = await gather(log.read(id));
        expect(records.map(textOrKind)).toEqual(['session.created', '0', 'unknown', '9']);
        expect(records[2]).toMatchObject({
          kind: 'unknown',
          name: 'dream.dreamt',
          position: 2,
          data: { depth: 3, of: ['sheep'] },
        });
        await writer.close();
      },
    );

    claimWhere(
      factory,
      'omits fields of a later build from a payload, and keeps them in the stored bytes',
      ({ lines }) => lines,
      KEEPS_NO_LINES,
      async ({ log, reopen }, lines) => {
        const id = session('a');
        await (await sessionWith(log, id, 0)).close();
        const data = '{"mood":"fine","parts":[{"later":1,"text":"hello","type":"text"}],"presenter":"test"}';
        await appendRaw(lines, id, { kind: 'prompt.given', data });
        expect((await gather(reopen().read(id)))[1]?.data).toEqual({
          parts: [{ type: 'text', text: 'hello' }],
          presenter: 'test',
        });
        expect(Buffer.from(await lines.read(id)).includes(data)).toBe(true);
      },
    );

    claimWhere(
      factory,
      'yields the records before a revision that this build does not know, and then throws',
      ({ lines }) => lines,
      KEEPS_NO_LINES,
      async ({ log, reopen }, lines) => {
        const id = session('a');
        await (await sessionWith(log, id, 1)).close();
        await appendRaw(lines, id, { v: 2, kind: 'prompt.given', data: '{}' });
        const error = await fails(gather(reopen().read(id)), 'log/unknown-revision');
        expect(error.data).toMatchObject({ revision: 2, line: 3 });
        await fails(reopen().open(id), 'log/unknown-revision');
        expect(await texts(reopen(), id, 0, 2)).toEqual(['session.created', '0']);
      },
    );
  });
}
