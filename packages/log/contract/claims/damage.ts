// Contract for damaged logs: an incomplete record at the end of a log is cut off, and damage inside a log is always
// reported. See anthropics/claude-code#49876 and #50347 (null bytes), github/copilot-cli#4098 and
// PrimeIntellect-ai/prime-agent#1785 (the next event directly follows an incomplete record), and QwenLM/qwen-code#3606
// (`}{`).

import { describe, expect } from 'vitest';
import type { SessionId } from '../../src/ids.ts';
import type { LogFactory, LogUnderTest } from '../log-under-test.ts';
import { splitLines } from '../raw-lines.ts';
import {
  appended,
  fails,
  flipped,
  gather,
  prompts,
  textOrKind,
  session,
  sessionWith,
  texts,
  untilFailure,
} from '../samples.ts';
import { claimWhere } from '../with-store.ts';

type Lines = NonNullable<LogUnderTest['lines']>;

export function claimDamage(factory: LogFactory): void {
  const damage = (title: string, test: (store: LogUnderTest, lines: Lines, id: SessionId) => Promise<void>): void =>
    claimWhere(
      factory,
      title,
      ({ lines }) => lines,
      'this store does not keep its log as lines',
      async (store, lines) => {
        const id = session('a');
        await (await sessionWith(store.log, id, 4)).close();
        await test(store, lines, id);
      },
    );

  describe('a damaged log', () => {
    damage(
      'with an incomplete last line is read without that line, and the next writer removes it',
      async ({ reopen }, lines, id) => {
        const whole = await lines.read(id);
        for (const tail of ['{"v":1,"position":5', '\0\0\0\0', '{', '}{']) {
          await lines.write(id, Buffer.concat([whole, Buffer.from(tail)]));
          expect(await texts(reopen(), id)).toEqual(['session.created', '0', '1', '2', '3']);
          await (await reopen().open(id)).close();
          expect(Buffer.from(await lines.read(id)).equals(whole)).toBe(true);
        }
        const writer = await reopen().open(id);
        await appended(writer, prompts(1, 4));
        await writer.close();
        expect(await texts(reopen(), id, 4)).toEqual(['3', '4']);
      },
    );

    damage(
      'yields all valid records before the damage, and then throws an error with its place',
      async ({ reopen }, lines, id) => {
        const whole = await lines.read(id);
        const start = whole.indexOf(0x0a, whole.indexOf(0x0a) + 1) + 1;
        for (const [offset, phase] of [
          [0, 'checksum'],
          [60, 'checksum'],
          [-2, 'frame'],
        ] as const) {
          const line = splitLines(whole)[2] ?? new Uint8Array();
          const at = start + (offset < 0 ? line.length + offset : offset);
          await lines.write(id, flipped(whole, at));
          const { values, error } = await untilFailure(reopen().read(id));
          expect(values.map(textOrKind)).toEqual(['session.created', '0']);
          expect(error.code).toBe('log/damaged');
          expect(error.data).toMatchObject({ line: 3, offset: start, phase });
          expect(typeof error.data['path']).toBe('string');
          await fails(reopen().open(id), 'log/damaged');
          expect(Buffer.from(await lines.read(id)).equals(flipped(whole, at))).toBe(true);
        }
      },
    );

    damage('is refused if a bit of any byte changed', async ({ reopen }, lines, id) => {
      const whole = await lines.read(id);
      const start = whole.lastIndexOf(0x0a, whole.length - 2) + 1;
      for (let at = start; at < whole.length; at += 1) {
        await lines.write(id, flipped(whole, at));
        const { values, error } = await untilFailure(reopen().read(id));
        expect([at, values.length, error.code]).toEqual([at, 4, 'log/damaged']);
      }
    });

    damage(
      'is refused if it contains null bytes, garbage, an empty line, or joined, lost or repeated records',
      async ({ reopen }, lines, id) => {
        const each = splitLines(await lines.read(id)).map((line) => Buffer.from(line).toString());
        const [first = '', second = '', third = ''] = each;
        const broken: readonly (readonly [string, string])[] = [
          [`${first}\n${'\0'.repeat(200)}\n${second}\n`, 'frame'],
          [`${first}\n${'\0'.repeat(64)}${second}\n${third}\n`, 'checksum'],
          [`${first}\ngarbage\n${second}\n`, 'frame'],
          [`${first}\n\n${second}\n`, 'frame'],
          [`${first}\n${second.slice(0, 30)}${second}\n`, 'checksum'],
          [`${first}\n${second}${third}\n`, 'checksum'],
          [`${first}\n${third}\n`, 'sequence'],
          [`${first}\n${first}\n`, 'sequence'],
        ];
        for (const [text, phase] of broken) {
          await lines.write(id, Buffer.from(text));
          const { values, error } = await untilFailure(reopen().read(id));
          expect([text, values.length, error.data['phase'], error.data['line']]).toEqual([text, 1, phase, 2]);
        }
      },
    );

    damage('is refused if its first record begins another session', async ({ log, reopen }, lines, id) => {
      const other = session('b');
      await (await sessionWith(log, other, 0)).close();
      await lines.write(id, await lines.read(other));
      const { error } = await untilFailure(reopen().read(id));
      expect(error.data).toMatchObject({ line: 1, phase: 'sequence' });
    });

    damage(
      'that was cut anywhere can be continued: every prefix of a log is a log (L8)',
      async ({ reopen }, lines, id) => {
        const whole = await lines.read(id);
        const ends = splitLines(whole).map((line) => line.byteOffset + line.length + 1 - whole.byteOffset);
        for (let length = ends[0] ?? 0; length <= whole.length; length += 7) {
          await lines.write(id, whole.subarray(0, length));
          const sound = ends.filter((end) => end <= length).length;
          const writer = await reopen().open(id);
          expect(writer.length).toBe(sound);
          await appended(writer, prompts(1, 99));
          await writer.close();
          expect((await gather(reopen().read(id))).map(textOrKind).at(-1)).toBe('99');
        }
      },
    );
  });
}
