// Stories of the baseline matrix: small sessions with one event that might cost a cache.

import type { Tool } from '@tidemark/agent';
import { commit, openSession } from '@tidemark/agent';
import { defineTool, toolOutput } from '@tidemark/kit';
import type { AgentSession } from '@tidemark/kit';
import { position, sessionId } from '@tidemark/log';
import type { AnswerPlan } from '@tidemark/simulator';
import { createHistoryReadTool } from '@tidemark/tools-workspace';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Opening, Stage } from './billed-stage.ts';
import { ROLE } from './billed-stage.ts';

/** Stage of a story, and a function that opens sessions on it. */
export interface StoryStage {
  readonly stage: Stage;
  /** Opens a session with a new agent, as another process would, and collects its notices. */
  open(options?: Opening): Promise<AgentSession>;
}

/** Plays a story and returns its last session. */
export type Story = (scene: StoryStage) => Promise<AgentSession>;

const MINUTE = 60_000;
const done: AnswerPlan = { answer: { text: 'Done.' } };
const calling = (name: string): AnswerPlan => ({ answer: { text: 'I look.', calls: [{ name, arguments: {} }] } });
const thinking: AnswerPlan = {
  answer: { thinking: 'What there is to see, and where to look for it. '.repeat(20), text: 'Done.' },
};
const thinkingCall: AnswerPlan = { answer: { ...thinking.answer, calls: [{ name: 'orders', arguments: {} }] } };

/** PNG image of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Creates a tool with this name. The text that it returns is not part of its definition. */
function tool(
  name: string,
  answers = `${name}: three, all packed. `.repeat(100),
  description = `Looks at the ${name}.`,
): Tool {
  return defineTool({ name, description, input: z.object({}), effect: 'read', run: () => answers });
}

/** Command whose output is long. Running it again supersedes its earlier output, so pruning may shorten that output. */
const archive: Tool = defineTool({
  name: 'bash',
  description: 'Runs a command.',
  input: z.object({ command: z.string() }),
  effect: 'read',
  run: () => 'An old order. '.repeat(800),
});
const showsArchive: AnswerPlan = {
  answer: { text: 'I look.', calls: [{ name: 'bash', arguments: { command: 'show the archive' } }] },
};

const camera: Tool = defineTool({
  name: 'camera',
  description: 'Takes a picture.',
  input: z.object({}),
  effect: 'read',
  run: () => toolOutput({ images: [{ data: PNG, mediaType: 'image/png' }] }),
});

/** Tools that every story starts with. */
export const TOOLS: readonly Tool[] = [tool('orders'), tool('stock'), camera];
const WITHOUT_STOCK = TOOLS.filter(({ name }) => name !== 'stock');

async function twoTurns({ stage }: StoryStage, live: AgentSession): Promise<void> {
  await stage.turn(live, 'Look at the orders.', calling('orders'), done);
  await stage.turn(live, 'And what follows?', done);
}

async function twoTurnSession(scene: StoryStage, options: Opening = {}): Promise<string> {
  const live = await scene.open(options);
  await twoTurns(scene, live);
  await live.close();
  return live.id;
}

function comesBackWith(options: Opening): Story {
  return async (scene) => {
    const live = await scene.open({ ...options, id: await twoTurnSession(scene) });
    await twoTurns(scene, live);
    return live;
  };
}

function setsTools(...sets: readonly (readonly Tool[])[]): Story {
  return async (scene) => {
    const live = await scene.open();
    await twoTurns(scene, live);
    for (const tools of sets) {
      live.setTools(tools);
      await scene.stage.turn(live, 'And now?', done);
    }
    return live;
  };
}

