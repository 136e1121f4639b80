// A session whose list of skills changes at once. A session at work lets another list wait for the next epoch, so this one is driven
// by the layer below it.

import type { Session } from '@tidemark/agent';
import { commit, createSession, keepCapabilities, newHash, prepareRequest, recordAnswer } from '@tidemark/agent';
import { composeFront } from '@tidemark/context';
import type { Answer, Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { sessionId } from '@tidemark/log';
import type { Stage } from './billed-stage.ts';
import type { BreakStory } from './break-stories.ts';
import { LONG_ROLE } from './break-stories.ts';

const INDEX = Array.from({ length: 40 }, (_, skill) => `- skill-${skill}: use it where shelf ${skill} is empty.`).join(
  '\n',
);
const ID = sessionId('skills');

/** Asks a few times with one list, then with one in which a word differs. */
export const changesSkills: BreakStory = async ({ stage, say }) => {
  const session = await createSession(stage.log(), ID);
  const at = stage.clock.surroundings.now();
  await commit(session, [{ kind: 'session.created', at, data: { id: ID, root: ID, workspace: '/w' } }]);
  const lines = { main: undefined };
  for (const words of ['Begin. '.repeat(2_000), 'Go on.', 'And on.'])
    await ask(stage, { session, lines }, words, INDEX, say);
  await ask(stage, { session, lines }, 'And now?', INDEX.replace('shelf 20 is empty', 'shelf 20 is full'), say);
  await session.writer.close();
  return ID;
};

interface Driven {
  readonly session: Session;
  readonly lines: Parameters<typeof prepareRequest>[1];
}

async function ask(
  stage: Stage,
  { session, lines }: Driven,
  words: string,
  skills: string,
  say: (tokens: number, cost: string | undefined) => void,
): Promise<void> {
  const { provider, model, clock } = stage;
  const capabilities: Capabilities = rowOf(model);
  const at = clock.surroundings.now();
  await commit(session, [
    { kind: 'prompt.given', at, data: { parts: [{ type: 'text', text: words }], presenter: 'test' } },
  ]);
  const prepared = await prepareRequest(session, lines, {
    at,
    wanted: {
      provider: capabilities.provider,
      model: capabilities.model,
      parameters: {},
      capabilities: await keepCapabilities(session.log.artifacts, capabilities),
      texts: composeFront({ role: LONG_ROLE, skills }, newHash),
    },
    capabilities,
    encoder: provider.encoder,
    account: provider.account,
    outputLimit: 1_000,
    admit: ({ rewrite }) => rewrite && say(rewrite.tokens, rewrite.cost),
  });
  stage.bodies.push(new TextDecoder().decode(prepared.body));
  stage.simulator.next({ answer: { text: 'Done.' } });
  let answer: Answer | undefined;
  for await (const part of provider.send({ body: prepared.body, betas: prepared.betas }))
    if (part.type === 'finished') answer = part.answer;
  if (answer === undefined) throw new Error('the request was not answered');
  await recordAnswer(session, prepared, answer, clock.surroundings.now());
}

function rowOf(model: string): Capabilities {
  const row = findModel(defaultCatalog(), model);
  if (row === undefined) throw new Error(`the catalog has no ${model}`);
  return row;
}
