// Tests the output of tools with `terminal`: commands, and the tools of MCP servers.

import type { Artifacts, Digest } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, it } from 'vitest';
import { createSecrets } from '../secrets/create-secrets.ts';
import type { ShapeOptions, ShapedOutput } from './output.ts';
import { openOutput } from './output.ts';

const HEAD: ShapeOptions = { limits: { bytes: 51_200, lines: 2_000 }, keeps: 'head' };
const TAIL: ShapeOptions = { ...HEAD, keeps: 'tail' };
const VALUE = 'tok-0123456789abcdef';
const secrets = createSecrets({ values: [{ name: 'A_TOKEN', value: VALUE }] });

async function bytesOf(artifacts: Artifacts, name: Digest | undefined): Promise<Buffer> {
  if (name === undefined) throw new Error('there is no artifact');
  const chunks: Uint8Array[] = [];
  for await (const chunk of artifacts.get(name)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Divides bytes into pieces of one size. */
function pieces(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

describe('the output of programs', () => {
  const coloured = '\x1b[32m✓\x1b[39m adds numbers\n';

  async function terminal(
    chunks: readonly (string | Uint8Array)[],
    artifacts: Artifacts = createMemoryStore().artifacts,
    options: ShapeOptions = HEAD,
  ): Promise<ShapedOutput> {
    const output = openOutput({ artifacts, secrets, terminal: true });
    for (const chunk of chunks) await output.write(chunk);
    return output.finish(options);
  }

  it('is shown as a terminal shows it, and the artifact contains the original bytes', async () => {
    const artifacts = createMemoryStore().artifacts;
    const { text, output, shaping } = await terminal([coloured, '\x1b[1mdone'], artifacts);
    expect([text, shaping]).toEqual(['✓ adds numbers\ndone', undefined]);
    expect((await bytesOf(artifacts, output)).toString()).toBe(`${coloured}\x1b[1mdone`);
  });

  it('is not stored if it contains no control sequence', async () => {
    expect(await terminal(['plain\n', 'text'])).toEqual({ text: 'plain\ntext' });
  });

  it('has a notice if a part was overwritten', async () => {
    const { text } = await terminal(['10%\r50', '%\r100%\n', coloured]);
    expect(text).toBe('100%\n✓ adds numbers\n[Text that the program overwrote, such as a progress bar, is left out.]');
  });

  it('is cut by the size of the text that is shown, and the original is stored whole', async () => {
    const artifacts = createMemoryStore().artifacts;
    const whole = coloured.repeat(3_000);
    const { text, output, shaping } = await terminal([whole], artifacts, TAIL);
    expect(shaping).toEqual({ by: 'tail', kept: 1_999, total: 3_000, unit: 'lines' });
    expect(text.endsWith('\n✓ adds numbers\n')).toBe(true);
    expect(text).not.toContain('\x1b');
    expect((await bytesOf(artifacts, output)).toString()).toBe(whole);
  });

  it('is shown whole if a long progress bar has one short last state', async () => {
    const artifacts = createMemoryStore().artifacts;
    const states = Array.from({ length: 20_000 }, (_, at) => `\r${at} of 20000 files`).join('');
    const { text, output } = await terminal([states, '\n'], artifacts);
    expect(text.split('\n')[0]).toBe('19999 of 20000 files');
    expect((await bytesOf(artifacts, output)).length).toBe(states.length + 1);
  });

  it('does not depend on the chunks, and never shows a secret that control sequences divide', async () => {
    const divided = `key: ${VALUE.slice(0, 7)}\x1b[31m${VALUE.slice(7)}\x1b[0m\n`;
    for (const before of ['', 'a line\n'.repeat(20_000)])
      for (const size of [1_000, 7]) {
        const artifacts = createMemoryStore().artifacts;
        const whole = Buffer.from(`${before}${coloured}${divided}`);
        const tail = pieces(whole.subarray(before.length), size);
        const { text, output } = await terminal([before, ...tail], artifacts, TAIL);
        expect(text.endsWith('✓ adds numbers\nkey: [secret:A_TOKEN]\n')).toBe(true);
        const stored = (await bytesOf(artifacts, output)).toString();
        expect(stored).toContain('key: [secret:A_TOKEN]');
        expect(stored).not.toContain(VALUE.slice(7));
        expect(stored).toContain(coloured);
      }
  });
});
