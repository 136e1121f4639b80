// Home folder as workspace, in mode `auto`: the agent asks before it writes files that run automatically, and writes
// other files without a question.

import { createAgent } from '@tidemark/kit';
import { callId } from '@tidemark/log';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

function writing(path: string): ScriptedAnswer {
  const input = JSON.stringify({ path, content: 'written' });
  return { parts: [{ type: 'call', call: callId(`call_${path}`), name: 'write', arguments: input }] };
}

async function writeAll(paths: readonly string[]): Promise<{ home: string; titles: readonly string[] }> {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-home-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  mkdirSync(join(home, 'bin'));
  writeFileSync(join(home, '.bashrc'), '');
  const titles: string[] = [];
  const done: ScriptedAnswer = { parts: [{ type: 'text', text: 'done' }] };
  const agent = createAgent({
    model: 'claude-sonnet-5-5',
    provider: createScriptedProvider({ answers: [...paths.map(writing), done] }),
    workspace: home,
    host: { environment: { HOME: home, PATH: `/usr/bin:${join(home, 'bin')}` } },
    permissions: {
      mode: 'auto',
      ask: async (question) => {
        titles.push(question.title);
        return 'denied';
      },
    },
  });
  const session = await agent.open();
  await session.prompt('write them');
  await agent.close();
  return { home, titles };
}

test('with a home as workspace, mode `auto` asks before it writes start files and programs, and a refusal leaves them unchanged', async () => {
  const { home, titles } = await writeAll(['.bashrc', 'notes.txt', 'bin/ls', '.config/fish/config.fish']);
  expect(titles).toEqual([
    'write .bashrc (a shell runs it at its start)',
    'write bin/ls (programs are started from its folder)',
    'write .config/fish/config.fish (a shell runs it at its start)',
  ]);
  expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe('');
  expect(readFileSync(join(home, 'notes.txt'), 'utf8')).toBe('written');
  expect(['bin/ls', '.config'].map((name) => existsSync(join(home, name)))).toEqual([false, false]);
});
