// Tests hooks of calls: denials, and notes with their place in requests.

import { describe, expect, test } from 'vitest';
import { inShort, wordsOf } from '../../tests/in-short.ts';
import { of } from '../../tests/small-family.ts';
import { eventsOf, expectSound, hook, notesOf } from '../../tests/small-hooks.ts';
import { answering, calls, goLive, heldBy, says } from '../../tests/small-live.ts';
import { ID } from '../../tests/small-session.ts';
import { gate, made } from '../../tests/small-work.ts';
import type { Hook } from '../ports/hooks.ts';
import type { Tool } from '../ports/tool.ts';
import { createSecrets } from '../secrets/create-secrets.ts';
import { secretsOf } from '../secrets/mask-text.ts';

const look = made('look', ({ call }) => ({ text: `seen by ${call}` }));

describe('a hook before a call', () => {
  test('gets the call, and a denial closes the call with its reason', async () => {
    const guard = hook('before-tool', () => ({ deny: 'not on a Friday' }), { name: 'friday' });
    const ran: string[] = [];
    const tool = made('look', ({ call }) => (ran.push(call), {}), { effect: 'execute' });
    const provider = answering(calls(['c1', 'look', '{"at":"it"}']), says('I see.'));
    const setup = await goLive({ provider, runtime: { tools: [tool], hooks: [guard] } });
    expect(await setup.live.prompt('Look.')).toMatchObject({ outcome: 'completed', text: 'I see.' });
    expect(guard.inputs).toEqual([
      {
        version: 1,
        event: 'before-tool',
        session: ID,
        turn: expect.any(String),
        workspace: '/w',
        mode: 'auto',
        call: 'c1',
        tool: 'look',
        effect: 'execute',
        title: expect.any(String),
        arguments: { at: 'it' },
      },
    ]);
    const records = await setup.records();
    expect(inShort(records).filter((line) => line.includes('c1'))).toEqual([
      'denied c1 by hook hook/friday',
      'tool.failed c1',
    ]);
    expect(wordsOf(records)).toBe(
      'The call of "look" (execute) was denied by the hook "friday" and did not run: not on a Friday',
    );
    expect(ran).toEqual([]);
    await expectSound(setup);
  });

  test('is asked before the user, and never allows a call', async () => {
    const order: string[] = [];
    const guard = hook('before-tool', ({ event }) => void order.push(event));
    const tool = made('change', () => ({}), { effect: 'write' });
    const provider = answering(calls(['c1', 'change']), says('Done.'));
    const ask = (): 'denied' => {
      order.push('user');
      return 'denied';
    };
    const setup = await goLive({ provider, runtime: { tools: [tool], hooks: [guard], ask }, open: { mode: 'ask' } });
    await setup.live.prompt('Change it.');
    expect(order).toEqual(['before-tool', 'user']);
    expect(inShort(await setup.records())).toContain('denied c1 by person ask/write');
  });

  test('is not asked about a call that the mode denies', async () => {
    const guard = hook('before-tool');
    const tool = made('change', () => ({}), { effect: 'write' });
    const provider = answering(calls(['c1', 'change']), says('Done.'));
    const setup = await goLive({ provider, runtime: { tools: [tool], hooks: [guard] }, open: { mode: 'read-only' } });
    await setup.live.prompt('Change it.');
    expect(guard.inputs).toEqual([]);
  });

  test('is asked only about the tools that it names, and a star matches any text', async () => {
    const some = hook('before-tool', undefined, { tools: ['mcp__*', 'look'] });
    const tools: readonly Tool[] = [look, made('mcp__git__push', () => ({})), made('other', () => ({}))];
    const provider = answering(calls(['c1', 'look'], ['c2', 'mcp__git__push'], ['c3', 'other']), says('Done.'));
    const setup = await goLive({ provider, runtime: { tools, hooks: [some] } });
    await setup.live.prompt('Go.');
    expect(some.inputs.map((input) => 'tool' in input && input.tool)).toEqual(['look', 'mcp__git__push']);
  });

  test('is asked about the tool to which a call is forwarded', async () => {
    const guard = hook('before-tool', () => ({ deny: 'no' }), { tools: ['look'] });
    const front = made('tool_call', () => ({}), { forward: () => ({ tool: look, input: { at: 'it' } }) });
    const provider = answering(calls(['c1', 'tool_call']), says('Done.'));
    const setup = await goLive({ provider, runtime: { tools: [front], hooks: [guard] } });
    await setup.live.prompt('Go.');
    expect(guard.inputs).toMatchObject([{ tool: 'look', effect: 'read', arguments: { at: 'it' } }]);
    expect(wordsOf(await setup.records())).toContain('was denied by the hook');
  });

  test('is asked after the hooks before it in the list, and after a denial no hook is asked', async () => {
    const order: string[] = [];
    const named = (name: string, deny?: string): Hook =>
      hook('before-tool', () => (order.push(name), deny === undefined ? { note: `note of ${name}` } : { deny }), {
        name,
      });
    const hooks = [named('one'), named('two', 'no'), named('three')];
    const setup = await goLive({
      provider: answering(calls(['c1', 'look']), says('Done.')),
      runtime: { tools: [look], hooks },
    });
    await setup.live.prompt('Go.');
    expect(order).toEqual(['one', 'two']);
    expect(inShort(await setup.records())).toContain('denied c1 by hook hook/two');
    expect(notesOf(await setup.records())).toEqual([['hook:one', 'About the call of "look" (look it):\nnote of one']]);
  });
});

