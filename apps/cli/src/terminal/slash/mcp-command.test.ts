import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { McpServerState, Permissions } from '@tidemark/kit';
import { createAgent } from '@tidemark/kit';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { createMemoryStore } from '@tidemark/store-memory';
import { expect, test } from 'vitest';

import type { SlashTerminal } from '../../../tests/slash-terminal.ts';
import { openSlashTerminal } from '../../../tests/slash-terminal.ts';
import type { PreparedAgent } from '../../turns/open-agent.ts';

/** Opens a terminal whose agent reports these servers. */
function terminalWith(servers: readonly McpServerState[]): Promise<SlashTerminal> {
  const prepare = async (_: unknown, ask: Permissions['ask']): Promise<PreparedAgent> => {
    const provider = createScriptedProvider({ respond: () => ({ parts: [] }) });
    const permissions: Permissions = ask === undefined ? {} : { ask };
    const agent = createAgent({ model: 'claude-sonnet-5-5', provider, store: createMemoryStore(), permissions });
    return {
      agent: { ...agent, mcpServers: async () => servers },
      flags: {},
      open: () => agent.open(),
      close: () => agent.close(),
    };
  };
  return openSlashTerminal({ prepare });
}

test('`/mcp` shows each server with its state and its tools', async () => {
  const terminal = await terminalWith([
    { name: 'gone', trouble: 'it ended with \u001b[2Jcode 1', tools: [], changed: [] },
    { name: 'shop', tools: ['shop__list', 'shop__look'], changed: [], missing: 'its list has more than 500 tools' },
  ]);
  terminal.type('/mcp');
  expect(await terminal.untilLines(/500 tools/)).toContain(
    [
      '/mcp',
      'gone, not connected: it ended with code 1, 0 tools',
      '  `/mcp test gone` tries again. A session that is opened later connects again.',
      'shop, connected, 2 tools',
      '  shop__list',
      '  shop__look',
      '  tools are missing: its list has more than 500 tools',
    ].join('\n'),
  );
});

test('`/mcp` without servers says how to add one', async () => {
  const terminal = await terminalWith([]);
  terminal.type('/mcp');
  expect(await terminal.untilLines(/This session has none/)).toContain('`/mcp add <name> <address>`');
});

test.each([
  ['allowed', ['shop__look']],
  ['denied', []],
] as const)('`/mcp` asks about a changed tool, and the answer %s approves %j', async (answer, expected) => {
  const approved: string[] = [];
  const is = { name: 'shop__look', description: 'Does look. Sends keys.', schema: { type: 'object' } };
  const was = { ...is, description: 'Does look.' };
  const changed = [{ name: 'shop__look', was, is, approve: () => void approved.push('shop__look') }];
  const terminal = await terminalWith([{ name: 'shop', tools: ['shop__look'], changed }]);
  terminal.type('/mcp');
  const { panel } = await terminal.until((state) => state.panel?.kind === 'question');
  if (panel?.kind !== 'question') throw new Error('no question is open');
  expect(panel.question).toMatchObject({ about: 'definition', was, is });
  panel.answer(answer);
  await terminal.until((state) => state.panel === undefined);
  if (answer === 'allowed') await terminal.untilLines(/shop__look is approved/);
  terminal.type('/keys');
  await terminal.untilLines(/Shift-Tab/);
  expect(approved).toEqual(expected);
});

test('`/mcp` names a server of an untrusted folder, which is not used', async () => {
  const terminal = await terminalWith([]);
  mkdirSync(join(terminal.stage.folder, '.tidemark'), { recursive: true });
  const servers = { shop: { command: 'shop' } };
  writeFileSync(join(terminal.stage.folder, '.tidemark', 'config.json'), JSON.stringify({ mcp: { servers } }));
  terminal.type('/mcp');
  await terminal.untilLines(/shop is not used: the folder is not trusted/);
});
