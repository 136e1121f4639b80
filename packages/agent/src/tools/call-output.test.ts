import { describe, expect, test } from 'vitest';
import type { ToolOutputSink } from '../output/output.ts';
import { openCallOutput } from './call-output.ts';

const SHAPE = { limits: { bytes: 1000, lines: 10 }, keeps: 'head' } as const;

/** Returns an output that keeps each chunk and throws at the chunk `failAt`. */
function pretend(failAt?: string): ToolOutputSink & { readonly written: readonly (string | Uint8Array)[] } {
  const written: (string | Uint8Array)[] = [];
  return {
    written,
    write: async (chunk) => {
      if (chunk === failAt) throw new Error(`no space left at ${chunk}`);
      written.push(chunk);
    },
    finish: async () => ({ text: written.join('') }),
    drop: () => written.splice(0),
  };
}

describe('the output of a call', () => {
  test('that lost a chunk is not returned as complete, even if the tool did not wait for the write', async () => {
    const output = openCallOutput(pretend('b'));
    for (const chunk of ['a', 'b', 'c']) void output.write(chunk);
    await expect(output.finish(SHAPE)).rejects.toThrow('no space left at b');
  });

  test('rejects a write after the end of the call with `agent/call-ended`, without an unhandled rejection', async () => {
    const unheard: unknown[] = [];
    const hear = (reason: unknown): void => void unheard.push(reason);
    process.on('unhandledRejection', hear);
    try {
      const inner = pretend();
      const output = openCallOutput(inner);
      output.close();
      void output.write('late');
      await expect(output.write('late')).rejects.toMatchObject({ code: 'agent/call-ended' });
      await new Promise(setImmediate);
      expect(inner.written).toEqual([]);
      expect(unheard).toEqual([]);
    } finally {
      process.off('unhandledRejection', hear);
    }
  });

  test('that was dropped rejects the writes that were still waiting', async () => {
    const inner = pretend();
    const output = openCallOutput(inner);
    const writes = ['a', 'b'].map((chunk) => output.write(chunk));
    output.drop();
    expect((await Promise.allSettled(writes)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(inner.written).toEqual([]);
  });

  test('puts an added line on a line of its own after bytes without a line end', async () => {
    const output = openCallOutput(pretend());
    await output.write(Buffer.from('half'));
    await output.addLine('broke');
    expect((await output.finish(SHAPE)).text).toBe('half\nbroke');
  });
});
