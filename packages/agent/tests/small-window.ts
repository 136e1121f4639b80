// Test helper: a live session against the simulator over HTTP, with a small context window. The simulator refuses
// requests that are too long for the window, and checks every signature.

import type { Capabilities } from '@tidemark/model';
import { anthropicEncoder, createAnthropicProvider } from '@tidemark/provider-anthropic';
import type { AnswerPlan, ReceivedRequest, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { expect, onTestFinished } from 'vitest';
import { verifySession } from '../src/audit/rebuild.ts';
import type { Runtime } from '../src/ports/runtime.ts';
import type { Notice } from '../src/ports/session-event.ts';
import { THIS_MACHINE } from '../src/concurrency.ts';
import type { Live } from './small-live.ts';
import { goLive } from './small-live.ts';
import { ID, row } from './small-session.ts';

export interface Played extends Live {
  readonly simulator: Simulator;
  readonly url: string;
  /** All request bodies that were sent, in order. */
  readonly bodies: string[];
  readonly notices: Notice[];
}

/** Returns the catalog row of a model with a window of `tokens` input tokens. */
export function small(model: string, tokens: number): Capabilities {
  const whole = row(model);
  const { window } = whole;
  return { ...whole, inputLimit: tokens, outputLimit: 1_000, window: { ...window, tokens: tokens + 1_000 } };
}

export interface PlaySetting {
  /** Capabilities that the session assumes for its model. */
  readonly believed: Capabilities;
  /** Capabilities that the simulator uses. Default: `believed`. */
  readonly real?: Capabilities | (() => Capabilities);
  readonly answer: (sent: ReceivedRequest) => AnswerPlan;
  readonly runtime?: Partial<Runtime>;
}

/** Starts a simulator and opens a session that sends its requests to it. Both are closed when the test ends. */
export async function playWindow({ believed, real = believed, answer, runtime }: PlaySetting): Promise<Played> {
  const simulator = createSimulator({
    capabilities: () => (typeof real === 'function' ? real() : real),
    onRequest: answer,
  });
  const listening = await simulator.listen();
  const provider = createAnthropicProvider({ apiKey: 'sk-test', baseURL: listening.url });
  const bodies: string[] = [];
  const notices: Notice[] = [];
  const retry = { attempts: 3, initialDelayMs: 1, maxDelayMs: 1 };
  const onRequest = (body: Uint8Array): void => void bodies.push(new TextDecoder().decode(body));
  const whole = { capabilities: believed, surroundings: THIS_MACHINE, retry, onRequest, ...runtime };
  const played = await goLive({ provider, runtime: whole });
  void hear(played, notices);
  onTestFinished(async () => {
    await played.live.close();
    await listening.close();
  });
  return { ...played, simulator, url: listening.url, bodies, notices };
}

async function hear({ live }: Live, notices: Notice[]): Promise<void> {
  for await (const event of live.events()) if (event.type === 'notice.raised') notices.push(event.notice);
}

/**
 * Checks that every request of the session can be rebuilt from its log byte for byte. Also checks that no prefix
 * changed without a new epoch.
 */
export async function expectRebuilt({ log }: Live): Promise<void> {
  const encoders = (revision: string) => (revision === anthropicEncoder.revision ? anthropicEncoder : undefined);
  const { differences, breaks } = await verifySession(log, ID, { encoders });
  expect([differences, breaks.filter(({ cause }) => cause === undefined)]).toEqual([[], []]);
}

/** Returns the HTTP statuses of the refused calls. */
export function refusedBy({ simulator }: Played): readonly number[] {
  return simulator.calls.flatMap(({ status }) => (status === 200 ? [] : [status]));
}
