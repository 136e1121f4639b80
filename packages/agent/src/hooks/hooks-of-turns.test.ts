// Tests hooks of prompts and turns, failures and time limits of hooks, recovery, forks and subagents.

import { describe, expect, test } from 'vitest';
import { inShort, wordsOf } from '../../tests/in-short.ts';
import { agent, goWithAgents, of, parentAsks } from '../../tests/small-family.ts';
import { eventsOf, expectSound, hook, notesOf } from '../../tests/small-hooks.ts';
import { answering, calls, cutShelf, goLive, heldBy, says } from '../../tests/small-live.ts';
import { gate, made } from '../../tests/small-work.ts';
import { AgentError } from '../errors.ts';
import type { Hook } from '../ports/hooks.ts';

const look = made('look', ({ call }) => ({ text: `seen by ${call}` }));

describe('a hook before a prompt', () => {
  test('denies the prompt with a typed error: nothing is sent, only the denial is recorded, the session stays open', async () => {
    const guard = hook('before-prompt', (input) =>
      JSON.stringify(input).includes('bad') ? { deny: 'no bad words' } : {},
    );
    const setup = await goLive({ provider: answering(says('Hello.')), runtime: { hooks: [guard] } });
    const before = (await setup.records()).length;
    const error: unknown = await setup.live.prompt('a bad word').catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(AgentError);
    expect(error).toMatchObject({ code: 'agent/hook-denied', sort: 'refused', data: { hook: 'before-prompt' } });
    expect((await setup.records()).slice(before)).toMatchObject([
      {
        kind: 'prompt.denied',
        data: { by: 'hook', rule: 'hook/before-prompt', reason: 'no bad words', presenter: 'library' },
      },
    ]);
    expect(JSON.stringify(await setup.records())).not.toContain('a bad word');
    expect(await setup.live.prompt('Good morning.')).toMatchObject({ outcome: 'completed', text: 'Hello.' });
    await expectSound(setup);
  });

  test('is asked about a message that is steered into the running turn', async () => {
    const begun = gate();
    const open = gate();
    const tool = made('look', async () => {
      begun.open();
      await open.opened;
      return { text: 'seen' };
    });
    const guard = hook('before-prompt', (input) => ('steer' in input ? { deny: 'not now' } : {}));
    const setup = await goLive({
      provider: answering(calls(['c1', 'look']), says('Done.')),
      runtime: { tools: [tool], hooks: [guard] },
    });
    const turn = setup.live.prompt('Go.');
    await begun.opened;
    await expect(setup.live.steer('Faster.')).rejects.toMatchObject({ code: 'agent/hook-denied' });
    open.open();
    await expect(turn).resolves.toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(of(await setup.records(), 'prompt.denied')).toMatchObject([{ data: { steer: true } }]);
    expect(of(await setup.records(), 'prompt.given')).toHaveLength(1);
  });

  test('denies a prompt that is interrupted before the hook answered', async () => {
    const begun = gate();
    const guard = hook('before-prompt', () => {
      begun.open();
      return new Promise<undefined>(() => undefined);
    });
    const setup = await goLive({ provider: answering(says('Hello.')), runtime: { hooks: [guard] } });
    const turn = setup.live.prompt('Go.');
    await begun.opened;
    await setup.live.interrupt();
    await expect(turn).rejects.toMatchObject({ code: 'agent/hook-denied' });
    expect(await setup.kinds()).toEqual(['session.created', 'mode.changed', 'prompt.denied']);
  });
});

