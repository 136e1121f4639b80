// Test helper: hooks that keep their inputs, and checks of a session with hooks.

import type { Recorded } from '@tidemark/log';
import { scriptedEncoder } from '@tidemark/provider-scripted';
import { createMemoryStore } from '@tidemark/store-memory';
import { expect } from 'vitest';
import { verifySession } from '../src/audit/rebuild.ts';
import type { Hook, HookInput } from '../src/ports/hooks.ts';
import type { SessionEvent } from '../src/ports/session-event.ts';
import { of } from './small-family.ts';
import type { Live } from './small-live.ts';
import { ID } from './small-session.ts';

/** Creates a hook that keeps its inputs. */
export function hook(
  on: Hook['on'],
  run: Hook['run'] = () => ({}),
  more: Partial<Hook> = {},
): Hook & { readonly inputs: HookInput[] } {
  const inputs: HookInput[] = [];
  return {
    name: on,
    on,
    inputs,
    ...more,
    run(input, context) {
      inputs.push(input);
      return run(input, context);
    },
  };
}

/** Collects the ephemeral events of a session. */
export function eventsOf({ live }: Live): readonly SessionEvent[] {
  const events: SessionEvent[] = [];
  void (async () => {
    for await (const event of live.events()) if (event.type !== 'recorded') events.push(event);
  })();
  return events;
}

/** Checks that every request can be built again from the log, and extends the one before it. */
export async function expectSound(live: Live): Promise<void> {
  const verified = await verifySession(createMemoryStore(live.shelf), ID, { encoders: () => scriptedEncoder });
  expect(verified).toMatchObject({ differences: [], breaks: [] });
}

/** Returns the source and the text of each recorded note. */
export const notesOf = (records: readonly Recorded[]): readonly (readonly [string, string])[] =>
  of(records, 'context.noted').map(({ data }) => [data.source, data.body ?? '']);
