// Tests which environment variables the commands of an agent receive, and that the values of named secrets are masked.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callId } from '@tidemark/log';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { createMemoryStore } from '@tidemark/store-memory';
import { expect, onTestFinished, test } from 'vitest';
import type { CommandsSetup } from './commands-setup.ts';
import { createAgent } from './create-agent.ts';

const ENVIRONMENT = {
  PATH: process.env['PATH'],
  HOME: tmpdir(),
  JAVA_HOME: '/opt/java',
  CARGO_HOME: '/opt/cargo',
  CARGO_REGISTRY_TOKEN: 'registry-0123456789',
  GITHUB_TOKEN: 'github-0123456789',
  DEPLOY: 'launch-code-0',
};

/** Runs `env` as a command of a new agent, and returns its result and the whole log. */
async function environmentOf(commands: CommandsSetup): Promise<{ readonly result: string; readonly log: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-variables-'));
  const store = createMemoryStore();
  const provider = createScriptedProvider({
    answers: [
      { parts: [{ type: 'call', call: callId('call_1'), name: 'bash', arguments: '{"command":"env"}' }] },
      { parts: [{ type: 'text', text: 'Done.' }] },
    ],
  });
  const agent = createAgent({
    model: 'claude-sonnet-5-5',
    provider,
    store,
    workspace: { folder, commands },
    permissions: { mode: 'auto', allowUnsandboxed: true },
    host: { environment: ENVIRONMENT },
  });
  onTestFinished(async () => {
    await agent.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const session = await agent.open();
  await session.prompt('Print the environment.');
  const records = await Array.fromAsync(store.read(session.id));
  const returned = records.flatMap((record) => (record.kind === 'tool.returned' ? record.data.parts : []));
  const result = returned.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return { result, log: JSON.stringify(records) };
}

test('a command receives the variables that the option names, and no secret', async () => {
  const { result } = await environmentOf({ variables: ['JAVA_HOME', 'CARGO_*'] });
  expect(result).toContain('JAVA_HOME=/opt/java\n');
  expect(result).toContain('CARGO_HOME=/opt/cargo\n');
  expect(result).not.toMatch(/TOKEN|DEPLOY/);
});

test('a secret that is named as one is passed, and masked in the result and in the log', async () => {
  const { result, log } = await environmentOf({ secretVariables: ['GITHUB_TOKEN', 'DEPLOY'] });
  expect(result).toContain('GITHUB_TOKEN=[secret:GITHUB_TOKEN]\n');
  expect(result).toContain('DEPLOY=[secret:DEPLOY]\n');
  expect(log).not.toMatch(/github-0123456789|launch-code-0/);
});

test('the name of a secret among the ordinary variables is refused', () =>
  expect(() =>
    createAgent({
      model: 'claude-sonnet-4-5',
      apiKey: 'simulated',
      workspace: { folder: tmpdir(), commands: { variables: ['GITHUB_TOKEN'] } },
    }),
  ).toThrow('list it in `secretVariables`'));

test('a secret that is too short to be masked is refused', () =>
  expect(() =>
    createAgent({
      model: 'claude-sonnet-4-5',
      apiKey: 'simulated',
      workspace: { folder: tmpdir(), commands: { secretVariables: ['PIN'] } },
      host: { environment: { PIN: '1234' } },
    }),
  ).toThrow('fewer than 12 characters'));

test.each(['PATH', 'HOME', 'LC_ALL', 'TERM'])('%s is refused as a secret, also if it is not set', (name) =>
  expect(() =>
    createAgent({
      model: 'claude-sonnet-4-5',
      apiKey: 'simulated',
      workspace: { folder: tmpdir(), commands: { secretVariables: [name] } },
      host: { environment: {} },
    }),
  ).toThrow(`${name} is not a secret: every command has it`),
);
