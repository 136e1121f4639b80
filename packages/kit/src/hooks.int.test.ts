// Tests the option `hooks` of `createAgent`: functions and programs, their order, their names, and deferred tools of an
// MCP server.

import type { HookInput, Notice } from '@tidemark/agent';
import { callId } from '@tidemark/log';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { startMadeServer } from '@tidemark/tools-mcp/contract';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AgentOptions } from './agent-options.ts';
import { hookName } from './choose-hooks.ts';
import { createAgent } from './create-agent.ts';

function workspaceHere(): string {
  const folder = realpathSync(mkdtempSync('/var/tmp/tidemark-kit-hooks-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Played {
  readonly texts: readonly string[];
  readonly notices: readonly Notice[];
  readonly denials: readonly (string | undefined)[];
}

/** Runs one turn in which the model calls `bash`, and returns what the model was shown. */
async function play(folder: string, hooks: NonNullable<AgentOptions['hooks']>): Promise<Played> {
  const bodies: string[] = [];
  const command = { type: 'call', call: callId('c1'), name: 'bash', arguments: '{"command":"echo hello"}' } as const;
  const provider = createScriptedProvider({
    answers: [{ parts: [command] }, { parts: [{ type: 'text', text: 'Well.' }] }],
  });
  const agent = createAgent({
    model: 'claude-sonnet-5-5',
    provider,
    workspace: folder,
    permissions: { mode: 'auto', allowUnsandboxed: true },
    connection: { onRequest: (body) => void bodies.push(new TextDecoder().decode(body)) },
    hooks,
  });
  const events = await Array.fromAsync((await agent.open()).prompt('Say hello.'));
  await agent.close();
  return {
    texts: [bodies.at(-1) ?? ''],
    notices: events.flatMap((event) => (event.type === 'notice.raised' ? [event.notice] : [])),
    denials: events.flatMap((event) =>
      event.type === 'recorded' && event.record.kind === 'permission.decided' && event.record.data.by === 'hook'
        ? [event.record.data.rule]
        : [],
    ),
  };
}

test('functions and programs are hooks of an agent, and a denial names the hook', async () => {
  const folder = workspaceHere();
  writeFileSync(
    join(folder, 'check.mjs'),
    `import { text } from 'node:stream/consumers';
     const { arguments: { command } } = JSON.parse(await text(process.stdin));
     if (command.includes('hello')) console.log(JSON.stringify({ deny: 'no greetings' }));`,
  );
  const inputs: HookInput[] = [];
  const played = await play(folder, [
    { on: 'before-tool', run: (input) => (inputs.push(input), { note: 'seen by a function' }), name: 'first' },
    { on: 'before-tool', run: [process.execPath, 'check.mjs'], tools: ['bash'] },
    { on: 'before-tool', run: () => ({ note: 'of the third hook' }) },
  ]);
  expect(inputs).toMatchObject([{ event: 'before-tool', workspace: folder, arguments: { command: 'echo hello' } }]);
  expect(played.denials).toEqual(['hook/check.mjs']);
  expect(played.texts[0]).toContain('denied by the hook \\"check.mjs\\" and did not run: no greetings');
  expect(played.texts[0]).toContain('seen by a function');
  expect(played.texts[0]).not.toContain('of the third hook');
});

test('a program without a sandbox runs in its own folder, and one for the sandbox in the workspace', async () => {
  const [folder, other] = [workspaceHere(), workspaceHere()];
  const run = `printf '{"note":"folder %s"}' "$(pwd)"`;
  const played = await play(folder, [
    { on: 'after-tool', run, folder: other },
    { on: 'after-tool', run, sandbox: true, name: 'theirs' },
  ]);
  expect(played.texts[0]).toContain(`folder ${other}`);
  // On a machine without a sandbox the second hook does not run, and the person is informed.
  const informed = played.notices.some(({ code }) => code === 'hook/no-sandbox');
  expect(played.texts[0]?.includes(`folder ${folder}`) === true || informed).toBe(true);
});

test('a hook that fails is named in a notice with its reason', async () => {
  const played = await play(workspaceHere(), [{ on: 'before-tool', run: 'echo broken >&2; exit 1', name: 'guard' }]);
  expect(played.denials).toEqual(['hook/guard']);
  expect(played.notices).toMatchObject([
    { code: 'hook/failed', message: 'the hook guard (before-tool) failed: it ended with the exit code 1: broken' },
  ]);
});

test.each([
  [['node', 'hooks/check.mjs'], 'check.mjs'],
  [['node', '--import', './register.ts', 'check.ts'], 'register.ts'],
  [['/usr/bin/guard'], 'guard'],
  ['./guard.sh --strict', 'guard.sh'],
  ['npx prettier --check', 'npx'],
  ['', 'hook'],
])('`hookName` makes a name from %j', (run, name) => {
  expect(hookName(run)).toBe(name);
});

test('a hook is asked about a tool of an MCP server by its name, also if the tool is deferred behind `tool_call`', async () => {
  const server = await startMadeServer({ tools: [{ name: 'stock' }] });
  onTestFinished(() => server.stop());
  for (const toolBudget of [20_000, 0]) {
    const part =
      toolBudget === 0
        ? { name: 'tool_call', arguments: '{"tool":"shop__stock","arguments":{}}' }
        : { name: 'shop__stock', arguments: '{}' };
    const provider = createScriptedProvider({
      answers: [
        { parts: [{ type: 'call', call: callId('c1'), ...part }] },
        { parts: [{ type: 'text', text: 'Well.' }] },
      ],
    });
    const inputs: HookInput[] = [];
    const agent = createAgent({
      model: 'claude-sonnet-5-5',
      provider,
      mcp: { servers: { shop: { url: server.url } }, toolBudget },
      permissions: { mode: 'auto', allowUnsandboxed: true },
      hooks: [
        { on: 'before-tool', tools: ['shop__*'], run: (input) => (inputs.push(input), { deny: 'closed today' }) },
      ],
    });
    await (await agent.open()).prompt('What is in stock?');
    await agent.close();
    expect(inputs).toMatchObject([{ tool: 'shop__stock', arguments: {} }]);
  }
  expect(server.called).toEqual([]);
});

test('a hook that names a tool which does not exist is refused, because it would never be asked', () => {
  const guard = (...tools: string[]): AgentOptions => ({
    model: 'claude-sonnet-5-5',
    provider: createScriptedProvider({ answers: [] }),
    workspace: { folder: workspaceHere(), tools: ['read'] },
    hooks: [{ on: 'before-tool', tools, run: () => undefined }],
  });
  expect(() => createAgent(guard('write', 'Bash'))).toThrow('hooks.0.tools: there is no tool Bash, did you mean bash?');
  expect(() => createAgent(guard('bash', 'fetch', 'shop__stock', 'Wri*'))).not.toThrow();
});
