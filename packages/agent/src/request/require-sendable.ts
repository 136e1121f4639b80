// Whether a request can be made at all from what the log holds.

import type { State } from '@tidemark/context';
import { AgentError } from '../errors.ts';

/**
 * @throws AgentError `agent/unknown-kind` for a log that a later version wrote, `agent/unclosed-history` while calls are open,
 *   `agent/nothing-to-send`.
 */
export function requireSendable(state: State): void {
  requireKnown(state);
  if (state.history.batch !== undefined) {
    throw new AgentError(
      'agent/unclosed-history',
      'calls of the last answer are open: close each with a result or as abandoned before the next request',
    );
  }
  if (state.history.packed.length === 0) {
    throw new AgentError('agent/nothing-to-send', 'the history holds nothing to send: give a prompt first');
  }
}

/**
 * The same for a side call, which open calls do not stop: it is made in the epoch in force, and by that one's provider.
 *
 * @throws AgentError `agent/unknown-kind`, `agent/other-provider`.
 */
export function requireSendableBeside(state: State, provider: string): void {
  requireKnown(state);
  const { epoch } = state;
  if (epoch === undefined || epoch.opened.provider === provider) return;
  throw new AgentError(
    'agent/other-provider',
    `the conversation is with ${epoch.opened.provider} still, and this session is now run with ${provider}: a side call can be made once the next prompt was sent`,
    { epoch: epoch.opened.provider, provider },
  );
}

function requireKnown({ unknown }: State): void {
  if (unknown === undefined) return;
  throw new AgentError(
    'agent/unknown-kind',
    `record ${unknown.position} is a "${unknown.name}", which this version does not know: run it with the version that wrote it`,
    unknown,
  );
}