describe('a note of a hook', () => {
  test('follows the results of parallel calls, and every request extends the one before it', async () => {
    const bodies: (readonly string[])[] = [];
    const slow = gate();
    const tools = [
      made('slow', () => slow.opened.then(() => ({ text: 'slow result' }))),
      made('quick', () => ({ text: 'quick result' })),
    ];
    const after = hook('after-tool', (input) => {
      if (input.event === 'after-tool' && input.tool === 'quick') slow.open();
      return { note: `checked ${input.event === 'after-tool' ? input.result : ''}` };
    });
    const before = hook('before-tool', () => ({ note: 'take care' }), { tools: ['slow'] });
    const provider = answering(calls(['c1', 'slow'], ['c2', 'quick']), calls(['c3', 'quick']), says('Done.'));
    const onRequest = (body: Uint8Array): void => void bodies.push(heldBy(body));
    const setup = await goLive({ provider, runtime: { tools, hooks: [before, after], onRequest } });
    await setup.live.prompt('Go.');
    const about = (name: string, revision: string): string =>
      expect.stringContaining(`revision=\\"${revision}\\">\\nAbout the call of \\"${name}\\"`);
    const [first = [], second = [], third = []] = bodies;
    expect(second.slice(first.length)).toEqual([
      'c1',
      'c2',
      'c1',
      'slow result',
      'c2',
      'quick result',
      about('slow', 'before-tool 6.0'),
      about('quick', 'after-tool 12'),
      about('slow', 'after-tool 14'),
    ]);
    expect(third.slice(0, second.length)).toEqual(second);
    expect(third.slice(second.length)).toEqual(['c3', 'c3', 'quick result', about('quick', 'after-tool 20')]);
    await expectSound(setup);
  });

  test('follows its prompt, and a note at the end of a turn waits for the next prompt', async () => {
    const bodies: (readonly string[])[] = [];
    const hooks = [
      hook('before-prompt', () => ({ note: 'the build is red' })),
      hook('turn-ended', () => ({ note: 'nothing was committed' })),
    ];
    const onRequest = (body: Uint8Array): void => void bodies.push(heldBy(body));
    const setup = await goLive({ provider: answering(says('One.'), says('Two.')), runtime: { hooks, onRequest } });
    await setup.live.prompt('First.');
    await setup.live.prompt('Second.');
    const [first = [], second = []] = bodies;
    const red = expect.stringContaining('the build is red');
    expect(first.slice(-2)).toEqual(['First.', red]);
    expect(second.slice(first.length)).toEqual([
      'One.',
      expect.stringContaining('nothing was committed'),
      'Second.',
      red,
    ]);
    expect(hooks[1]?.inputs).toMatchObject([
      { event: 'turn-ended', outcome: 'completed', text: 'One.' },
      { event: 'turn-ended', outcome: 'completed', text: 'Two.' },
    ]);
    await expectSound(setup);
  });

  test('is recorded with its secrets masked, and a hook gets no secret of a prompt or a result', async () => {
    const key = 'hunter2-hunter2-hunter2';
    const secrets = createSecrets({ values: secretsOf({ DEPLOY_TOKEN: key }) });
    const after = hook('after-tool', () => ({ note: `the key is ${key}` }));
    const before = hook('before-prompt');
    const tool = made('look', () => ({ text: `token=${key}` }));
    const setup = await goLive({
      provider: answering(calls(['c1', 'look']), says('Done.')),
      runtime: { tools: [tool], hooks: [before, after] },
      open: { secrets },
    });
    await setup.live.prompt(`Use ${key}.`);
    expect(before.inputs).toMatchObject([{ prompt: 'Use [secret:DEPLOY_TOKEN].' }]);
    expect(after.inputs).toMatchObject([{ result: 'token=[secret:DEPLOY_TOKEN]' }]);
    expect(notesOf(await setup.records())[0]?.[1]).toContain('the key is [secret:DEPLOY_TOKEN]');
    expect(JSON.stringify(await setup.records())).not.toContain(key);
  });

  test('is cut if it is long, and its whole text is an output of the session', async () => {
    const after = hook('after-tool', () => ({ note: 'word '.repeat(4_000) }));
    const setup = await goLive({
      provider: answering(calls(['c1', 'look']), says('Done.')),
      runtime: { tools: [look], hooks: [after] },
    });
    await setup.live.prompt('Go.');
    const [note] = of(await setup.records(), 'context.noted');
    expect(Buffer.byteLength(note?.data.body ?? '')).toBeLessThanOrEqual(4_096);
    expect(note?.data.body).toContain(`use output_read with output ${note?.data.artifact}`);
  });
});

