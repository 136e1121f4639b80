// One step of the turn loop that the laws' driver is: what stays open is closed, the model is asked once, and how that
// ended is recorded.

import type { ContentPart } from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { Prepared } from '@tidemark/agent';
import type { State } from '@tidemark/context';
import { itemAt } from '@tidemark/context';
import type { AnswerSpec, Aside, Command, Fate, Outcome, SideSpec } from './commands.ts';
import type { Driver } from './driver.ts';
import { put } from './driver.ts';
import { land } from './land.ts';
import { contentOf, textOf } from './said-content.ts';
import { askBeside, prepareWith, send } from './send-call.ts';

/** Records something said beside the turn. */
export async function saysAside(driver: Driver, aside: Aside): Promise<void> {
  switch (aside.do) {
    case 'steer':
      return put(driver, {
        kind: 'prompt.given',
        data: { parts: contentOf(driver, aside.parts), presenter: 'test', steer: true },
      });
    case 'note': {
      const body = textOf(driver, aside.text);
      const revision = `r${driver.nonce}`;
      return put(driver, {
        kind: 'context.noted',
        data: { source: 'test', revision, cause: 'changed', body, ...(aside.urgent ? { urgent: true } : {}) },
      });
    }
    case 'notify':
      return put(driver, {
        kind: 'notification.received',
        data: { source: 'test', body: textOf(driver, aside.text), provenance: 'test' },
      });
  }
}

/** What a turn loop does before it asks: nothing stays on its way, no call stays open, and the user has the last word. */
export async function settle(driver: Driver): Promise<void> {
  if (driver.session.state.history.inFlight) await put(driver, { kind: 'turn.resumed', data: { trigger: 'user' } });
  for (const call of openCalls(driver.session.state))
    await put(driver, { kind: 'tool.abandoned', data: { call: callId(call), reason: 'crashed' } });
}

/** The calls that wait for their closing event. */
export function openCalls(state: State): readonly string[] {
  const { batch } = state.history;
  return (batch?.calls ?? []).filter((call) => batch?.closed.has(call.call) !== true).map((call) => call.call);
}

/** Prepares the next request of the main stream. */
export async function prepare(driver: Driver): Promise<Prepared> {
  await settle(driver);
  if (itemAt(driver.session.state.history.packed, -1)?.role !== 'user') {
    await put(driver, {
      kind: 'prompt.given',
      data: { parts: [{ type: 'text', text: `Go on (${driver.nonce++}).` }], presenter: 'test' },
    });
  }
  return prepareWith(driver);
}

/** Asks the model once, and records how the call ended. */
export async function ask(
  driver: Driver,
  answer: AnswerSpec,
  outcome: Outcome,
  during: readonly (Aside | SideSpec)[],
): Promise<void> {
  const call = await send(driver, await prepare(driver), answer, outcome);
  for (const aside of during) await (aside.do === 'side' ? askBeside(driver, aside) : saysAside(driver, aside));
  await land(driver, call);
}

/** Closes some or all of the open calls, in an order of its own. */
export async function closeSome(driver: Driver, close: Extract<Command, { readonly do: 'close' }>): Promise<void> {
  const open = inOrder(openCalls(driver.session.state), close.order);
  const some = open.slice(0, Math.ceil(open.length * close.share));
  for (const [index, call] of some.entries()) {
    const parts = contentOf(driver, close.contents[index % close.contents.length] ?? []);
    await closeOne(driver, call, close.fates[index % close.fates.length] ?? 'returned', parts);
  }
}

async function closeOne(driver: Driver, id: string, fate: Fate, parts: readonly ContentPart[]): Promise<void> {
  const call = callId(id);
  switch (fate) {
    case 'returned-twice':
      await put(driver, { kind: 'tool.returned', data: { call, parts } });
      return put(driver, {
        kind: 'tool.returned',
        data: { call, parts: [{ type: 'text', text: `again ${driver.nonce++}` }] },
      });
    case 'returned':
      return put(driver, { kind: 'tool.returned', data: { call, parts } });
    case 'failed':
      return put(driver, { kind: 'tool.failed', data: { call, parts } });
    default:
      return put(driver, { kind: 'tool.abandoned', data: { call, reason: fate } });
  }
}

/** A fixed shuffle: the same number, the same order. */
function inOrder(calls: readonly string[], order: number): readonly string[] {
  return calls.toSorted((a, b) => rank(a, order) - rank(b, order));
}

function rank(text: string, order: number): number {
  let value = order + 1;
  for (const character of text) value = (value * 31 + (character.codePointAt(0) ?? 0)) % 9_973;
  return value;
}