const compacted: Story = async (scene) => {
  const id = await twoTurnSession(scene);
  const session = await openSession(scene.stage.log(), sessionId(id));
  const range = { from: position(0), to: position(session.state.length - 1) };
  const made = {
    strategy: 'recorded',
    trigger: 'test',
    checkpoint: 'The orders are packed.',
    limitations: [],
  } as const;
  const at = scene.stage.clock.surroundings.now();
  await commit(session, [{ kind: 'history.compacted', at, data: { range, ...made } }]);
  await session.writer.close();
  const live = await scene.open({ id });
  await twoTurns(scene, live);
  return live;
};

/**
 * Returns a story with one turn whose first answer is `plan`, which must report that the context window is full.
 * Earlier turns fill much of the window. After this turn, the session continues.
 */
function overflows(plan: AnswerPlan): Story {
  return async (scene) => {
    const live = await scene.open();
    await scene.stage.turn(live, `Here is all of it: ${'an order of the day '.repeat(3_000)}`, done);
    await twoTurns(scene, live);
    await scene.stage.turn(live, 'Once more.', plan, done);
    await twoTurns(scene, live);
    return live;
  };
}

/** Stories by the name of their row in the matrix. */
export const STORIES = {
  'fresh session': async (scene) => {
    const live = await scene.open();
    await scene.stage.turn(live, 'Begin.', done);
    return live;
  },
  'repeated turns': async (scene) => {
    const live = await scene.open();
    for (let turn = 0; turn < 3; turn += 1) await twoTurns(scene, live);
    return live;
  },
  'model switch with history': comesBackWith({ model: 'claude-opus-4-8' }),
  'model switch without history': async (scene) => {
    const { id, close } = await scene.open();
    await close();
    const live = await scene.open({ id, model: 'claude-opus-4-8' });
    await twoTurns(scene, live);
    return live;
  },
  'role changed': comesBackWith({ instructions: `${ROLE}\nAnswer in verse.` }),
  'mode toggled': async (scene) => {
    const live = await scene.open();
    for (const mode of ['read-only', 'auto'] as const) {
      await live.setMode(mode);
      await twoTurns(scene, live);
    }
    return live;
  },
  'server gone': setsTools(WITHOUT_STOCK),
  'server back': setsTools(WITHOUT_STOCK, TOOLS),
  'server back with other tools': setsTools(WITHOUT_STOCK, [
    ...WITHOUT_STOCK,
    tool('stock', 'none', 'Looks at all of the stock.'),
  ]),
  'server gone and back before the next request': async (scene) => {
    const live = await scene.open();
    await twoTurns(scene, live);
    live.setTools(WITHOUT_STOCK);
    live.setTools(TOOLS.toReversed());
    await twoTurns(scene, live);
    return live;
  },
  'server gone and back, and nobody wants to pay for it': async (scene) => {
    const live = await scene.open();
    await twoTurns(scene, live);
    for (const tools of [WITHOUT_STOCK, TOOLS]) {
      live.setTools(tools, { when: 'next-epoch' });
      await scene.stage.turn(live, 'And now?', done);
    }
    return live;
  },
  'tool added': setsTools([...TOOLS, tool('mail')]),
  'handler reloaded': setsTools([tool('orders', 'none'), tool('stock', 'none'), camera]),
  'compaction, recorded': compacted,
  'compaction by hand': async (scene) => {
    const live = await scene.open();
    await scene.stage.turn(live, `Here is all of it: ${'an order of the day '.repeat(3_000)}`, done);
    await twoTurns(scene, live);
    expect(await live.compact({ tailTokens: 100, by: 'deterministic' })).toMatchObject({ outcome: 'compacted' });
    await twoTurns(scene, live);
    return live;
  },
  'compaction by hand, refused': async (scene) => {
    const live = await scene.open();
    await twoTurns(scene, live);
    expect(await live.compact()).toMatchObject({ outcome: 'refused' });
    await twoTurns(scene, live);
    return live;
  },
  'old results shortened': async (scene) => {
    const live = await scene.open({
      tools: [...TOOLS, archive, createHistoryReadTool(), tool('brief', 'One.')],
    });
    for (let count = 0; count < 4; count += 1) await scene.stage.turn(live, 'Look.', showsArchive, done);
    for (let count = 0; count < 32; count += 1) await scene.stage.turn(live, 'Look.', calling('brief'), done);
    return live;
  },
  'request too long, then resumed': async (scene) => {
    const live = await scene.open();
    await twoTurns(scene, live);
    await live.prompt('word '.repeat(1_100_000));
    await live.resume().then(undefined, () => undefined);
    return live;
  },
  'request too long, compacted and sent again': overflows({
    fault: { kind: 'refused', message: 'prompt is too long: 200251 tokens > 200000 maximum' },
  }),
  'answer that fills the window': overflows({
    answer: { text: 'The first orders', stop: 'model_context_window_exceeded' },
  }),
  'reasoning level': comesBackWith({ modelOptions: { parameters: { effort: 'low' } } }),
  'reasoning level changed and changed back': async (scene) => {
    const id = await twoTurnSession(scene);
    await (await scene.open({ id, modelOptions: { parameters: { effort: 'low' } } })).close();
    const live = await scene.open({ id });
    await twoTurns(scene, live);
    return live;
  },
  'reasoning level set while the session is open': async (scene) => {
    const live = await scene.open();
    await twoTurns(scene, live);
    live.setReasoning({ effort: 'low' });
    await twoTurns(scene, live);
    return live;
  },
  'resume after restart': async (scene) => {
    const live = await scene.open({ limits: { maxSteps: 1 } });
    scene.stage.simulator.next(calling('orders'));
    await live.prompt('Look at the orders.');
    await live.close();
    const next = await scene.open({ id: live.id });
    scene.stage.simulator.next(done);
    await next.resume();
    return next;
  },
  'note refreshed': async (scene) => {
    let revision = 0;
    const weather = {
      name: 'weather',
      revision: () => `${revision}`,
      render: () => `Rain ${revision}.`,
      affectedBy: () => false,
    };
    const live = await scene.open({ context: { sources: [weather] } });
    for (; revision < 2; revision += 1) await twoTurns(scene, live);
    return live;
  },
  'side call': async (scene) => {
    const live = await scene.open();
    await twoTurns(scene, live);
    await live.side({ purpose: 'title', prompt: 'A title for this.' });
    await live.side({ purpose: 'summary', prompt: 'Sum it up.', history: 'main' });
    await twoTurns(scene, live);
    return live;
  },
  'first image': async (scene) => {
    const live = await scene.open();
    await twoTurns(scene, live);
    for (let picture = 0; picture < 2; picture += 1) await scene.stage.turn(live, 'Take one.', calling('camera'), done);
    return live;
  },
  'thinking of the turns before': async (scene) => {
    const live = await scene.open();
    await scene.stage.turn(live, 'Think, then look.', thinkingCall, thinkingCall, thinking);
    await scene.stage.turn(live, 'And now?', thinking);
    return live;
  },
  retry: async (scene) => {
    const live = await scene.open();
    await twoTurns(scene, live);
    await scene.stage.turn(
      live,
      'Once more.',
      { fault: { kind: 'overloaded' } },
      { fault: { kind: 'server-error' } },
      done,
    );
    return live;
  },
  'a pause above five minutes': async (scene) => {
    const live = await scene.open();
    await twoTurns(scene, live);
    scene.stage.clock.pass(6 * MINUTE);
    await twoTurns(scene, live);
    return live;
  },
  'an entry that the provider dropped': async (scene) => {
    const live = await scene.open();
    await twoTurns(scene, live);
    await scene.stage.turn(live, 'Once more.', { ...done, fault: { kind: 'evicted' } });
    return live;
  },
  'a second session on the same front': async (scene) => {
    await twoTurnSession(scene);
    const live = await scene.open();
    await twoTurns(scene, live);
    return live;
  },
} as const satisfies Readonly<Record<string, Story>>;

/** Name of a story, and of its row in the matrix. */
export type StoryName = keyof typeof STORIES;
