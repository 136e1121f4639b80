// A session of an older release, with the runtime text `tm1` and the tool definitions of that release. The session
// continues without a break, and uses the current texts from the next epoch on. `fixtures/tm1-session` was recorded at
// commit fcd7d0e7.

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { verifySession } from '@tidemark/agent';
import { TM1_RUNTIME, TM3_RUNTIME } from '@tidemark/context';
import { createAgent, createPlanTool } from '@tidemark/kit';
import type { RecordedOf } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { createSimulator } from '@tidemark/simulator';
import { expect, onTestFinished, test } from 'vitest';
import { encoders } from '../laws/server.ts';

const SESSION = '822e15d4-17cc-4ca5-8f20-7b1e78694342';
const OLD_WORDS = 'From the workspace on, or absolute';
const NEW_WORDS = 'Path relative to the workspace root, or absolute';

test('a session of `tm1` keeps its runtime text and tool definitions, and uses the current ones from the next epoch on', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tidemark-older-'));
  await cp(join(import.meta.dirname, 'fixtures/tm1-session'), home, { recursive: true });
  const simulator = createSimulator({ onRequest: () => ({ answer: { text: 'As before. '.repeat(200) } }) });
  const server = await simulator.listen();
  const bodies: string[] = [];
  const agent = createAgent({
    model: 'claude-sonnet-4-5',
    apiKey: 'simulated',
    baseURL: server.url,
    store: { home },
    workspace: tmpdir(),
    instructions: 'You keep the tax code of a shop right.',
    tools: [createPlanTool()],
    subagents: {},
    permissions: { mode: 'auto' },
    cache: { warm: 'off' },
    host: { environment: {} },
    connection: { onRequest: (body) => void bodies.push(new TextDecoder().decode(body)) },
  });
  onTestFinished(async () => {
    await agent.close();
    await server.close();
    await rm(home, { recursive: true });
  });
  const session = await agent.open(SESSION);
  const epochs = async (): Promise<readonly RecordedOf<'epoch.opened'>['data'][]> =>
    (await Array.fromAsync(agent.log.read(sessionId(SESSION)))).flatMap((record) =>
      record.kind === 'epoch.opened' ? [record.data] : [],
    );

  await session.prompt('And in Denmark?');
  expect((await epochs()).map(({ contract }) => contract)).toEqual(['tm1']);
  expect(bodies[0]).toContain(JSON.stringify(TM1_RUNTIME).slice(1, -1));
  expect([bodies[0]?.includes(OLD_WORDS), bodies[0]?.includes(NEW_WORDS)]).toEqual([true, false]);

  session.setReasoning({ thinking: { type: 'enabled', budget_tokens: 1_024 } });
  await session.prompt('And in Sweden?');
  expect((await epochs()).map(({ contract, cause }) => [contract, cause])).toEqual([
    ['tm1', 'initial'],
    ['tm3', 'reasoning'],
  ]);
  expect((await epochs()).at(-1)?.also).toEqual(expect.arrayContaining(['contract', 'tools']));
  expect(bodies[1]).toContain(JSON.stringify(TM3_RUNTIME).slice(1, -1));
  expect([bodies[1]?.includes(OLD_WORDS), bodies[1]?.includes(NEW_WORDS)]).toEqual([false, true]);

  const { differences } = await verifySession(agent.log, sessionId(SESSION), { encoders });
  expect(differences).toEqual([]);
});
