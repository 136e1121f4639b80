import { describe, expect, test } from 'vitest';
import type { ToolOutputSink } from '../output/output.ts';
import { openCallOutput } from './run-call.ts';

const SHAPE = { limits: { bytes: 1000, lines: 10 }, keeps: 'head' } as const;

/** An output that keeps what it is given, and fails where it is told to. */
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
  test('that lost a chunk is not passed off as whole, though the tool did not wait for it', async () => {
    const output = openCallOutput(pretend('b'));
    for (const chunk of ['a', 'b', 'c']) void output.write(chunk);
    await expect(output.finish(SHAPE)).rejects.toThrow('no space left at b');
  });

  test('refuses by name what a tool writes after its end, and stands a tool that does not listen', async () => {
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

  test('that was dropped takes none of what still waited to be written', async () => {
    const inner = pretend();
    const output = openCallOutput(inner);
    const writes = ['a', 'b'].map((chunk) => output.write(chunk));
    output.drop();
    expect((await Promise.allSettled(writes)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(inner.written).toEqual([]);
  });

  test('puts a line of its own behind bytes that end none', async () => {
    const output = openCallOutput(pretend());
    await output.write(Buffer.from('half'));
    await output.addLine('broke');
    expect((await output.finish(SHAPE)).text).toBe('half\nbroke');
  });
});
