// Problems from public threads about interrupts that left a call without a result, so that every later request got the
// status 400. They are reproduced with the real agent against a simulator that validates as strictly as the vendor's
// API.

import type { SessionEvent } from '@tidemark/agent';
import type { Recorded } from '@tidemark/log';
import { describe, expect, it } from 'vitest';
import {
  byStep,
  cutAfter,
  expectAnswered,
  onNew,
  play,
  playedWhole,
  quick,
  reaches,
  resultsOf,
  STORES,
  toolsThat,
} from './played-agent.ts';
import type { ToolRun } from './played-agent.ts';

const SLOW: readonly (readonly [string, ToolRun])[] = [
  ['stops at an abort', (_input, { signal }) => untilAborted(signal).then(() => Promise.reject(new Error('stopped')))],
  ['returns a result at an abort', (_input, { signal }) => untilAborted(signal).then(() => 'half of it')],
  ['ignores an abort', () => new Promise(() => undefined)],
];

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

describe.each(STORES)('anthropics/claude-code#3639, #1894, #5989 on $store', ({ store, stride }) => {
  it('a turn that is interrupted at any point takes the next two prompts', async () => {
    for (let point = 0; ; point += stride) {
      const ended = await onNew(store, (place) =>
        play({ place, tools: quick, answer: byStep }, async ({ live }) => {
          const events = live.events();
          const turn = live.prompt('Go.');
          const reached = await reaches(events, point);
          await live.interrupt();
          const { outcome } = await turn;
          await expectAnswered(live);
          await expectAnswered(live);
          return !reached || outcome === 'completed';
        }),
      );
      if (ended) break;
    }
  });

  it('a turn that is interrupted at any point is completed by `resume`', async () => {
    for (let point = 0; ; point += stride) {
      const ended = await onNew(store, (place) =>
        play({ place, tools: quick, answer: byStep }, async ({ live }) => {
          const events = live.events();
          const turn = live.prompt('Go.');
          const reached = await reaches(events, point);
          await live.interrupt();
          if (!reached || (await turn).outcome === 'completed') return true;
          expect(await live.resume()).toMatchObject({ outcome: 'completed' });
          await expectAnswered(live);
          return false;
        }),
      );
      if (ended) break;
    }
  });

  it.each(SLOW)('an interrupt of a tool that %s gives each call a result that states what happened', (_name, run) =>
    onNew(store, (place) =>
      play({ place, tools: toolsThat(run), answer: byStep }, async ({ live, bodies }) => {
        const events = live.events();
        const turn = live.prompt('Go.');
        await reaches(events, 1, isStart);
        await live.interrupt();
        expect(await turn).toMatchObject({ outcome: 'interrupted' });
        await expectAnswered(live);
        const [first, second, third] = resultsOf(bodies.at(-1));
        for (const result of [first, second]) expect(result).toMatch(/was interrupted|half of it/);
        expect(third).toContain('did not run');
      }),
    ),
  );

  it('a process that stops while tools run leaves a log in which each call gets a result that states this', () =>
    onNew(store, async (place) => {
      const third = (await playedWhole(place)).records.filter(isStarted)[2]?.position ?? -1;
      await cutAfter(place, third, (left) =>
        play({ ...left, tools: quick, answer: byStep }, async ({ live, bodies }) => {
          await expectAnswered(live);
          const results = resultsOf(bodies.at(-1));
          expect(results).toHaveLength(3);
          expect(results.at(-1)).toContain('The process stopped while this call was running.');
        }),
      );
    }));
});

function isStart(event: SessionEvent): boolean {
  return event.type === 'recorded' && isStarted(event.record);
}

function isStarted({ kind }: Recorded): boolean {
  return kind === 'tool.started';
}
