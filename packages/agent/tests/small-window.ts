// A live session against the simulator over HTTP, with a window that a test makes small: the simulator refuses what is too
// long for it, and checks every signature.

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

/** A live session against the simulator over HTTP, with a small window. */
export interface Played extends Live {
  readonly simulator: Simulator;
  /** Where it listens. */
  readonly url: string;
  /** Every body that went out, in order. */
  readonly bodies: string[];
  readonly notices: Notice[];
}

/** The same model with a window of so many input tokens. */
export function small(model: string, tokens: number): Capabilities {
  const whole = row(model);
  const { window } = whole;
  return { ...whole, inputLimit: tokens, outputLimit: 1_000, window: { ...window, tokens: tokens + 1_000 } };
}

/** What a test may set. */
export interface PlaySetting {
  /** What the session believes of its model. */
  readonly believed: Capabilities;
  /** The real window. Default: what is believed. */
  readonly real?: Capabilities | (() => Capabilities);
  readonly answer: (sent: ReceivedRequest) => AnswerPlan;
  readonly runtime?: Partial<Runtime>;
}

/** Opens a session. */
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

/** Every request of the session can be made again from its log, byte for byte, and no prefix broke without an epoch. */
export async function expectRebuilt({ log }: Live): Promise<void> {
  const encoders = (revision: string) => (revision === anthropicEncoder.revision ? anthropicEncoder : undefined);
  const { differences, breaks } = await verifySession(log, ID, { encoders });
  expect([differences, breaks.filter(({ cause }) => cause === undefined)]).toEqual([[], []]);
}

/** Statuses of the calls that were refused. */
export function refusedBy({ simulator }: Played): readonly number[] {
  return simulator.calls.flatMap(({ status }) => (status === 200 ? [] : [status]));
}
