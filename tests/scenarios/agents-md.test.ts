// AGENTS.md tests: the agent finds the file with its tools, reads it and follows it, and the file is never put into the
// front. The model here is a function that knows only the content of its requests. It must write a random word that
// only the file contains.

import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentSession } from '@tidemark/kit';
import { createAgent } from '@tidemark/kit';
import type { AnswerPlan, ReceivedRequest, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { describe, expect, onTestFinished, test } from 'vitest';

const MODEL = 'claude-sonnet-4-5';

interface Project {
  readonly folder: string;
  /** Word that each AGENTS.md requires in a new file. */
  readonly words: { readonly root: string; readonly nested: string };
}

async function project(more = ''): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-agents-md-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const words = { root: `root-${Math.random()}`, nested: `nested-${Math.random()}` };
  await mkdir(join(folder, 'packages', 'tax'), { recursive: true });
  await writeFile(join(folder, 'AGENTS.md'), `Begin each new file with the line // ${words.root}\n${more}`);
  await writeFile(
    join(folder, 'packages', 'tax', 'AGENTS.md'),
    `Begin each new file with the line // ${words.nested}\n`,
  );
  await writeFile(join(folder, 'packages', 'tax', 'rate.js'), 'export const rate = 0.19;\n');
  return { folder, words };
}

/**
 * Plays a model that follows the instructions of the runtime. It searches for AGENTS.md, reads each file found, and
 * follows the nearest one.
 */
function obedient(sent: ReceivedRequest): AnswerPlan {
  const results = new Map(sent.toolResults.map((result) => [result.name, result.text]));
  const found = results.get('find');
  if (found !== undefined) return calls(...listed(found).map((path) => ['read', { path }] as const));
  if (results.has('read')) return calls(['write', { path: 'packages/tax/round.js', content: obeying(sent) }]);
  if (results.has('write')) return { answer: { text: 'Done.' } };
  return calls(['find', { glob: '**/AGENTS.md' }]);
}

function calls(...list: readonly (readonly [name: string, input: Readonly<Record<string, unknown>>])[]): AnswerPlan {
  return { answer: { calls: list.map(([name, input]) => ({ name, arguments: input })) } };
}

function listed(text: string): readonly string[] {
  return text.match(/\S*AGENTS\.md/g) ?? [];
}

/**
 * Returns the content of the new file. It begins with the line required by the nested AGENTS.md if that file was read,
 * otherwise with the line required by the first file read.
 */
function obeying({ toolResults }: ReceivedRequest): string {
  const rules = toolResults.flatMap(({ text }) => /line (\/\/ \S+)/.exec(text)?.slice(1) ?? []);
  const nearest = rules.find((rule) => rule.includes('nested')) ?? rules[0];
  return `${nearest ?? ''}\nexport const round = Math.round;\n`;
}

interface Played {
  readonly simulator: Simulator;
  readonly sent: ReceivedRequest[];
}

function play(): Played {
  const sent: ReceivedRequest[] = [];
  const onRequest = (request: ReceivedRequest): AnswerPlan => {
    sent.push(request);
    return obedient(request);
  };
  return { simulator: createSimulator({ onRequest }), sent };
}

function frontOf({ body }: ReceivedRequest): string {
  return JSON.stringify([body['system'], body['tools']]);
}

async function run(
  instructions: 'discover' | 'attach',
  prompts: readonly string[],
  between?: (made: Project, session: AgentSession) => Promise<unknown>,
  more?: string,
): Promise<Project & Played> {
  const made = await project(more);
  const played = play();
  const server = await played.simulator.listen();
  const agent = createAgent({
    model: MODEL,
    apiKey: 'not-a-key',
    baseURL: server.url,
    workspace: { folder: made.folder, agentsFile: instructions },
    permissions: { mode: 'auto' },
  });
  try {
    const session = await agent.open();
    for (const [index, words] of prompts.entries()) {
      if (index > 0) await between?.(made, session);
      expect(await session.prompt(words)).toMatchObject({ outcome: 'completed', error: undefined });
    }
  } finally {
    await agent.close();
    await server.close();
  }
  return { ...made, ...played };
}

describe('AGENTS.md', () => {
  test('is found by the agent with its tools, read and followed, and the nearest file takes precedence', async () => {
    const { folder, words } = await run('discover', ['Add rounding to packages/tax.']);
    const written = await readFile(join(folder, 'packages', 'tax', 'round.js'), 'utf8');
    expect(written.split('\n')[0]).toBe(`// ${words.nested}`);
  });

  test('is not in any front, and is in no request before the agent has read it', async () => {
    const { sent, words } = await run('discover', ['Add rounding to packages/tax.']);
    expect(sent).toHaveLength(4);
    expect(new Set(sent.map(frontOf)).size).toBe(1);
    for (const word of [words.root, words.nested]) {
      expect(sent.map(frontOf).join('')).not.toContain(word);
      expect(sent.map(({ body }) => JSON.stringify(body).includes(word))).toEqual([false, false, true, true]);
    }
  });

  test('is named in a note with the next prompt if it changed after it was read, and its content is not sent', async () => {
    const { sent } = await run('discover', ['Add rounding to packages/tax.', 'And now the same again.'], ({ folder }) =>
      writeFile(join(folder, 'AGENTS.md'), 'Never write a word-that-nobody-read.\n'),
    );
    const notes = JSON.stringify(sent[4]?.body['messages']);
    expect(notes).toContain('changed since then; read it again');
    expect(notes).not.toContain('word-that-nobody-read');
    expect(new Set(sent.map(frontOf)).size).toBe(1);
  });

  test('is named again, with its digest, after a compaction that dropped its content', async () => {
    const compact = async (_: Project, session: AgentSession): Promise<void> => {
      expect(await session.compact({ tailTokens: 200, by: 'deterministic' })).toMatchObject({ outcome: 'compacted' });
    };
    const prompts = ['Add rounding to packages/tax.', 'Thank you.'];
    const { sent, folder } = await run('discover', prompts, compact, '- Another rule.\n'.repeat(1_500));
    const digest = createHash('sha256')
      .update(await readFile(join(folder, 'AGENTS.md')))
      .digest('hex');
    const messages = JSON.stringify(sent[4]?.body['messages']);
    expect(messages).not.toContain('Another rule.');
    expect(messages).toContain(String.raw`- \"AGENTS.md\" (sha256 ${digest.slice(0, 12)})`);
    expect(messages.indexOf('Instruction files that you have read')).toBeGreaterThan(messages.indexOf('<checkpoint>'));
  });

  test("is attached only with `agentsFile: 'attach'`, in a note and not in the front", async () => {
    const { sent, words } = await run('attach', ['Add rounding to packages/tax.']);
    expect(JSON.stringify(sent[0]?.body['messages'])).toContain(words.root);
    expect(sent.map(frontOf).join('')).not.toContain(words.root);
  });
});
