// Provider's diagnosis of misses: compares our cause of each miss with the provider's diagnosis. The provider compares
// the requests with its own code, so an agreement is independent evidence. The tests run against the simulated
// Anthropic and OpenAI, with one fault at a time.

import { explainSession } from '@tidemark/agent';
import type { AgentSession } from '@tidemark/kit';
import { sessionId } from '@tidemark/log';
import type { AnswerPlan } from '@tidemark/simulator';
import { describe, expect, it, test } from 'vitest';
import type { Opening, Stage } from './billed-stage.ts';
import { encoders, expectSound, openStage, recordsOf, ROLE } from './billed-stage.ts';
import { TOOLS } from './matrix-stories.ts';

const DONE: AnswerPlan = { answer: { text: 'Done.' } };
const MINUTE = 60_000;

/** Event before or in the third turn: a pause in milliseconds, a reopening with other options, or another answer. */
interface Event {
  readonly pause?: number;
  readonly reopened?: Opening;
  readonly answer?: AnswerPlan;
}

async function played(model: string, { pause, reopened, answer = DONE }: Event): Promise<[Stage, AgentSession]> {
  const stage = await openStage({ model, tools: TOOLS });
  let live = await stage.open();
  await stage.turn(live, 'Begin.', DONE);
  await stage.turn(live, 'Go on.', DONE);
  if (pause !== undefined) stage.clock.pass(pause);
  if (reopened !== undefined) {
    await live.close();
    live = await stage.open({ ...reopened, id: live.id });
  }
  await stage.turn(live, 'And on.', answer);
  await stage.turn(live, 'And on again.', DONE);
  return [stage, live];
}

/**
 * Returns a line for each miss: the step, our cause, the provider's finding with its reason, and the verdict of the
 * comparison.
 */
async function checks(stage: Stage, { id }: AgentSession): Promise<readonly string[]> {
  const { explained } = await explainSession(stage.log(), sessionId(id), encoders);
  return explained.flatMap(({ step, miss, opened, checked }) => {
    if (miss === undefined) return [];
    const ours = miss.cause === 'opened' ? opened?.cause : miss.cause;
    const { found, reason } = checked?.diagnosis ?? {};
    return [
      `step ${step}: ${ours}; ${[found, reason].filter((one) => one !== undefined).join(' ')}; ${checked?.verdict}`,
    ];
  });
}

const [first = expect.unreachable(), ...others] = TOOLS;
const another = { ...first, description: 'Says otherwise.' };

const EVENTS = {
  nothing: {},
  'another role': { reopened: { instructions: `${ROLE}\nAnswer in verse.` } },
  'another tool': { reopened: { tools: [another, ...others] } },
  'a pause': { pause: 61 * MINUTE },
  'an eviction': { answer: { ...DONE, fault: { kind: 'evicted' } } },
} as const satisfies Readonly<Record<string, Event>>;

type Name = keyof typeof EVENTS | 'another model';

const SAID: { readonly [model: string]: { readonly [name in Name]: readonly string[] } } = {
  'claude-sonnet-4-6': {
    nothing: [],
    'another model': ['step 2: model; miss model_changed; agrees'],
    'another role': ['step 2: role; miss system_changed; agrees'],
    'another tool': ['step 2: tools; miss tools_changed; agrees'],
    'a pause': ['step 2: expired; same; agrees'],
    'an eviction': ['step 2: evicted; same; agrees'],
  },
  'gpt-5.6-sol': {
    nothing: [],
    'another model': ['step 2: model; miss model_changed; agrees'],
    'another role': ['step 2: role; miss input_changed; agrees'],
    'another tool': ['step 2: tools; miss tools_changed; agrees'],
    'a pause': ['step 2: expired; unavailable; silent'],
    'an eviction': ['step 2: unknown; unavailable; silent'],
  },
};
const OTHERS: { readonly [model: string]: string } = {
  'claude-sonnet-4-6': 'claude-opus-4-8',
  'gpt-5.6-sol': 'gpt-6-sol',
};

describe.each(Object.entries(SAID))('a miss on %s', (model, findings) => {
  const other = OTHERS[model] ?? '';
  test.each(Object.entries({ ...EVENTS, 'another model': { reopened: { model: other } } }))(
    "is compared with the provider's diagnosis after %s",
    async (name, event) => {
      const [stage, live] = await played(model, event);
      expect(await checks(stage, live)).toEqual(Object.entries(findings).find(([one]) => one === name)?.[1]);
      await expectSound(stage, live.id);
    },
  );
});

it('each request names the previous answer in its envelope, and the first request names none', async () => {
  const [stage, live] = await played('claude-sonnet-4-6', {});
  const records = await recordsOf(stage, live.id);
  const asked = records.flatMap((one) => (one.kind === 'request.prepared' ? [one.data.envelope['diagnostics']] : []));
  const answers = records.flatMap((one) => (one.kind === 'answer.received' ? [one.data.response] : []));
  expect(asked).toEqual([null, ...answers.slice(0, -1)].map((previous_message_id) => ({ previous_message_id })));
});

it('a first-generation model at OpenAI is sent no request for a diagnosis and returns none', async () => {
  const [stage, live] = await played('gpt-5.4-mini', EVENTS['another role']);
  const records = await recordsOf(stage, live.id);
  const sent = records.flatMap((one) => (one.kind === 'request.prepared' ? [Object.keys(one.data.envelope)] : []));
  expect(new Set(sent.flat())).toEqual(new Set(['prompt_cache_key']));
  expect(records.filter((one) => one.kind === 'answer.received' && one.data.diagnosis !== undefined)).toEqual([]);
});
