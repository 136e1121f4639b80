// A session of an agent on virtual time, as a person would have it: it reads, edits and tests, gives a task to a
// subagent, waits so long that the cache entry expires, gets another tool, and is compacted and forked. The simulator
// answers from a script.

import { virtualTime } from '@tidemark/agent/contract';
import type { AgentSession, Tool } from '@tidemark/kit';
import { createAgent, defineTool, toolOutput } from '@tidemark/kit';
import type { Log } from '@tidemark/log';
import type { Provider } from '@tidemark/model';
import { anthropicEncoder, decodeMessage } from '@tidemark/provider-anthropic';
import type { AnswerPlan } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { z } from 'zod';
import { shopFiles } from './shop-files.ts';
import type { ShopTurn } from './shop-turns.ts';
import { FORKED, INSTRUCTIONS, SUBAGENT, TURNS } from './shop-turns.ts';

/** Ids of the sessions that were played. */
export interface ShopSessions {
  readonly session: string;
  readonly fork: string;
}

type Time = ReturnType<typeof virtualTime>;

/** Duration of an answer and of a tool, in milliseconds. */
const [ANSWER_MS, TOOL_MS] = [4_000, 700];

/** Plays the session, its subagent and its fork. */
export async function playShop(log: Log): Promise<ShopSessions> {
  const time = virtualTime();
  const files = shopFiles();
  const agent = createAgent({
    model: 'claude-sonnet-5-5',
    provider: simulatedProvider(time),
    store: log,
    instructions: INSTRUCTIONS,
    tools: shopTools(files, time),
    subagents: {},
    cache: { ttl: '5m', warm: 'off' },
    compaction: { by: 'deterministic', when: 'manual' },
    permissions: { mode: 'auto' },
    host: { clock: { ...time.surroundings, newName: namesFrom(1) } },
  });
  const session = await agent.open(undefined, { title: 'The receipt test fails' });
  for (const turn of TURNS) {
    time.pass(turn.pauseMs);
    if (turn.before === 'tools') session.setTools([...shopTools(files, time), deployTool()]);
    if (turn.before === 'compaction') await compact(session);
    await play(session, turn);
  }
  const fork = await session.fork();
  time.pass(60_000);
  await play(fork, FORKED);
  await agent.close();
  return { session: session.id, fork: fork.id };
}

async function play(session: AgentSession, { prompt }: ShopTurn): Promise<void> {
  const { outcome, error } = await session.prompt(prompt);
  if (outcome !== 'completed') throw new Error(`the turn "${prompt}" ended as ${outcome}: ${error?.message ?? ''}`);
}

async function compact(session: AgentSession): Promise<void> {
  const report = await session.compact();
  if (report.outcome !== 'compacted') throw new Error(`the session was not compacted: ${JSON.stringify(report)}`);
}

/** Returns ids in the form of those of the runtime. */
function namesFrom(first: number): () => string {
  let next = first;
  return () => {
    const number = (next * 2_654_435_761) % 2 ** 32;
    next += 1;
    return `${number.toString(16).padStart(8, '0')}-5b6a-4788-9a0b-c1d2e3f4a5b6`;
  };
}

/** Anthropic's provider with the simulator in this process, on virtual time. */
function simulatedProvider(time: Time): Provider {
  const turns = [...TURNS, FORKED, SUBAGENT].map((turn) => ({ ...turn, given: 0 }));
  const planFor = (text: string): AnswerPlan => {
    const turn = turns.find(({ prompt }) => text.includes(prompt));
    const answer = turn?.answers[turn.given];
    if (turn === undefined || answer === undefined) throw new Error(`the script has no answer to: ${text}`);
    const isEvicted = turn.evictedAt === turn.given;
    turn.given += 1;
    return { answer, ...(isEvicted && { fault: { kind: 'evicted' } }) };
  };
  const simulator = createSimulator({
    idSeed: 'shop',
    clock: () => time.now,
    onRequest: ({ lastUserText }) => planFor(lastUserText),
  });
  return {
    name: 'anthropic',
    encoder: anthropicEncoder,
    async *send({ body, betas }) {
      const outcome = simulator.messages({ body, betas });
      if (outcome.outcome === 'refused') throw new Error(`refused: ${outcome.message}`);
      const answer = decodeMessage(JSON.stringify(outcome.message));
      yield { type: 'began', usage: answer.usage };
      time.pass(ANSWER_MS);
      yield { type: 'finished', answer };
    },
  };
}

function shopTools(files: Map<string, string>, time: Time): readonly Tool[] {
  const path = z.string().describe('Path of the file, relative to the root of the project.');
  const read = defineTool({
    name: 'read',
    description: 'Returns the content of a file of the project.',
    effect: 'read',
    input: z.object({ path }),
    run: (input) => {
      time.pass(TOOL_MS);
      return files.get(input.path) ?? toolOutput({ text: `${input.path} does not exist`, failed: true });
    },
  });
  const grep = defineTool({
    name: 'grep',
    description: 'Returns the lines of all files that contain a text, with their paths and numbers.',
    effect: 'read',
    input: z.object({ text: z.string().describe('The text, word for word.') }),
    run: ({ text }) => {
      time.pass(TOOL_MS);
      return linesWith(files, text);
    },
  });
  const edit = defineTool({
    name: 'edit',
    description: 'Replaces a text that is in a file exactly once.',
    effect: 'write',
    input: z.object({ path, old_text: z.string(), new_text: z.string() }),
    run: (input) => {
      time.pass(TOOL_MS);
      files.set(input.path, (files.get(input.path) ?? '').replace(input.old_text, input.new_text));
      return `${input.path} is changed.`;
    },
  });
  const test = defineTool({
    name: 'run_tests',
    description: 'Runs the tests of the project and returns their report.',
    effect: 'write',
    input: z.object({}),
    run: () => {
      time.pass(3 * TOOL_MS);
      return reportOf(files);
    },
  });
  return [read, grep, edit, test];
}

function deployTool(): Tool {
  return defineTool({
    name: 'deploy',
    description: 'Puts the present state of the shop on the test machine and returns its address.',
    effect: 'write',
    input: z.object({}),
    run: () => 'https://test.shop.example is up to date.',
  });
}

function linesWith(files: ReadonlyMap<string, string>, text: string): string {
  return [...files]
    .flatMap(([path, content]) =>
      content
        .split('\n')
        .flatMap((line, index) => (line.includes(text) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    )
    .join('\n');
}

function reportOf(files: ReadonlyMap<string, string>): string {
  const passes = files.get('src/tax.js')?.includes('roundHalfUp((cents') === true;
  const lines = [...files.keys()].flatMap((path) =>
    Array.from({ length: 12 }, (_, index) => `${passes ? 'ok' : index === 3 ? 'FAILED' : 'ok'} ${path} case ${index}`),
  );
  return [...lines, passes ? 'all tests pass' : 'the sum of the receipt is 0.87, expected 0.88'].join('\n');
}
