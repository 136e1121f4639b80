// Stories (sessions with planned answers) that cause a cache break, for each cause that `tidemark why` can name. The
// break of a story is the last call that opened an epoch with this cause or whose miss has this cause.

import type { Tool } from '@tidemark/agent';
import { defineTool, toolOutput } from '@tidemark/kit';
import type { AgentSession } from '@tidemark/kit';
import type { AnswerPlan } from '@tidemark/simulator';
import { createHistoryReadTool } from '@tidemark/tools-workspace';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Opening, Stage } from './billed-stage.ts';
import { epochsOf, ROLE } from './billed-stage.ts';

/** Stage of a story, and functions that open its sessions and collect their notices. */
export interface Played {
  readonly stage: Stage;
  open(options?: Opening): Promise<AgentSession>;
  /** Collects the notices of a session that was not opened by `open`, for example a fork. */
  hear(live: AgentSession): AgentSession;
}

/** Runs a session and returns its id. */
export type BreakStory = (played: Played) => Promise<string>;

const MINUTE = 60_000;
const done: AnswerPlan = { answer: { text: 'Done.' } };
const calling = (name: string): AnswerPlan => ({ answer: { text: 'I look.', calls: [{ name, arguments: {} }] } });
const THOUGHT = 'What there is to see, and where to look for it. '.repeat(100);

/**
 * System text of about 20,000 tokens. The text is longer than the history, so an edit of the text is not appended on
 * any model.
 */
export const LONG_ROLE: string = Array.from({ length: 12 }, (_, part) => `Part ${part}\n${ROLE}`).join('\n');
/** `LONG_ROLE` with one letter changed near its beginning. */
export const EDITED_ROLE: string = LONG_ROLE.replace('Rule 3:', 'Rula 3:');
/** `LONG_ROLE` with one letter changed near its end. */
export const EDITED_END: string = LONG_ROLE.replace(/Rule 50:(?![^]*Rule 50:)/, 'Rula 50:');

/** PNG image of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

function tool(name: string, answers: string, description = `Looks at the ${name}.`): Tool {
  return defineTool({ name, description, input: z.object({}), effect: 'read', run: () => answers });
}

const camera: Tool = defineTool({
  name: 'camera',
  description: 'Takes a picture.',
  input: z.object({}),
  effect: 'read',
  run: () => toolOutput({ images: [{ data: PNG, mediaType: 'image/png' }] }),
});

/**
 * Texts in JSON, hexadecimal and prose. A tokenizer gives very different counts for the same number of characters of
 * these kinds.
 */
const ORDERS = JSON.stringify(
  Array.from({ length: 240 }, (_, order) => ({ order, state: order % 3 === 0 ? 'packed' : 'open', pieces: order * 7 })),
);
const DUMP = Array.from({ length: 400 }, (_, line) => (line * 2_654_435_761).toString(16).padStart(40, '0')).join('\n');
const STOCK = 'Three shelves, all of them full. '.repeat(240);

/** Tools of every story. */
export const TOOLS: readonly Tool[] = [
  camera,
  tool('dump', DUMP),
  tool('orders', ORDERS),
  tool('stock', STOCK),
  createHistoryReadTool(),
];

/** `TOOLS` with one letter changed in the description of `dump`. */
export const EDITED_TOOLS: readonly Tool[] = TOOLS.map((one) =>
  one.name === 'dump' ? { ...one, description: one.description.replace('Looks', 'Looky') } : one,
);

async function work({ stage }: Played, live: AgentSession): Promise<void> {
  await stage.turn(live, 'Look at the orders.', calling('orders'), done);
  await stage.turn(live, 'Now the dump.', calling('dump'), done);
  await stage.turn(live, 'And the stock?', calling('stock'), done);
  await stage.turn(live, 'What follows from that?', done);
}

/** Returns a story that runs four turns and continues the session in another process with other options. */
export function goesOnWith(options: Opening | ((stage: Stage) => Opening)): BreakStory {
  return async (played) => {
    const first = await played.open();
    await work(played, first);
    await first.close();
    const other = typeof options === 'function' ? options(played.stage) : options;
    const live = await played.open({ ...other, id: first.id });
    await played.stage.turn(live, 'And now?', done);
    return live.id;
  };
}

/**
 * Returns a story that continues a session with the key of another account. That account cannot use the thinking that
 * the first account produced.
 */
export function changesAccount(model: string, thinks: boolean): BreakStory {
  return async (played) => {
    const first = await played.open();
    await work(played, first);
    if (thinks) await played.stage.turn(first, 'Think about it.', { answer: { thinking: THOUGHT, text: 'Done.' } });
    await first.close();
    const live = await played.open({ id: first.id, provider: played.stage.reach(model, 'another-account') });
    await played.stage.turn(live, 'And now?', done);
    return live.id;
  };
}

