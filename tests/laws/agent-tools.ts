// Tools of an agent's session. The arguments of a call choose the behaviour of the tool. Each run of a tool is recorded
// in `runs`.

import type { Asker, Tool, ToolContext, ToolOutput } from '@tidemark/agent';
import type { EffectClass } from '@tidemark/log';
import type { Surroundings } from '@tidemark/agent';
import type { Asked, Fate } from './agent-commands.ts';
import { FATES } from './agent-commands.ts';
import { IMAGES, words } from './content.ts';

/** One run of a tool. */
export interface Run {
  readonly call: string;
  readonly effect: EffectClass;
  readonly signal: AbortSignal;
  ended: boolean;
}

/** State that the tools of a process share. */
export interface Workshop {
  readonly clock: Surroundings;
  /** Runs of the tools in all processes of the session. */
  readonly runs: Run[];
  /** Returns false after the process has crashed. Later runs are not recorded. */
  isAlive(): boolean;
  /** Resolves when tools that ignore their abort signal must end. */
  readonly released: Promise<void>;
}

interface Task {
  readonly fate: Fate;
  readonly asked: Asked;
}

/**
 * Returns one of four sets of tools. Sets 0 and 1 are equal for a model, set 2 has one more tool, and set 3 has only
 * `look`.
 */
export function toolsOf(workshop: Workshop, set: number): readonly Tool[] {
  const look = toolNamed(workshop, 'look', 'read');
  const change = toolNamed(workshop, 'change', 'write');
  const run = { ...toolNamed(workshop, 'run', 'execute'), alone: false };
  const later = toolNamed(workshop, 'later', 'none');
  return [[look, change, run], [look, change, run], [look, change, run, later], [look]][set % 4] ?? [];
}

/**
 * Returns a function that answers permission requests. The answer is the title of the request, which is the field
 * `asked` of the call's arguments.
 */
export function askerOf(workshop: Workshop): Asker {
  return async ({ title }, signal) => {
    switch (title) {
      case 'throws':
        throw new Error('the terminal is gone');
      case 'hangs':
        await aborted(signal, workshop.released);
        return 'denied';
      case 'denied':
        return 'denied';
      default:
        return 'allowed';
    }
  };
}

function toolNamed(workshop: Workshop, name: string, effect: EffectClass): Tool {
  return {
    name,
    description: `The tool ${name}.`,
    schema: { type: 'object', properties: { fate: { type: 'string' } } },
    effect,
    read: async (input) => {
      const task = taskOf(input);
      if (task.fate === 'bad-arguments') return { problem: 'fate: expected a good one' };
      if (task.fate === 'cannot-read') throw new Error('unreadable');
      if (task.fate === 'never-reads') await workshop.released;
      return { title: task.asked, run: (context) => runAs(workshop, effect, task.fate, context) };
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

async function runAs(workshop: Workshop, effect: EffectClass, fate: Fate, context: ToolContext): Promise<ToolOutput> {
  const run: Run = { call: context.call, effect, signal: context.signal, ended: false };
  if (workshop.isAlive()) workshop.runs.push(run);
  try {
    return await BEHAVIORS[fate](context, workshop);
  } finally {
    run.ended = true;
  }
}

type Behavior = (context: ToolContext, workshop: Workshop) => Promise<ToolOutput>;

const returns: Behavior = async ({ call }) => ({ text: `done ${call}` });

const BEHAVIORS: Readonly<Record<Fate, Behavior>> = {
  returns,
  'says-nothing': async () => ({}),
  fails: async () => ({ text: 'no such thing', failed: true, exit: 1 }),
  throws: async ({ write }) => {
    await write('half a line');
    throw new Error('it broke');
  },
  'throws-nothing': async () => {
    // A tool is code of an application, which can throw any value.
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
  async waits(context, workshop) {
    await workshop.clock.wait(1_000, context.signal);
    return returns(context, workshop);
  },
  async hangs({ signal }, { released }) {
    await aborted(signal, released);
    throw new Error('stopped');
  },
  async 'ends-late'(context, workshop) {
    await aborted(context.signal, workshop.released);
    return returns(context, workshop);
  },
  async 'is-deaf'(context, workshop) {
    await workshop.released;
    return returns(context, workshop);
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
