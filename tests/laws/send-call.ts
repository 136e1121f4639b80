// A request is prepared with the settings at hand and sent, on the main stream or beside it; how it ends is another matter.

import type { Prepared } from '@tidemark/agent';
import { prepareRequest } from '@tidemark/agent';
import type { AnswerSpec, Outcome, SideSpec } from './commands.ts';
import type { Driver, SentCall } from './driver.ts';
import { clock } from './driver.ts';
import { land } from './land.ts';
import { contentOf } from './said-content.ts';
import { sayingOf } from './saying.ts';
import { capabilitiesOf, frontOf, keepRow, parametersOf } from './settings.ts';

/** Prepares a request as things stand. */
export async function prepareWith(
  { session, promptStreams, server, settings, log, ttl, ...driver }: Driver,
  beside?: Parameters<typeof prepareRequest>[2]['beside'],
): Promise<Prepared> {
  const capabilities = capabilitiesOf(server.provider, settings.model);
  return prepareRequest(session, promptStreams, {
    at: clock(driver),
    wanted: {
      provider: capabilities.provider,
      model: capabilities.model,
      parameters: parametersOf(server.provider, settings),
      capabilities: await keepRow(log, capabilities),
      texts: frontOf(settings, session.state.length % 2 === 1),
    },
    capabilities,
    encoder: server.encoder,
    outputLimit: 16_000,
    envelope: { metadata: { user_id: 'test' } },
    ttl,
    ...(beside === undefined ? {} : { beside, purpose: 'test' }),
  });
}

/** Sends what was prepared. */
export async function send(
  driver: Driver,
  prepared: Prepared,
  answer: AnswerSpec,
  outcome: Outcome,
): Promise<SentCall> {
  const at = driver.now;
  const saying = sayingOf(driver, answer, outcome);
  const fault = outcome === 'failed' ? ({ kind: 'overloaded' } as const) : undefined;
  const served = await driver.server.send(prepared, at, saying, fault);
  driver.now += driver.server.callMs;
  const call: SentCall = { prepared, at, served, outcome };
  driver.sent.push(call);
  driver.calls.push(call);
  return call;
}

/** A side call, whatever goes on beside it. A late one is answered when the next thing has happened. */
export async function askBeside(driver: Driver, { words, history, answer, outcome, late }: SideSpec): Promise<void> {
  const name = driver.nonce++;
  const extra = [{ type: 'text', text: `${name} beside it?` } as const, ...contentOf(driver, words)];
  const prepared = await prepareWith(driver, { stream: `side/test-${name}`, extra, history });
  const call = await send(driver, prepared, answer, outcome);
  if (late) driver.late.push(call);
  else await land(driver, call);
}
