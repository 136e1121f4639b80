// Tests that a reasoning setting belongs to its session. Another process continues with the setting. Opening the
// session therefore causes no further change and no cost.

import type { RenderParameters } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { Live } from '../../tests/small-live.ts';
import { answering, goLive, says } from '../../tests/small-live.ts';
import { ID, row } from '../../tests/small-session.ts';
import { foldLog } from '../session/session.ts';

/** Model that takes a reasoning setting as an appended message. */
const APPENDS = 'claude-opus-5-5';
/** Model that needs a new epoch for a reasoning setting. */
const EDITS = 'claude-haiku-4-5';

function open(model: string, parameters: RenderParameters, shelf?: Live['shelf']): Promise<Live> {
  const provider = answering(says('One.'), says('Two.'), says('Three.'));
  const runtime = { capabilities: row(model), parameters };
  return goLive({ provider, runtime, ...(shelf !== undefined && { shelf }) });
}

async function changes({ log, records }: Live): Promise<readonly unknown[]> {
  const kinds = (await records()).map(({ kind }) => kind);
  const count = (kind: string): number => kinds.filter((one) => one === kind).length;
  const { epoch } = await foldLog(log, ID);
  return [count('epoch.opened'), count('reasoning.changed'), epoch?.inForce.parameters];
}

const LEVEL = { [APPENDS]: 'effort', [EDITS]: 'thinking' } as const;
const SETTING = { [APPENDS]: 'high', [EDITS]: { type: 'enabled', budget_tokens: 2_000 } } as const;

test.each([APPENDS, EDITS] as const)(
  'a setting made before the session was closed applies when it is opened again: %s',
  async (model) => {
    const parameters = { [LEVEL[model]]: SETTING[model] };
    const first = await open(model, {});
    await first.live.prompt('One.');
    first.live.setReasoning(parameters);
    await first.live.prompt('Two.');
    await first.live.close();
    const before = await changes(first);
    const again = await open(model, {}, first.shelf);
    await again.live.prompt('Three.');
    expect(await changes(again)).toEqual(before);
    expect(before.at(-1)).toEqual(parameters);
  },
);

test('a setting that no request has used yet is used by the first request after the session is opened again', async () => {
  const first = await open(APPENDS, { effort: 'low' });
  await first.live.prompt('One.');
  first.live.setReasoning({ effort: 'high' });
  await first.live.close();
  const again = await open(APPENDS, { effort: 'low' }, first.shelf);
  await again.live.prompt('Two.');
  expect(await changes(again)).toEqual([1, 1, { effort: 'high' }]);
});

test('the last of several settings applies, and other parameters come from the options with which the session is opened', async () => {
  const first = await open(APPENDS, { effort: 'low' });
  first.live.setReasoning({ effort: 'high' });
  first.live.setReasoning({ effort: 'medium' });
  await first.live.prompt('One.');
  await first.live.close();
  const again = await open(APPENDS, { effort: 'low', speed: 'fast' }, first.shelf);
  await again.live.prompt('Two.');
  const [, , inForce] = await changes(again);
  expect(inForce).toMatchObject({ effort: 'medium' });
});

test('a session without a setting of its own takes the parameters with which it is opened', async () => {
  const first = await open(APPENDS, { effort: 'low' });
  await first.live.prompt('One.');
  await first.live.close();
  const again = await open(APPENDS, { effort: 'high' }, first.shelf);
  await again.live.prompt('Two.');
  expect(await changes(again)).toEqual([1, 1, { effort: 'high' }]);
});
