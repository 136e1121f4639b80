// Problems from public threads about other agents whose sessions got the status 400 for every request, or lost their
// cache. Each problem is reproduced with the turn loop and ends with a request that is accepted.

import { describe, expect, it } from 'vitest';
import { itemAt, slice } from '@tidemark/context';
import type { Block } from '@tidemark/model';
import { totalInput } from '@tidemark/simulator';
import type { CallSpec, ContentSpec, SaidSpec } from './content.ts';
import type { Command, Outcome } from './loop-commands.ts';
import { perform } from './loop-perform.ts';
import type { Loop, SentCall } from './loop.ts';
import { beginLoop, put } from './loop.ts';
import { newPlace, within } from './place.ts';
import type { World } from './play.ts';
import { newServer } from './server.ts';

const WORLDS: readonly World[] = [
  { store: 'memory', provider: 'simulator' },
  { store: 'ndjson', provider: 'simulator' },
  { store: 'memory', provider: 'scripted' },
];

describe.each(WORLDS)('a turn loop on $store against $provider', (world) => {
  const reply = (
    commands: readonly Command[],
    check: (loop: Loop, last: SentCall) => void | Promise<void>,
    model = 0,
  ): Promise<void> =>
    within(newPlace(world.store), async (place) => {
      const loop = await beginLoop(place, newServer(world.provider), { model, ttl: '5m' });
      try {
        for (const command of commands) await perform(loop, command);
        for (const { served, outcome } of loop.sent)
          if (outcome !== 'failed') expect(served).toMatchObject({ status: 200 });
        const last = loop.calls.at(-1);
        if (last === undefined) throw new Error('nothing was sent');
        await check(loop, last);
      } finally {
        await loop.session.writer.close();
      }
    });

  it('anthropics/claude-code#3639, #1894, #5989: a call that was interrupted has its result in the next request', () =>
    reply(
      [prompt(), asks({ calls: [call(), call()] }), { ...closes('returned'), share: 0.5 }, RESTART, prompt(), asks({})],
      (_loop, last) => {
        expect(held(last)).toEqual(['text', 'call', 'call', 'result', 'result', 'text']);
        expect(pairs(last)).toEqual({ calls: 2, results: 2 });
      },
    ));

  it('anthropics/claude-code#3639: an answer that the user stops leaves no call in the next request', () =>
    reply(
      [prompt(), asks({ said: [text()], calls: [call()] }, 'stopped-by-user'), prompt(), asks({})],
      (_loop, last) => {
        expect(pairs(last)).toEqual({ calls: 0, results: 0 });
      },
    ));

  it.each([0, 1, 2])(
    'aaif-goose/goose#2951, mastra-ai/mastra#2667, #16981: a checkpoint %i messages from the end keeps calls and results together',
    (keep) =>
      reply(
        [
          prompt(),
          asks({ calls: [call(), call()] }),
          closes('returned'),
          asks({ calls: [call()] }),
          closes('failed'),
          { do: 'compact', keep, text: words(80) },
          prompt(),
          asks({}),
        ],
        (_loop, last) => {
          const { calls, results } = pairs(last);
          expect(calls).toBe(results);
          expect(last.prepared.opened?.data.cause).toBe('compaction');
        },
      ),
  );

  it('vercel/ai#7099, #8379: reasoning at the end of an answer is never sent', () =>
    reply(
      [
        prompt(),
        asks({ said: [text(), { kind: 'thinking', size: 50 }] }),
        prompt(),
        asks({ said: [{ kind: 'thinking', size: 50 }] }),
        prompt(),
        asks({}),
      ],
      (_loop, last) => {
        expect(held(last)).not.toContain('thinking');
      },
    ));

  it('anthropics/claude-code#63229, #63293, anomalyco/opencode#6418: after a switch of models no signature of the other model is sent, and after the switch back its own is', () =>
    reply(
      [...withThinking(), { do: 'model', model: 2 }, prompt(), asks({}), { do: 'model', model: 0 }, prompt(), asks({})],
      (loop, last) => {
        const [first, other] = loop.calls.slice(-3);
        expect(first && other && [held(first).includes('thinking'), held(other).includes('thinking')]).toEqual([
          true,
          false,
        ]);
        expect(held(last)).toContain('thinking');
      },
    ));

  it('anthropics/claude-code#63229: after a changed front, no earlier thinking is sent to a model that binds thinking to its prefix', () =>
    reply(
      [...withThinking(), { do: 'role', role: 2 }, prompt(), asks({})],
      (_loop, last) => {
        expect(last.prepared.opened?.data.cause).toBe('role');
        expect(held(last)).not.toContain('thinking');
      },
      1,
    ));

  it('anthropics/claude-code#63229: thinking after an omitted blank text is omitted too, for a model that binds thinking to its prefix', () =>
    reply(
      [
        prompt(),
        asks({
          said: [
            { kind: 'text', text: { kind: 'odd', text: '' } },
            { kind: 'thinking', size: 40 },
          ],
          calls: [call()],
        }),
        closes('returned'),
        asks({}),
      ],
      (_loop, last) => {
        expect(held(last)).not.toContain('thinking');
      },
      1,
    ));

  it('anthropics/claude-code#37418, #83206: an image that is sent twice is stored once, and an image that no provider takes becomes a line of text', () =>
    reply([{ do: 'prompt', parts: [image(0), image(0), image(2), image(3)] }, asks({})], ({ session }, last) => {
      expect(held(last)).toEqual(
        world.provider === 'simulator' ? ['image', 'image', 'text', 'text'] : Array(4).fill('image'),
      );
      const [first, second] = itemAt(session.state.history.packed, 0)?.parts ?? [];
      expect(first).toEqual(second);
    }));

  it('call ids that a provider repeats in each answer are unique on the wire', () =>
    reply(
      [
        prompt(),
        asks({ calls: [call('fresh')] }),
        closes('returned'),
        asks({ calls: [call('repeated'), call('alias'), call('doubled')] }),
        closes('returned'),
        asks({ calls: [call('repeated')] }),
        closes('returned'),
        asks({}),
      ],
      (_loop, last) => {
        const { calls, results } = pairs(last);
        expect(calls).toBe(results);
      },
    ));

  it('cut arguments, second results and results without a call do not stop the next request', () =>
    reply(
      [
        prompt(),
        asks({ calls: [{ ...call(), arguments: '{"cut":"of' }, call()] }),
        closes('returned-twice'),
        { do: 'orphan' },
        asks({ calls: [call()] }),
        closes('cut'),
        asks({}),
      ],
      (loop) => {
        expect(loop.session.state.problems.buffer.map(({ code }) => code)).toEqual(
          expect.arrayContaining(['second-closing', 'orphan-closing']),
        );
      },
    ));

  it('anthropics/claude-code#65917, can1357/oh-my-pi#890, anomalyco/opencode#23571: tools that are removed and added again, in another order or after a restart, open no epoch', () =>
    reply(
      [
        prompt(),
        asks({}),
        { do: 'tools', set: 3 },
        RESTART,
        { do: 'tools', set: 1 },
        { do: 'bystander', kind: 0 },
        prompt(),
        asks({}),
      ],
      (_loop, last) => {
        expect(last.prepared.opened).toBeUndefined();
      },
    ));

  it('Mintplex-Labs/anything-llm#6398, #6399: the text of a note stays in every later request', () =>
    reply([{ do: 'note', urgent: false, text: words(50) }, prompt(), asks({}), prompt(), asks({})], (loop, last) => {
      const [first] = loop.calls;
      const notes = (one: SentCall | undefined): readonly string[] =>
        slice(one?.prepared.sequence.blocks ?? { buffer: [], length: 0 }).flatMap(noteIn);
      expect(notes(first)).toHaveLength(1);
      expect(notes(last)).toEqual(notes(first));
    }));
});

