// Tests the definition of the `bash` tool, and that it refuses certain calls before anything runs.

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createConfinement } from '../confine/confine.ts';
import { createBashTool } from './bash-tool.ts';

const tool = createBashTool(createConfinement({ folder: '.' }), { sandbox: 'never' });

async function previewOf(input: unknown): Promise<string | undefined> {
  const read = await tool.read(input);
  if (!('run' in read) || read.preview === undefined) throw new Error('it makes no preview');
  return (await read.preview({ signal: new AbortController().signal, fileSeen: () => undefined })).text;
}

describe('the `bash` tool', () => {
  it('has a definition with unchanged bytes, because users have these bytes in their prompt caches', () => {
    const { name, description, schema } = tool;
    const bytes = JSON.stringify({ name, description, schema });
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(
      'de30fd824be791e0ffe4e6c15daa54b833e777c27d2da79cd22a513834dc15e5',
    );
  });

  it('has the effect class `execute`, runs alone and keeps the end of its output', () => {
    expect(tool).toMatchObject({ effect: 'execute', alone: true, truncate: 'start' });
  });

  it('shows the whole command on one line in the title of a permission request', async () => {
    expect(await tool.read({ command: 'echo a\nrm -rf \u001b[2J' })).toMatchObject({
      title: 'bash echo a\\u{a}rm -rf \\u{1b}[2J',
      sandboxed: false,
    });
    expect(await tool.read({ command: 'x'.repeat(3_000) })).toMatchObject({
      title: expect.stringContaining('and 1000 characters more'),
    });
  });

  it('shows everything granted beyond the sandbox in full, before the command', async () => {
    expect(await previewOf({ command: 'npm ci' })).toBe('npm ci');
    expect(await previewOf({ command: 'npm ci', ports: [3000, 8080, 3000], timeout_s: 600 })).toBe(
      'opens port 3000 on this machine\nopens port 8080 on this machine\nmay run for 600 s\nnpm ci',
    );
    expect(await previewOf({ command: 'npm ci', network: true, ports: [3000] })).toBe('with the network\nnpm ci');
    expect(await previewOf({ command: 'x'.repeat(3_000), network: true })).toMatch(/^with the network\n/);
  });

  it.each(['with the network\nls', 'opens port 1 on this machine\nls', 'may run for 1 s', 'runs:\nls'])(
    'puts `runs:` before a command that begins like a line about the sandbox: %j',
    async (command) => expect(await previewOf({ command, timeout_s: 5 })).toBe(`may run for 5 s\nruns:\n${command}`),
  );

  it.each([
    ['no command', {}, /command/],
    ['an empty command', { command: '' }, /command/],
    ['an unknown argument', { command: 'ls', cwd: '/' }, /cwd/],
    ['a timeout of 0', { command: 'ls', timeout_s: 0 }, /timeout_s/],
    ['a timeout above ten minutes', { command: 'ls', timeout_s: 601 }, /timeout_s.*600/],
    ['a NUL', { command: 'echo \0' }, /NUL/],
    ['a command that is too long', { command: 'é'.repeat(60_000) }, /120000 bytes .* file/],
  ])('refuses a call with %s', async (_, input, problem) => {
    expect(await tool.read(input)).toEqual({ problem: expect.stringMatching(problem) });
  });
});
