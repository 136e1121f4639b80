// Tests an effort that was set for one model. It also applies to the next model, under the name that the next model
// uses for it.

import type { Recorded, RecordedOf } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { expect, test } from 'vitest';
import type { Live } from '../../tests/small-live.ts';
import { answering, goLive, says } from '../../tests/small-live.ts';
import { row } from '../../tests/small-session.ts';
import type { Notice, SessionEvent } from '../ports/session-event.ts';

const CLAUDE = row('claude-sonnet-5-5');
/** Model with the parameter names of OpenAI. */
const GPT: Capabilities = { ...CLAUDE, model: 'gpt-like', renderParameters: { 'reasoning.effort': 'messages' } };
const PLAIN: Capabilities = { ...CLAUDE, model: 'plain', renderParameters: {} };

const provider = answering(...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((text) => says(text)));

const isOpened = (record: Recorded): record is RecordedOf<'epoch.opened'> => record.kind === 'epoch.opened';

async function parametersOf({ records }: Live): Promise<unknown> {
  return (await records()).findLast(isOpened)?.data.parameters;
}

async function noticesOf(turn: AsyncIterable<SessionEvent>): Promise<readonly Notice[]> {
  const events = await Array.fromAsync(turn);
  return events.flatMap((event) => (event.type === 'notice.raised' ? [event.notice] : []));
}

test('`setModel` keeps the effort that `setReasoning` set, also for a model with another name for it', async () => {
  const live = await goLive({ provider, runtime: { capabilities: CLAUDE } });
  live.live.setReasoning({ effort: 'low' });
  await live.live.prompt('go');
  await live.live.setModel({ provider, capabilities: GPT });
  await live.live.prompt('go');
  expect(await parametersOf(live)).toEqual({ 'reasoning.effort': 'low' });
  await live.live.setModel({ provider, capabilities: CLAUDE });
  await live.live.prompt('go');
  expect(await parametersOf(live)).toEqual({ effort: 'low' });
});

test('a notice reports once per model that an effort is not sent, and it applies again after the next switch', async () => {
  const live = await goLive({ provider, runtime: { capabilities: CLAUDE, parameters: { effort: 'high' } } });
  expect(await noticesOf(live.live.prompt('go'))).toEqual([]);
  await live.live.setModel({ provider, capabilities: PLAIN });
  expect(await noticesOf(live.live.prompt('go'))).toEqual([
    {
      code: 'session/idle-parameter',
      message: 'the parameter "effort" is set but not sent, because plain does not have it',
      next: 'It applies again after a switch to a model that has it.',
    },
  ]);
  expect(await noticesOf(live.live.prompt('again'))).toEqual([]);
  await live.live.setModel({ provider, capabilities: GPT });
  expect(await noticesOf(live.live.prompt('go'))).toEqual([]);
  expect(await parametersOf(live)).toEqual({ 'reasoning.effort': 'high' });
});

test('an effort that was recorded for one model applies to another model of a later process', async () => {
  const first = await goLive({ provider, runtime: { capabilities: CLAUDE } });
  first.live.setReasoning({ effort: 'low' });
  await first.live.prompt('go');
  await first.live.close();
  const later = await goLive({ provider, shelf: first.shelf, runtime: { capabilities: GPT } });
  await later.live.prompt('go');
  expect(await parametersOf(later)).toEqual({ 'reasoning.effort': 'low' });
});
