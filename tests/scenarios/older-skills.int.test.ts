// Older sessions with the skills list in the front: earlier versions put the list there, and now a note contains it.
// Such a session is rebuilt and continues at no extra cost.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Session } from '@tidemark/agent';
import { commit, createSession, keepCapabilities, newHash, prepareRequest, recordAnswer } from '@tidemark/agent';
import type { FrontTexts } from '@tidemark/context';
import { composeFront, layer } from '@tidemark/context';
import { createSkillLoadTool, createSkillSearchTool, createSkillShelf } from '@tidemark/tools-skills';
import { sessionId } from '@tidemark/log';
import type { Answer } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { expect, onTestFinished, test } from 'vitest';
import type { Stage } from './billed-stage.ts';
import {
  epochsOf,
  expectOnlyAppended,
  expectOnlyGrowth,
  expectSound,
  openStage,
  PLAIN,
  recordsOf,
  ROLE,
} from './billed-stage.ts';

const ID = sessionId('older');

test('a session with the skills list in its front keeps that front, and a note lists the skills once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-older-skills-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'tax'));
  await writeFile(join(folder, 'tax', 'SKILL.md'), '---\nname: tax\ndescription: Files taxes.\n---\nAdd it up.\n');
  const roots = [{ folder, source: 'home' }];
  const stage = await openStage({ model: PLAIN, skills: { roots }, cache: { warm: 'off' } });
  await playOlder(stage);
  const live = await stage.open({ id: ID });
  await stage.turn(live, 'And now?', { answer: { text: 'Done.' } });
  await stage.turn(live, 'And then?', { answer: { text: 'Done.' } });
  expect(await epochsOf(stage, ID)).toEqual(['initial']);
  const notes = (await recordsOf(stage, ID)).flatMap(({ kind, data }) =>
    kind === 'context.noted' && data.source === 'skills' ? [data.cause] : [],
  );
  expect(notes).toEqual(['initial']);
  expectOnlyGrowth(stage.billed());
  expectOnlyAppended(stage.bodies);
  await expectSound(stage, ID);
});

/** Makes two calls of a session in the format of an earlier version, with the skills list as layer 2 of the front. */
async function playOlder(stage: Stage): Promise<void> {
  const session = await createSession(stage.log(), ID);
  const at = stage.clock.surroundings.now();
  await commit(session, [{ kind: 'session.created', at, data: { id: ID, root: ID, workspace: '/w' } }]);
  const promptStreams = { main: undefined };
  for (const words of ['Begin. '.repeat(2_000), 'Go on.']) await ask(stage, { session, promptStreams }, words);
  await session.writer.close();
}

interface Driven {
  readonly session: Session;
  readonly promptStreams: Parameters<typeof prepareRequest>[1];
}

async function ask(stage: Stage, { session, promptStreams }: Driven, words: string): Promise<void> {
  const { provider, clock } = stage;
  const capabilities = findModel(defaultCatalog(), stage.model);
  if (capabilities === undefined) throw new Error(`the catalog has no ${stage.model}`);
  const at = clock.surroundings.now();
  await commit(session, [
    { kind: 'prompt.given', at, data: { parts: [{ type: 'text', text: words }], presenter: 'test' } },
  ]);
  const prepared = await prepareRequest(session, promptStreams, {
    at,
    wanted: {
      provider: capabilities.provider,
      model: capabilities.model,
      parameters: {},
      capabilities: await keepCapabilities(session.log.artifacts, capabilities),
      texts: olderFront(),
    },
    capabilities,
    encoder: provider.encoder,
    account: provider.account,
    outputLimit: 1_000,
  });
  stage.bodies.push(new TextDecoder().decode(prepared.body));
  stage.simulator.next({ answer: { text: 'Done.' } });
  let answer: Answer | undefined;
  for await (const part of provider.send({ body: prepared.body, betas: prepared.betas }))
    if (part.type === 'finished') answer = part.answer;
  if (answer === undefined) throw new Error('the request was not answered');
  await recordAnswer(session, prepared, answer, clock.surroundings.now());
}

function olderFront(): FrontTexts {
  const shelf = createSkillShelf({ roots: [] });
  const tools = [createSkillSearchTool(shelf), createSkillLoadTool(shelf)];
  const front = composeFront({ tools, role: ROLE }, newHash);
  const [runtime, ...others] = front.layers;
  if (runtime === undefined) throw new Error('the front has no layer');
  const list = layer('skills', 'r1', 'project', 'Skills\n- tax: Files taxes.\n', newHash);
  return { ...front, layers: [runtime, list, ...others] };
}