describe.each(WORLDS.filter(({ provider }) => provider === 'simulator'))(
  'the bill of a turn loop on $store',
  (world) => {
    it.each([10, 26])('a step of %i parallel calls is read whole from the cache by the next step', (width) =>
      within(newPlace(world.store), async (place) => {
        const loop = await beginLoop(place, newServer('simulator'), { model: 0, ttl: '5m' });
        const wide = asks({ said: [text()], calls: Array.from({ length: width }, () => call()) });
        for (const command of [
          { do: 'role', role: 2 },
          prompt(),
          wide,
          closes('returned'),
          wide,
          closes('returned'),
          asks({}),
        ] as const)
          await perform(loop, command);
        const [, second, third] = loop.calls;
        const sent = second?.billed;
        const next = third?.billed;
        expect(next?.cache_read_input_tokens).toBe(sent === undefined ? undefined : totalInput(sent));
        await loop.session.writer.close();
      }),
    );

    it('adolfousier/opencrabs#657: a note with the time is written to the cache once, and read from then on', () =>
      within(newPlace(world.store), async (place) => {
        const loop = await beginLoop(place, newServer('simulator'), { model: 0, ttl: '5m' });
        await perform(loop, { do: 'role', role: 2 });
        for (let turn = 0; turn < 4; turn += 1) {
          await put(loop, {
            kind: 'context.noted',
            data: { source: 'clock', revision: `${turn}`, cause: 'changed', body: `It is ${loop.now}.` },
          });
          for (const command of [prompt(), asks({ said: [text()] })]) await perform(loop, command);
        }
        const bills = loop.calls.map(({ billed }) => billed);
        for (const [index, bill] of bills.entries()) {
          const before = bills[index - 1];
          if (before !== undefined) expect(bill?.cache_read_input_tokens).toBe(totalInput(before));
        }
        await loop.session.writer.close();
      }));
  },
);