describe('a hook after a call', () => {
  test('gets the recorded result, and is not asked about a call that did not run', async () => {
    const tool = made('look', ({ call }) =>
      call === 'c2' ? { text: 'bad', failed: true } : { text: 'x'.repeat(30_000) },
    );
    const after = hook('after-tool');
    const deny = hook('before-tool', (input) => ('call' in input && input.call === 'c3' ? { deny: 'no' } : {}));
    const provider = answering(calls(['c1', 'look'], ['c2', 'look'], ['c3', 'look']), says('Done.'));
    const setup = await goLive({ provider, runtime: { tools: [tool], hooks: [deny, after] } });
    await setup.live.prompt('Go.');
    expect(after.inputs).toMatchObject([
      { call: 'c1', result: 'x'.repeat(20_000), cut: true, failed: false },
      { call: 'c2', result: 'bad', failed: true },
    ]);
  });

  test('cannot deny, and the person is informed', async () => {
    const setup = await goLive({
      provider: answering(calls(['c1', 'look']), says('Done.')),
      runtime: { tools: [look], hooks: [hook('after-tool', () => ({ deny: 'too late' }))] },
    });
    const events = eventsOf(setup);
    expect(await setup.live.prompt('Go.')).toMatchObject({ outcome: 'completed' });
    expect(events).toContainEqual({
      type: 'notice.raised',
      notice: expect.objectContaining({ code: 'hook/failed', message: expect.stringContaining('cannot deny') }),
    });
  });
});
