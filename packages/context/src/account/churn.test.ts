import type { EpochOpened } from '@tidemark/log';
import { position, sessionId } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { TestEvent } from '../../tests/log-of.ts';
import { created, logOf, named, request, SESSION } from '../../tests/log-of.ts';
import { addChurn, beginChurn } from './churn.ts';

function opened(cause: EpochOpened['cause'], change: Partial<EpochOpened> = {}): TestEvent {
  const data: EpochOpened = {
    number: 0,
    cause,
    provider: 'anthropic',
    model: 'm',
    parameters: {},
    capabilities: named('row'),
    contract: 'tm1',
    layers: [],
    tools: [],
    cacheKey: 'key',
    forecast: { rewrite: 0 },
    ...change,
  };
  return ['epoch.opened', data];
}

const churnOf = (events: readonly TestEvent[], session = SESSION): ReturnType<typeof beginChurn> =>
  logOf(events).reduce(addChurn, beginChurn(session));

test('`addChurn` counts each change from one epoch to the next, under the cause of the new epoch', () => {
  const tools = [{ name: 'read', digest: named('read') }];
  const { changes } = churnOf([
    created,
    opened('initial'),
    opened('tools', { tools }),
    opened('compaction', { tools, checkpoint: position(1) }),
    opened('model', { model: 'n', parameters: { thinking: 1 } }),
    opened('role', {
      model: 'n',
      parameters: { thinking: 1 },
      layers: [{ name: 'role', revision: '1', stability: 'project', digest: named('role'), bytes: 1, tokens: 1 }],
    }),
  ]);
  expect(changes).toEqual({
    model: { model: 1 },
    parameters: { model: 1 },
    system: { role: 1 },
    tools: { tools: 1, model: 1 },
    history: { compaction: 1, model: 1 },
  });
});

test('`addChurn` never counts a side call, the first epoch, or a change by an ancestor', () => {
  const side = request(1);
  if (side[0] !== 'request.prepared') throw new Error('no request');
  const quiet = churnOf([created, opened('initial'), ['request.prepared', { ...side[1], stream: 'side/title' }]]);
  expect(Object.values(quiet.changes)).toEqual([{}, {}, {}, {}, {}]);
  const child = sessionId('child');
  const born: TestEvent = ['session.created', { id: child, root: SESSION, workspace: '/w' }];
  const forked = churnOf(
    [created, opened('initial'), opened('model', { model: 'n' }), born, opened('model', { model: 'o' })],
    child,
  );
  expect(forked.changes.model).toEqual({ model: 1 });
});

test('`addChurn` counts changes that were appended to the history separately', () => {
  const { appended, changes } = churnOf([
    created,
    opened('initial'),
    ['tools.changed', { added: [], removed: ['read'], as: 'appended' }],
    ['tools.changed', { added: [], removed: ['read'], as: 'queued' }],
    ['reasoning.changed', { setting: 'high', as: 'appended', scope: 'turn' }],
  ]);
  expect({ appended, tools: changes.tools }).toEqual({ appended: 2, tools: {} });
});