const RESTART: Command = { do: 'restart' };

function words(size: number): Extract<ContentSpec, { readonly kind: 'words' }> {
  return { kind: 'words', size };
}

function image(index: number): ContentSpec {
  return { kind: 'image', image: index };
}

function text(): SaidSpec {
  return { kind: 'text', text: words(60) };
}

function call(id: CallSpec['id'] = 'fresh'): CallSpec {
  return { id, name: 'read', arguments: '{"path":"a.ts"}' };
}

function prompt(): Command {
  return { do: 'prompt', parts: [words(60)] };
}

function asks(
  answer: { readonly said?: readonly SaidSpec[]; readonly calls?: readonly CallSpec[] },
  outcome: Outcome = 'answered',
): Command {
  return { do: 'ask', answer: { said: answer.said ?? [], calls: answer.calls ?? [] }, outcome, during: [] };
}

function closes(
  fate: Extract<Command, { readonly do: 'close' }>['fates'][number],
): Extract<Command, { readonly do: 'close' }> {
  return { do: 'close', order: 7, share: 1, fates: [fate], contents: [[words(200)]] };
}

/**
 * Returns the commands of a turn that does not end. The thinking of its first step is therefore still in later
 * requests.
 */
function withThinking(): readonly Command[] {
  return [prompt(), asks({ said: [{ kind: 'thinking', size: 60 }], calls: [call()] }), closes('returned'), asks({})];
}

function held(sent: SentCall): readonly Block['holds'][] {
  return slice(sent.prepared.sequence.blocks, sent.prepared.sequence.front).map((block) => block.holds);
}

function pairs(sent: SentCall): { readonly calls: number; readonly results: number } {
  const kinds = held(sent);
  return {
    calls: kinds.filter((one) => one === 'call').length,
    results: kinds.filter((one) => one === 'result').length,
  };
}

function noteIn({ head, section }: Block): readonly string[] {
  return section === 'messages' && head.includes('<context source') ? [head] : [];
}