/** Returns a story that runs four turns, waits this many minutes, and runs another turn. */
export function waits(minutes: number): BreakStory {
  return async (played) => {
    const live = await played.open();
    await work(played, live);
    played.stage.clock.pass(minutes * MINUTE);
    await played.stage.turn(live, 'And now?', done);
    return live.id;
  };
}

/** Opens a second session with the same front as an earlier session. */
export const beginsAfterAnother: BreakStory = async (played) => {
  const first = await played.open();
  await work(played, first);
  await first.close();
  const live = await played.open();
  await played.stage.turn(live, 'And now?', done);
  return live.id;
};

export const compacts: BreakStory = async (played) => {
  const live = await played.open();
  await work(played, live);
  await work(played, live);
  expect(await live.compact({ tailTokens: 9_000 })).toMatchObject({ outcome: 'compacted' });
  await played.stage.turn(live, 'And now?', done);
  return live.id;
};

/** Compacts a session twice. The second checkpoint quotes parts of the first one. */
export const compactsTwice: BreakStory = async (played) => {
  const live = await played.open();
  for (const tailTokens of [9_000, 5_000]) {
    await work(played, live);
    await work(played, live);
    expect(await live.compact({ tailTokens, by: 'deterministic' })).toMatchObject({ outcome: 'compacted' });
    await played.stage.turn(live, 'And now?', done);
  }
  return live.id;
};

const bash: Tool = defineTool({
  name: 'bash',
  description: 'Runs a command.',
  input: z.object({ command: z.string() }),
  effect: 'read',
  run: ({ command }) => (command === 'dump' ? DUMP : ORDERS),
});
const running = (command: string): AnswerPlan => ({
  answer: { text: 'I look.', calls: [{ name: 'bash', arguments: { command } }] },
});

/**
 * Repeats commands until their old outputs are shortened. Pruning starts once reading the old outputs again has cost
 * more than the break.
 */
export const prunes: BreakStory = async (played) => {
  const live = await played.open({ tools: [...TOOLS, bash, tool('brief', 'One.')] });
  const steps = [
    ...['orders', 'dump', 'orders', 'dump'].map(running),
    ...Array.from({ length: 40 }, () => calling('brief')),
  ];
  for (const step of steps) {
    await played.stage.turn(live, 'Look.', step, done);
    if ((await epochsOf(played.stage, live.id)).includes('pruning')) break;
  }
  return live.id;
};

/** Sends an image that the provider accepts at first and refuses later. */
export const refusesImage: BreakStory = async (played) => {
  const live = await played.open();
  await played.stage.turn(live, 'Take one.', calling('camera'), done);
  await work(played, live);
  await played.stage.turn(live, 'And now?', { fault: { kind: 'refused', message: 'Could not process image' } }, done);
  return live.id;
};

export const takesFirstImage: BreakStory = async (played) => {
  const live = await played.open();
  await work(played, live);
  await played.stage.turn(live, 'Take one.', calling('camera'), done);
  return live.id;
};

/** Thinks within a turn. The provider strips this thinking when the next turn begins. */
export const thinks: BreakStory = async (played) => {
  const live = await played.open();
  const thought = { answer: { thinking: THOUGHT, calls: [{ name: 'stock', arguments: {} }] } };
  await played.stage.turn(live, 'Think about it.', thought, calling('orders'), done);
  await played.stage.turn(live, 'And now?', done);
  return live.id;
};

/** Runs two turns whose front and history are below the cache floor of the model. */
export const staysSmall: BreakStory = async (played) => {
  const live = await played.open({ instructions: 'Be brief. '.repeat(40), tools: [], cache: { padding: 'never' } });
  await played.stage.turn(live, 'Hello.', done);
  await played.stage.turn(live, 'And now?', done);
  return live.id;
};

/** Forks a session. The fork calls so often that it stops using the cache key of its family. */
export const leavesFamilyKey: BreakStory = async (played) => {
  const parent = await played.open();
  await work(played, parent);
  const live = played.hear(await parent.fork());
  for (let turn = 0; turn < 11; turn += 1) await played.stage.turn(live, `And ${turn}?`, done);
  return live.id;
};

export const evicts: BreakStory = async (played) => {
  const live = await played.open();
  await work(played, live);
  await played.stage.turn(live, 'And now?', { ...done, fault: { kind: 'evicted' } });
  return live.id;
};
