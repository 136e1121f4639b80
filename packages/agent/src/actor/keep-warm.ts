// Keeps the cache warm between the turns of an open session. Shortly before the cached content would expire, a request
// with almost no output reads this content. The request is sent only if it is expected to lower the cost. Each such
// request is recorded as a side call, and the next request is planned from the result.

import type { KeepWarm, WarmPlan } from '@tidemark/context';
import { KEEP_WARM } from '@tidemark/context';
import { milliseconds, timestamp } from '@tidemark/log';
import { planWarmth } from '../decide/warmth.ts';
import type { Warm } from '../ports/runtime.ts';
import { needOf } from '../request/what-changes.ts';
import type { Actor } from './actor.ts';
import { tell } from './actor.ts';
import { callBeside } from './side-call.ts';

/** User message at the end of the request, because the API requires one. The message is never cached. */
const WORDS = [{ type: 'text', text: 'Nothing to answer yet.' }] as const;

/**
 * Keeps the cache warm until the next turn starts, the session closes, or a read can no longer save anything. Never
 * throws and delays no other work.
 */
export async function keepWarm(actor: Actor): Promise<void> {
  const { warm = 'off' } = actor.runtime;
  if (warm === 'off') return;
  const pause = new AbortController();
  actor.pause = pause;
  try {
    await watch(actor, warm, pause.signal);
  } catch (error) {
    if (!pause.signal.aborted) tellFailure(actor, error);
  }
}

async function watch(actor: Actor, warm: Exclude<Warm, 'off'>, signal: AbortSignal): Promise<void> {
  const { surroundings } = actor.runtime;
  for (;;) {
    const plan = await planFor(actor, warm);
    if (signal.aborted) return;
    tellPlan(actor, plan);
    if (plan.by === 'nothing') return;
    const before = leftAt(actor);
    for (let ms = msLeft(actor, plan); ms > 0; ms = msLeft(actor, plan)) {
      await surroundings.wait(ms, signal, { idle: true });
      if (signal.aborted) return;
    }
    // Another side call may have read the cache during the wait. If so, nothing is sent, and the next read is planned
    // again.
    if (leftAt(actor) === before) await send(actor, warm);
    if (leftAt(actor) === before) return;
  }
}

function msLeft({ runtime }: Actor, { at }: WarmPlan): number {
  return at - milliseconds(runtime.surroundings.now());
}

function leftAt({ session }: Actor): string | undefined {
  return session.state.streams['main']?.accepted?.left?.at;
}

/**
 * Plans the next read. Nothing is planned if the next request will open an epoch, because that request writes its
 * content again and a read would not help. Appended changes open no epoch, so they do not stop the reads.
 */
async function planFor(
  { session, promptStreams, runtime, wantedFor }: Actor,
  warm: Exclude<Warm, 'off'>,
): Promise<KeepWarm> {
  const wanted = await wantedFor(runtime);
  const promptStream = promptStreams.main;
  const { capabilities, provider } = runtime;
  const need = needOf(session.state, { wanted, capabilities, encoder: provider.encoder });
  if (promptStream === undefined || need.do === 'epoch') return { by: 'nothing', why: 'empty' };
  return planWarmth(session, { at: runtime.surroundings.now(), warm, promptStream });
}

/** Sends the read. The read is planned again first, because the process may have slept during the wait. */
async function send(actor: Actor, warm: Exclude<Warm, 'off'>): Promise<void> {
  const plan = await planFor(actor, warm);
  if (plan.by === 'nothing') return tellPlan(actor, plan);
  await callBeside(actor, {
    purpose: KEEP_WARM,
    words: WORDS,
    history: 'main',
    keeps: plan.by,
    maxOutputTokens: plan.output,
  });
}

function tellPlan(actor: Actor, plan: KeepWarm): void {
  const spent = actor.session.progress.warmingCost;
  if (plan.by === 'nothing') return tell(actor, { type: 'cache.warming', spent, why: plan.why });
  const { by, at, until, cost, gain } = plan;
  const times = { at: timestamp(new Date(at).toISOString()), until: timestamp(new Date(until).toISOString()) };
  tell(actor, { type: 'cache.warming', spent, plan: { by, ...times, cost, gain } });
}

function tellFailure(actor: Actor, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  const message = `keeping the cache warm failed: ${why}`;
  const next = 'The cache is not kept warm until the next turn has ended. Only the savings of the cache are lost.';
  tell(actor, { type: 'notice.raised', notice: { code: 'cache/warming-failed', message, next } });
}
