// Problems from public threads about reasoning that lost the content after it or was signed by another model. They are
// reproduced with the real agent against a simulator that checks signatures and the content that they are bound to.

import type { AnswerPlan, Fault, ReceivedRequest } from '@tidemark/simulator';
import { describe, expect, it } from 'vitest';
import {
  AGAIN,
  answering,
  byStep,
  cutAfter,
  expectAnswered,
  onNew,
  play,
  quick,
  reaches,
  recordsOf,
  resultsOf,
  STEPS,
} from './played-agent.ts';
import { FULL } from './stories.ts';

describe('vercel/ai#7099, #8379', () => {
  const cuts = Array.from({ length: 40 }, (_, events) => events).filter((one) => FULL || one % 2 === 0);

  it('an answer that the transport cuts in its reasoning, or right after it, is requested again', async () => {
    for (const kind of ['cut', 'error-event', 'malformed-event'] as const) {
      for (const afterEvents of kind === 'cut' ? cuts : cuts.filter((one) => one % 8 === 0)) {
        const fault: Fault = { kind, afterEvents };
        const answer = (sent: ReceivedRequest, arrived: number): AnswerPlan => ({
          ...byStep(sent),
          ...(arrived === 0 && { fault }),
        });
        await onNew('memory', (place) =>
          play({ place, tools: quick, answer }, async ({ live }) => {
            expect(await live.prompt('Go.')).toMatchObject({ outcome: 'completed', text: 'That is all.' });
            await expectAnswered(live);
          }),
        );
      }
    }
  });

  it('an answer that the user stops in its reasoning, or right after it, leaves no reasoning in the next request', async () => {
    for (let piece = 0; ; piece += 1) {
      const reached = await onNew('memory', (place) =>
        play({ place, tools: quick, answer: byStep }, async ({ live, bodies }) => {
          const events = live.events();
          const turn = live.prompt('Go.');
          const found = await reaches(events, piece, ({ type }) => type === 'reasoning.delta');
          await live.interrupt();
          await turn;
          await expectAnswered(live);
          if (found && resultsOf(bodies.at(-1)).length === 0) expect(bodies.at(-1)).not.toContain('"thinking"');
          return found;
        }),
      );
      if (!reached) break;
    }
  });

  it('an answer that reaches its output limit in its reasoning, or right after it, continues', async () => {
    for (const outputLimit of [3, 8, 14, 16, 17, 20, 26, 30, 36, 40]) {
      const answer = (_sent: ReceivedRequest, arrived: number): AnswerPlan => ({
        answer: (arrived === 0 ? STEPS[0] : undefined) ?? { text: 'Good.' },
      });
      await onNew('memory', (place) =>
        play({ place, tools: quick, answer, maxOutputTokens: outputLimit }, async ({ live }) => {
          expect(await live.prompt('Go.')).toMatchObject({ outcome: 'completed', text: 'Good.' });
          expect(await live.prompt(AGAIN)).toMatchObject({ outcome: 'completed' });
        }),
      );
    }
  });
});

const MODELS = ['claude-sonnet-4-5', 'claude-opus-5-5', 'claude-sonnet-4-6', 'claude-haiku-4-5'] as const;
const SWITCHES = MODELS.flatMap((first) =>
  MODELS.filter((other) => other !== first).map((other) => [first, other] as const),
);

describe('anthropics/claude-code#63229, #63293, anomalyco/opencode#6418', () => {
  it.each(SWITCHES)(
    'a switch from %s to %s and back sends no signature of the other model, and the session continues',
    (first, other) =>
      onNew('memory', async (place) => {
        const simulator = answering(signedBy);
        let id: string | undefined;
        for (const model of [first, other, first, other]) {
          const opened = id === undefined ? {} : { id };
          await play(
            { place, model, tools: quick, simulator, answer: signedBy, ...opened },
            async ({ live, bodies }) => {
              ({ id } = live);
              expect(await live.prompt('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
              for (const body of bodies) expect(signersIn(body).filter((signer) => signer !== model)).toEqual([]);
              expect(bodies).toHaveLength(2);
            },
          );
        }
      }),
  );

  it.each(SWITCHES)(
    'a switch from %s to %s after any record of a turn sends no signature of the first model',
    (first, other) =>
      onNew('memory', async (place) => {
        const simulator = answering(signedBy);
        const played = { tools: quick, simulator, answer: signedBy };
        await play({ ...played, place, model: first }, async ({ live }) => {
          await live.prompt('Go.');
        });
        const { records } = await recordsOf(place);
        for (let last = 4; last < records.length - 1; last += 2) {
          await cutAfter(place, last, (left) =>
            play({ ...played, ...left, model: other }, async ({ live, bodies }) => {
              expect(await live.resume()).toMatchObject({ outcome: 'completed', text: 'Done.' });
              expect(await live.prompt(AGAIN)).toMatchObject({ outcome: 'completed' });
              for (const body of bodies) expect(signersIn(body).filter((signer) => signer !== other)).toEqual([]);
            }),
          );
        }
      }),
  );
});

let signed = 0;

/**
 * Plans the answers of a model that thinks, calls a tool and ends the turn. The signature of its thinking contains its
 * name.
 */
function signedBy({ model, toolResults }: ReceivedRequest): AnswerPlan {
  const name = MODELS.find((one) => model.startsWith(one)) ?? model;
  const thinking = {
    type: 'thinking',
    thinking: `I think, as ${name}.`,
    signature: `signed-${(signed += 1)}-by-${name}==`,
  } as const;
  const rest =
    toolResults.length > 0
      ? ({ type: 'text', text: 'Done.' } as const)
      : ({ type: 'tool_use', name: 'look', arguments: { at: 'a' } } as const);
  return { answer: { blocks: [thinking, rest] } };
}

function signersIn(body: string): readonly string[] {
  return [...body.matchAll(/"signature":"signed-\d+-by-([^"]*)=="/g)].map(([, signer = '']) => signer);
}
