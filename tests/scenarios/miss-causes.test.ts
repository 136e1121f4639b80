// Causes of misses: each cause is based on evidence, namely the requests of the session, other requests in flight, and
// the provider's diagnosis.

import { addSession, explainSession, NO_ACCOUNTS } from '@tidemark/agent';
import type { Miss } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { AnswerPlan } from '@tidemark/simulator';
import { describe, expect, test } from 'vitest';
import type { Stage } from './billed-stage.ts';
import { encoders, expectSound, openStage, recordsOf, ROLE } from './billed-stage.ts';
import { TOOLS } from './matrix-stories.ts';

const DONE: AnswerPlan = { answer: { text: 'Done.' } };
const LONG = 'a line of what was said before, in words. '.repeat(300);
const MINUTE = 60_000;
const [first = expect.unreachable(), ...others] = TOOLS;
const REWORDED = [{ ...first, description: 'Says otherwise.' }, ...others];

async function missesIn(stage: Stage, id: string): Promise<readonly Miss[]> {
  const records = await recordsOf(stage, id);
  return records.flatMap((one) => (one.kind === 'answer.received' && one.data.miss ? [one.data.miss] : []));
}

/** Returns the causes by which `tidemark cost --by cause` groups the tokens that a session paid again. */
async function paidAgain(stage: Stage, id: string): Promise<readonly (string | undefined)[]> {
  const options = { by: 'cause', rowOf: () => undefined } as const;
  const { groups } = await addSession(NO_ACCOUNTS, stage.log(), sessionId(id), options);
  return [...groups.keys()].filter((name) => name !== undefined);
}

describe('two changes at once', () => {
  test('are both named by the epoch, by `why` and by the totals per cause', async () => {
    const stage = await openStage({ tools: TOOLS });
    const live = await stage.open();
    await stage.turn(live, LONG, DONE);
    await live.close();
    const changed = await stage.open({ id: live.id, instructions: `${ROLE}\nAnswer in verse.`, tools: REWORDED });
    await stage.turn(changed, 'And on.', DONE);
    const { explained } = await explainSession(stage.log(), sessionId(live.id), encoders);
    expect(explained).toMatchObject([{ opened: { cause: 'tools', also: ['role'] }, miss: { cause: 'opened' } }]);
    expect(await paidAgain(stage, live.id)).toEqual(['tools + role']);
    await expectSound(stage, live.id);
  });

  test('are both named if one of them is a pause, and the pause is named first because the pause alone would have lost the entry', async () => {
    const stage = await openStage({ tools: TOOLS });
    const live = await stage.open();
    await stage.turn(live, LONG, DONE);
    await live.close();
    stage.clock.pass(61 * MINUTE);
    const changed = await stage.open({ id: live.id, tools: REWORDED });
    await stage.turn(changed, 'And on.', DONE);
    expect(await missesIn(stage, live.id)).toMatchObject([{ cause: 'expired', also: ['opened'] }]);
    expect(await paidAgain(stage, live.id)).toEqual(['expired + tools']);
  });
});

/** Creates a gateway that adds a setting to the third request. No event in the session's log records this setting. */
function adding(setting: string): typeof globalThis.fetch {
  let calls = 0;
  return (input, init) => {
    calls += 1;
    if (calls !== 3 || !(init?.body instanceof Uint8Array)) return fetch(input, init);
    const body = new TextDecoder().decode(init.body).replace(/^\{/, `{${setting},`);
    return fetch(input, { ...init, body });
  };
}

test("a miss caused by a setting that a gateway adds is recorded as `parameter`, based on the provider's diagnosis", async () => {
  const stage = await openStage({ model: 'claude-opus-5-5' }, { gateway: adding('"speed":"fast"') });
  const live = await stage.open();
  for (const words of [LONG, 'Go on.', 'And on.']) await stage.turn(live, words, DONE);
  expect(await missesIn(stage, live.id)).toMatchObject([{ cause: 'parameter' }]);
});