describe('a hook that fails', () => {
  const broken: readonly (readonly [string, Hook['run']])[] = [
    ['throws', () => Promise.reject(new Error('broken'))],
    [
      'throws at once',
      () => {
        throw new Error('broken');
      },
    ],
    ['answers with a text', () => JSON.parse('"yes"')],
    ['answers with an unknown field', () => JSON.parse('{"allow":true}')],
    ['answers with a number as a note', () => JSON.parse('{"note":1}')],
  ];
  test.each(broken)('denies before a call if it %s, and continues if the hook says so', async (_name, run) => {
    for (const whenItFails of ['deny', 'continue'] as const) {
      const setup = await goLive({
        provider: answering(calls(['c1', 'look']), says('Done.')),
        runtime: { tools: [look], hooks: [hook('before-tool', run, whenItFails === 'deny' ? {} : { whenItFails })] },
      });
      const events = eventsOf(setup);
      expect(await setup.live.prompt('Go.')).toMatchObject({ outcome: 'completed' });
      const decided = whenItFails === 'deny' ? 'denied c1 by hook hook/before-tool' : 'allowed c1 by rule auto/read';
      expect(inShort(await setup.records())).toContain(decided);
      expect(events.filter(({ type }) => type === 'notice.raised')).toHaveLength(1);
    }
  });

  test('is stopped at its time limit, at most after 60 s, and presenters see it after a moment', async () => {
    const begun = gate();
    const signals: AbortSignal[] = [];
    const forever = hook(
      'before-tool',
      (_input, { signal }) => {
        signals.push(signal);
        begun.open();
        return new Promise<undefined>(() => undefined);
      },
      { timeoutMs: 3_600_000 },
    );
    const setup = await goLive({
      provider: answering(calls(['c1', 'look']), says('Done.')),
      runtime: { tools: [look], hooks: [forever] },
    });
    const events = eventsOf(setup);
    const turn = setup.live.prompt('Go.');
    await begun.opened;
    setup.pass(3_000);
    setup.pass(56_999);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    setup.pass(1);
    expect(await turn).toMatchObject({ outcome: 'completed' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(wordsOf(await setup.records())).toContain('The hook failed');
    const shown = { type: 'hook.waiting', hook: 'before-tool', on: 'before-tool', call: 'c1' };
    expect(events.filter(({ type }) => type === 'hook.waiting' || type === 'notice.raised')).toEqual([
      { ...shown, over: false },
      { ...shown, over: true },
      { type: 'notice.raised', notice: expect.objectContaining({ code: 'hook/failed' }) },
    ]);
  });

  test('ends with an interrupt: the call did not run, and no hook is asked about the end of the turn', async () => {
    const begun = gate();
    const ended = hook('turn-ended');
    const guard = hook('before-tool', () => {
      begun.open();
      return new Promise<undefined>(() => undefined);
    });
    const setup = await goLive({
      provider: answering(calls(['c1', 'look'])),
      runtime: { tools: [look], hooks: [guard, ended] },
    });
    const turn = setup.live.prompt('Go.');
    await begun.opened;
    await setup.live.interrupt();
    expect(await turn).toMatchObject({ outcome: 'interrupted' });
    expect(inShort(await setup.records()).slice(-2)).toEqual(['tool.abandoned c1 unstarted', 'turn.ended']);
    expect(ended.inputs).toEqual([]);
  });
});

describe('a session with hooks after a crash', () => {
  test('asks a hook again only about a call that had not started', async () => {
    const provider = answering(calls(['c1', 'look']), says('Done.'));
    const first = await goLive({
      provider,
      runtime: { tools: [look], hooks: [hook('before-tool', () => ({ note: 'a note' }))] },
    });
    await first.live.prompt('Go.');
    const records = inShort(await first.records());
    for (const [cut, asked] of [
      [records.indexOf('allowed c1 by rule auto/read'), 1],
      // The note is recorded, and the start of its call is not. The note is not recorded again.
      [records.indexOf('context.noted') + 1, 1],
      [records.indexOf('tool.started c1') + 1, 0],
      [records.indexOf('tool.returned c1') + 1, 0],
    ] as const) {
      const again = hook('before-tool', () => ({ note: 'a note' }));
      const shelf = cutShelf(first.shelf, cut);
      const reopened = await goLive({
        provider: answering(says('Done.')),
        shelf,
        runtime: { tools: [look], hooks: [again] },
      });
      expect(await reopened.live.resume()).toMatchObject({ outcome: 'completed' });
      expect(again.inputs).toHaveLength(asked);
      expect(notesOf(await reopened.records())).toHaveLength(1);
      await expectSound(reopened);
    }
  });

  test('gives a note of the last turn to the next prompt of another process and of a fork', async () => {
    const hooks = [hook('turn-ended', () => ({ note: 'remember this' }))];
    const first = await goLive({ provider: answering(says('One.')), runtime: { hooks } });
    await first.live.prompt('First.');
    // Only a note that is not urgent waits for the next prompt.
    expect(of(await first.records(), 'context.noted').map(({ data }) => data.urgent)).toEqual([undefined]);
    const bodies: (readonly string[])[] = [];
    const onRequest = (body: Uint8Array): void => void bodies.push(heldBy(body));
    const fork = await first.live.fork();
    await fork.close();
    await first.live.close();
    const reopened = await goLive({ provider: answering(says('Two.')), shelf: first.shelf, runtime: { onRequest } });
    await reopened.live.prompt('Second.');
    expect(bodies[0]?.slice(-2)).toEqual([expect.stringContaining('remember this'), 'Second.']);
    await expectSound(reopened);
  });
});

test('a fork asks the hooks of its session about its calls', async () => {
  const guard = hook('before-tool', () => ({ deny: 'no' }));
  const provider = answering(says('One.'), calls(['c1', 'look']), says('Two.'));
  const setup = await goLive({ provider, runtime: { tools: [look], hooks: [guard] } });
  await setup.live.prompt('First.');
  const fork = await setup.live.fork();
  await fork.prompt('Second.');
  expect(guard.inputs).toMatchObject([{ session: fork.id, tool: 'look' }]);
  await fork.close();
});

test('hooks are asked about the calls of a subagent, and not about its prompt and its turn', async () => {
  const provider = parentAsks([agent('a1', { task: 'Look.' })], (said) =>
    said.some((text) => text.includes('denied by the hook')) ? says('I may not.') : calls(['c1', 'look']),
  );
  const guard = hook('before-tool', () => ({ deny: 'no' }), { tools: ['look'] });
  const hooks = [guard, hook('before-prompt'), hook('turn-ended')];
  const setup = await goWithAgents(provider, { tools: [look], hooks });
  expect(await setup.live.prompt('Go.')).toMatchObject({ outcome: 'completed' });
  const [child] = of(await setup.records(), 'subagent.started');
  expect(guard.inputs).toMatchObject([{ session: child?.data.child, parent: setup.live.id, tool: 'look' }]);
  expect(hooks.slice(1).map(({ inputs }) => inputs.length)).toEqual([1, 1]);
  expect(hooks[1]?.inputs).toMatchObject([{ session: setup.live.id, prompt: 'Go.' }]);
});
