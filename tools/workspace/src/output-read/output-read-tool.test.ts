import { expect, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { createOutputReadTool } from './output-read-tool.ts';

const NAME = 'a'.repeat(64);

async function* chunks(...parts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

const output = (name: string): AsyncIterable<Uint8Array> | undefined =>
  NAME.startsWith(name) ? chunks('one\nt', 'wo\nthr', 'ee\n') : undefined;

test('output_read pages through an output by its digest, or by the beginning of the digest', async () => {
  const { call } = await openBench();
  const tool = createOutputReadTool();
  expect((await call(tool, { output: NAME }, { output })).text).toBe('one\ntwo\nthree\n');
  expect((await call(tool, { output: NAME.slice(0, 12), offset: 2, limit: 1 }, { output })).text).toBe(
    'two\n[lines 2-2 of 3; read on with offset 3]',
  );
  expect((await call(tool, { output: NAME, offset: 3, skip_bytes: 2 }, { output })).text).toBe(
    'ree\n[lines 3-3 of 3 from byte 2 of line 3]',
  );
});

test('output_read shows an output as a terminal shows it, and counts lines and bytes of the stored output', async () => {
  const { call } = await openBench();
  const tool = createOutputReadTool();
  const given = { output: () => chunks('10%\r20%\r\n\u001B[31mred\u001B[0m line\nlast\n') };
  expect((await call(tool, { output: NAME }, given)).text).toBe(
    '20%\nred line\nlast\n[text that the program overwrote, such as a progress bar, is left out]',
  );
  expect((await call(tool, { output: NAME, offset: 2, limit: 1 }, given)).text).toBe(
    'red line\n[lines 2-2 of 3; read on with offset 3]',
  );
  expect((await call(tool, { output: NAME, offset: 2, skip_bytes: 12 }, given)).text).toBe(
    ' line\nlast\n[lines 2-3 of 3 from byte 12 of line 2]',
  );
});

test('output_read reports an unknown digest and an offset after the end', async () => {
  const { call } = await openBench();
  const tool = createOutputReadTool();
  expect(await call(tool, { output: 'b'.repeat(64) }, { output })).toMatchObject({
    code: 'workspace/no-output',
    text: expect.stringContaining('Copy the complete digest'),
  });
  expect(await call(tool, { output: NAME, offset: 4 }, { output })).toMatchObject({ code: 'workspace/past-the-end' });
  for (const bad of ['a'.repeat(11), 'a'.repeat(65), '../../etc/passwd'])
    expect(await call(tool, { output: bad }, { output })).toMatchObject({ code: 'problem' });
});

test('output_read stops when it is aborted', async () => {
  const { call } = await openBench();
  const signal = AbortSignal.abort(Object.assign(new Error('given up'), { code: 'test/given-up' }));
  expect(await call(createOutputReadTool(), { output: NAME }, { output, signal })).toMatchObject({
    code: 'test/given-up',
  });
});
