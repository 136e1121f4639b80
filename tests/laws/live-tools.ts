// The tools of a session at work: each call says in its arguments what the tool is to do with it. What ran, and what runs
// still, is remembered.

import type { Asker, Tool, ToolContext, ToolOutput } from '@tidemark/agent';
import type { EffectClass } from '@tidemark/log';
import type { Surroundings } from '@tidemark/agent';
import type { Asked, Fate } from './live-commands.ts';
import { FATES } from './live-commands.ts';
import { IMAGES, words } from './made-content.ts';

/** One run of a tool. */
export interface Ran {
  readonly call: string;
  readonly effect: EffectClass;
  readonly signal: AbortSignal;
  ended: boolean;
}

/** What tools remember, and what sets those free that listen to nobody. */
export interface Workshop {
  readonly surroundings: Surroundings;
  readonly ran: Ran[];
  /** Whether the process they run in is there still. */
  isAlive(): boolean;
  readonly released: Promise<void>;
}

/** What a tool was asked to do. */
interface Task {
  readonly fate: Fate;
  readonly asked: Asked;
}

/** Some set of tools. The first two are equal to a model; the third has more of them, the last one fewer. */
export function toolsOf(shop: Workshop, set: number): readonly Tool[] {
  const look = toolNamed(shop, 'look', 'read');
  const change = toolNamed(shop, 'change', 'write');
  const run = { ...toolNamed(shop, 'run', 'execute'), alone: false };
  const later = toolNamed(shop, 'later', 'none');
  return [[look, change, run], [look, change, run], [look, change, run, later], [look]][set % 4] ?? [];
}

/** Answers as the call's own arguments say. */
export function askerOf(shop: Workshop): Asker {
  return async ({ title }, signal) => {
    switch (title) {
      case 'throws':
        throw new Error('the terminal is gone');
      case 'hangs':
        await aborted(signal, shop.released);
        return 'denied';
      case 'denied':
        return 'denied';
      default:
        return 'allowed';
    }
  };
}

function toolNamed(shop: Workshop, name: string, effect: EffectClass): Tool {
  return {
    name,
    description: `The tool ${name}.`,
    schema: { type: 'object', properties: { fate: { type: 'string' } } },
    effect,
    read: async (input) => {
      const task = taskOf(input);
      if (task.fate === 'bad-arguments') return { problem: 'fate: expected a good one' };
      if (task.fate === 'cannot-read') throw new Error('unreadable');
      if (task.fate === 'never-reads') await shop.released;
      return { title: task.asked, run: (context) => runAs(shop, effect, task.fate, context) };
    },
  };
}

function taskOf(input: unknown): Task {
  const fields: { readonly [name: string]: unknown } =
    typeof input === 'object' && input !== null ? Object.fromEntries(Object.entries(input)) : {};
  const { fate, asked } = fields;
  return {
    fate: FATES.find((one) => one === fate) ?? 'returns',
    asked: asked === 'denied' || asked === 'throws' || asked === 'hangs' ? asked : 'allowed',
  };
}

async function runAs(shop: Workshop, effect: EffectClass, fate: Fate, context: ToolContext): Promise<ToolOutput> {
  const ran: Ran = { call: context.call, effect, signal: context.signal, ended: false };
  if (shop.isAlive()) shop.ran.push(ran);
  try {
    return await DOINGS[fate](context, shop);
  } finally {
    ran.ended = true;
  }
}

type Doing = (context: ToolContext, shop: Workshop) => Promise<ToolOutput>;

const returns: Doing = async ({ call }) => ({ text: `done ${call}` });

const DOINGS: Readonly<Record<Fate, Doing>> = {
  returns,
  'says-nothing': async () => ({}),
  fails: async () => ({ text: 'no such thing', failed: true, exit: 1 }),
  throws: async ({ write }) => {
    await write('half a line');
    throw new Error('it broke');
  },
  'throws-nothing': async () => {
    // A tool is somebody else's code.
    // oxlint-disable-next-line typescript/only-throw-error
    throw undefined;
  },
  async floods({ write, progress }) {
    for (let chunk = 0; chunk < 12; chunk += 1) {
      await write(words(chunk, 8_000));
      progress(`${chunk} of 12`);
    }
    return { text: 'enough' };
  },
  shows: async () => ({
    text: 'a picture',
    images: IMAGES.slice(0, 1).map(({ bytes, part }) => ({ data: bytes, mediaType: part.mediaType })),
  }),
  async 'writes-on'(context) {
    void context.write('this ').catch(() => undefined);
    void Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => context.write('and that'))
      .catch(() => undefined);
    return { text: 'and no more' };
  },
  async waits(context, { surroundings }) {
    await surroundings.wait(1_000, context.signal);
    return returns(context, { surroundings, ran: [], isAlive: () => true, released: Promise.resolve() });
  },
  async hangs({ signal }, { released }) {
    await aborted(signal, released);
    throw new Error('stopped');
  },
  async 'ends-late'(context, shop) {
    await aborted(context.signal, shop.released);
    return returns(context, shop);
  },
  async 'is-deaf'(context, shop) {
    await shop.released;
    return returns(context, shop);
  },
  'bad-arguments': returns,
  'cannot-read': returns,
  'never-reads': returns,
};

function aborted(signal: AbortSignal, released: Promise<void>): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const heard = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  return Promise.race([heard, released]);
}
