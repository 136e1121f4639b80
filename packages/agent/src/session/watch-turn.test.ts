// Tests that changes outside of the session are reported when the turn ends.

import type { EffectClass } from '@tidemark/log';
import { describe, expect, test } from 'vitest';
import { answering, calls, goLive, says } from '../../tests/small-live.ts';
import { made } from '../../tests/small-work.ts';
import type { TurnWatch } from '../ports/runtime.ts';
import type { SessionEvent } from '../ports/session-event.ts';
import { createSecrets } from '../secrets/create-secrets.ts';

interface Watching {
  readonly watch: TurnWatch;
  readonly looks: string[];
}

function watching(end: () => void = () => undefined): Watching {
  const looks: string[] = [];
  const watch: TurnWatch = {
    async begin() {
      looks.push('begin');
      return async () => {
        looks.push('end');
        end();
        return [{ code: 'changed', message: `look ${looks.length}`, next: '' }];
      };
    },
  };
  return { watch, looks };
}

async function noticesOf(watch: TurnWatch, effects: readonly EffectClass[], turns = 1): Promise<readonly string[]> {
  const tools = effects.map((effect) => made(effect, () => ({ text: 'ran' }), { effect }));
  const answers = effects.map((effect, index) => calls([`c${index}`, effect]));
  const turn = [...answers, says('Done.')];
  const provider = answering(...Array.from({ length: turns }, () => turn).flat());
  const { live } = await goLive({ provider, runtime: { tools, watch } });
  const told: SessionEvent[] = [];
  for (let round = 0; round < turns; round += 1) for await (const event of live.prompt('go')) told.push(event);
  await live.close();
  return told.flatMap((event) =>
    event.type === 'notice.raised' ? [`${event.notice.code}: ${event.notice.message}`] : [],
  );
}

describe('the watch of a turn', () => {
  test('records the state before the first call that can change something, and compares it after the last call of the turn', async () => {
    const { watch, looks } = watching();
    const notices = await noticesOf(watch, ['read', 'write', 'execute'], 2);
    expect(looks).toEqual(['begin', 'end', 'begin', 'end']);
    expect(notices).toEqual(['changed: look 2', 'changed: look 4']);
  });

  test('does nothing in a turn that only reads', async () => {
    const { watch, looks } = watching();
    expect(await noticesOf(watch, ['read', 'none'])).toEqual([]);
    expect(looks).toEqual([]);
  });

  test('reports its own failure in a notice and does not stop the turn', async () => {
    const failing: TurnWatch = { begin: async () => Promise.reject(new Error('no folder')) };
    expect(await noticesOf(failing, ['write'])).toEqual([
      'turn/watch-failed: the changes of this turn are unknown: no folder',
    ]);
    const late = watching(() => {
      throw new Error('gone');
    });
    expect(await noticesOf(late.watch, ['write'])).toEqual([
      'turn/watch-failed: the changes of this turn are unknown: gone',
    ]);
  });
});

test("secrets in a tool's notice are masked", async () => {
  const value = 'key-in-a-notice-0123';
  const tool = made('look', async (context) => {
    context.notice({ code: 'tool/changed', message: `made ${value}`, next: `remove ${value}` });
    return {};
  });
  const secrets = createSecrets({ values: [{ name: 'A_KEY', value }] });
  const provider = answering(calls(['c1', 'look']), says('Done.'));
  const { live } = await goLive({ provider, runtime: { tools: [tool] }, open: { secrets } });
  const told: SessionEvent[] = [];
  for await (const event of live.prompt('go')) told.push(event);
  await live.close();
  expect(told).toContainEqual({
    type: 'notice.raised',
    notice: { code: 'tool/changed', message: 'made [secret:A_KEY]', next: 'remove [secret:A_KEY]' },
  });
});
