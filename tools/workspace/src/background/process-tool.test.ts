// Tests the definitions of `process` and of `bash` with background processes, and calls that are refused or forwarded
// before anything runs.

import { canonicalText } from '@tidemark/model';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createBashTool } from '../bash/bash-tool.ts';
import { createConfinement } from '../confine/confine.ts';
import { createBackground } from './create-background.ts';
import { createProcessTool } from './process-tool.ts';

const background = createBackground({ folder: tmpdir(), sandbox: 'never' });
const confinement = createConfinement({ folder: tmpdir() });
const process = createProcessTool(background);
const bash = createBashTool(confinement, { background });

const digestOf = ({ name, description, schema }: typeof bash): string =>
  createHash('sha256').update(canonicalText({ name, description, schema })).digest('hex');

async function previewOf(input: object): Promise<string | undefined> {
  const read = await bash.read(input);
  if (!('run' in read)) throw new Error(read.problem);
  return (await read.preview?.({ signal: new AbortController().signal, fileSeen: () => undefined }))?.text;
}

describe('the definitions', () => {
  it('have unchanged bytes, because users have these bytes in their prompt caches', () => {
    expect([process, bash].map(digestOf)).toEqual([
      '717bde03026f4fb933fd087d3bdfdb40ca6406a514d53ed56af5ccf517fc6359',
      '993c3edb9f632a3036b68ea9dfd9329f1141e8aa64317fe5ca75136a1d87d014',
    ]);
  });

  it('of `bash` name the definition without background processes as an earlier one', () => {
    expect(bash.earlier).toContain(digestOf(createBashTool(confinement, { sandbox: 'never' })));
  });

  it('of `process` waits for the next epoch of an existing session, and asks no one', () => {
    expect(process).toMatchObject({ joins: 'next-epoch', effect: 'read', truncate: 'start', terminal: true });
  });
});

describe('a start', () => {
  it('has the effects of the command, and names the background in its title, its preview and its exact grant', async () => {
    const [plain, start] = [
      await bash.read({ command: 'npm test' }),
      await bash.read({ command: 'npm test', background: true }),
    ];
    if (!('run' in plain && 'run' in start)) throw new Error('refused');
    const { commands } = start.effects ?? {};
    expect(commands).toEqual({ ...plain.effects?.commands, script: 'in the background\nnpm test' });
    expect(start.title).toBe('bash in the background npm test');
    expect(await previewOf({ command: 'npm test', background: true, ports: [3000] })).toBe(
      'in the background\nopens port 3000 on this machine\nnpm test',
    );
  });

  it.each(['in the background\nls', 'input for p1: cat\nls', 'closes the input of p1: cat'])(
    'and input cannot be imitated by a command: %j',
    async (command) => expect(await previewOf({ command })).toBe(`runs:\n${command}`),
  );

  it('with a time limit is refused', async () => {
    expect(await bash.read({ command: 'ls', background: true, timeout_s: 5 })).toEqual({
      problem: expect.stringContaining('no time limit'),
    });
  });
});

describe('a call of `process`', () => {
  it('that writes counts as a call of `bash` that could run any command', async () => {
    const input = { process: 'p1', action: 'write', input: 'ls\n' };
    const forwarded = process.forward?.(input);
    if (forwarded === undefined || 'problem' in forwarded) throw new Error('it is not forwarded');
    expect(forwarded.tool).toMatchObject({ name: 'bash', effect: 'execute', alone: true, effectKinds: ['commands'] });
    const run = await forwarded.tool.read(forwarded.input);
    expect(run).toMatchObject({
      title: 'input for p1: ls\\u{a}',
      sandboxed: false,
      confined: false,
      effects: { commands: { plain: undefined, possible: [[undefined]] } },
    });
  });

  it('that writes to a process that does not run asks no one', async () => {
    const forwarded = process.forward?.({ process: 'p1', action: 'write', input: 'x' });
    if (forwarded === undefined || 'problem' in forwarded) throw new Error('it is not forwarded');
    const run = await forwarded.tool.read(forwarded.input);
    if (!('run' in run)) throw new Error(run.problem);
    const context = { signal: new AbortController().signal, fileSeen: () => undefined };
    await expect(run.preview?.(context)).rejects.toThrow('p1 does not run');
  });

  it.each(['read', 'stop'])('with the action %s is not forwarded', (action) => {
    expect(process.forward?.({ process: 'p1', action })).toMatchObject({ tool: process });
  });

  it.each([
    ['a process id of another form', { process: '../p1', action: 'read' }, /process/],
    ['an unknown action', { process: 'p1', action: 'kill' }, /action/],
    ['input for a read', { process: 'p1', action: 'read', input: 'x' }, /write/],
    ['a wait for a stop', { process: 'p1', action: 'stop', wait_s: 1 }, /read/],
    ['a wait above two minutes', { process: 'p1', action: 'read', wait_s: 121 }, /wait_s.*120/],
    ['an input that is too long', { process: 'p1', action: 'write', input: 'é'.repeat(40_000) }, /80000 bytes/],
  ])('with %s is refused', async (_, input, problem) => {
    const forwarded = process.forward?.(input) ?? { tool: process, input };
    if ('problem' in forwarded) throw new Error(forwarded.problem);
    expect(await forwarded.tool.read(forwarded.input)).toEqual({ problem: expect.stringMatching(problem) });
  });
});
