// Tests the background processes of a session with a host of the test: their records, their events, their end with the
// session, and processes that a killed program left in the log.

import type { Recorded } from '@tidemark/log';
import { timestamp } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { Live, Setting } from '../../tests/small-live.ts';
import { answering, cutShelf, goLive, says } from '../../tests/small-live.ts';
import type { BackgroundProcess } from '../ports/background-process.ts';
import type { ContextSource, SourceView } from '../ports/context-source.ts';
import type { ProcessHost, ProcessSink } from '../ports/process-host.ts';
import type { SessionEvent } from '../ports/session-event.ts';
import { createSecrets } from '../secrets/create-secrets.ts';

interface Hosted extends Live {
  readonly sink: () => ProcessSink;
  readonly closed: () => boolean;
  readonly views: SourceView[];
  readonly events: SessionEvent[];
  /** Records that are about processes. */
  facts(): Promise<readonly unknown[]>;
}

const LISTED: BackgroundProcess = {
  id: 'p1',
  command: 'serve',
  startedAt: timestamp('2026-11-20T12:00:00.000Z'),
  bytes: 0,
  running: true,
};

/** Opens a session with a host that serves it. `running` are the processes that the host says it runs. */
async function host(setting: Partial<Setting> = {}, running: readonly string[] = []): Promise<Hosted> {
  let sink: ProcessSink | undefined;
  let closed = false;
  const processes: ProcessHost = {
    open(_, given) {
      sink = given;
      return {
        list: () => [LISTED],
        read: async () => undefined,
        stop: async () => LISTED,
        async close() {
          if (running.length > 0) await given.ended({ process: running[0] ?? '', signal: 'SIGTERM', by: 'session' });
          closed = true;
        },
      };
    },
    isRunning: (_, process) => running.includes(process),
  };
  const views: SourceView[] = [];
  const source: ContextSource = {
    name: 'views',
    revision: (view) => {
      views.push({ ...view, processes: view.processes });
      return undefined;
    },
    render: () => '',
    affectedBy: () => false,
  };
  const live = await goLive({
    provider: answering(says('one'), says('two'), says('three')),
    ...setting,
    runtime: { processes, sources: [source] },
  });
  const events: SessionEvent[] = [];
  void (async () => {
    for await (const event of live.live.events()) events.push(event);
  })();
  return {
    ...live,
    sink: () => {
      if (sink === undefined) throw new Error('the host was not opened');
      return sink;
    },
    closed: () => closed,
    views,
    events,
    facts: async () => (await live.records()).filter(isAboutProcess).map(({ data }) => data),
  };
}

function isAboutProcess({ kind }: Recorded): boolean {
  return kind === 'process.started' || kind === 'process.ended';
}

test('starts and ends are recorded, also between two turns, and sources see them', async () => {
  const { live, sink, facts, views } = await host({}, ['p1']);
  await live.prompt('hello');
  await sink().started({ process: 'p1', command: 'serve' });
  await sink().started({ process: 'p2', command: 'watch' });
  await sink().ended({ process: 'p2', exit: 1, by: 'itself' });
  expect(await facts()).toEqual([
    { process: 'p1', command: 'serve' },
    { process: 'p2', command: 'watch' },
    { process: 'p2', exit: 1, by: 'itself' },
  ]);
  await live.prompt('go on');
  expect(views.at(-1)).toMatchObject({
    session: live.id,
    processes: [
      { process: 'p1', command: 'serve' },
      { process: 'p2', ended: { exit: 1 } },
    ],
  });
});

test('a secret in a command and in a notice is masked', async () => {
  const secrets = createSecrets({ values: [{ name: 'TOKEN', value: 'correct-horse-battery' }] });
  const { sink, facts, events, live } = await host({ open: { secrets } });
  await sink().started({ process: 'p1', command: 'serve --token correct-horse-battery' });
  sink().notice({ code: 'sandbox/changed', message: 'correct-horse-battery is new', next: 'look' });
  sink().changed();
  await live.prompt('hello');
  expect((await facts())[0]).toEqual({ process: 'p1', command: 'serve --token [secret:TOKEN]' });
  expect(events).toContainEqual({ type: 'processes.changed', processes: [LISTED] });
  const notice = { code: 'sandbox/changed', message: '[secret:TOKEN] is new', next: 'look' };
  expect(events).toContainEqual({ type: 'notice.raised', notice });
});

test('the list, the output and a stop come from the host', async () => {
  const { live } = await host();
  expect(live.processes.list()).toEqual([LISTED]);
  expect(await live.processes.stop('p1')).toEqual(LISTED);
  expect(await live.processes.read('p9')).toBeUndefined();
});

test('closing the session ends the processes before the log is closed', async () => {
  const { live, sink, closed, facts } = await host({}, ['p1']);
  await sink().started({ process: 'p1', command: 'serve' });
  await live.close();
  expect(closed()).toBe(true);
  expect((await facts()).at(-1)).toEqual({ process: 'p1', signal: 'SIGTERM', by: 'session' });
});

test('the next turn records a process that a killed program left as lost, once, and its id is not used again', async () => {
  const first = await host({}, ['p4']);
  await first.sink().started({ process: 'p4', command: 'serve' });
  await first.sink().started({ process: 'p5', command: 'watch' });
  await first.sink().ended({ process: 'p5', exit: 0, by: 'model' });
  const shelf = cutShelf(first.shelf, (await first.records()).length);
  const second = await host({ shelf });
  expect(second.sink().last).toBe(5);
  await second.live.prompt('go on');
  await second.live.prompt('go on');
  expect((await second.facts()).slice(3)).toEqual([{ process: 'p4', by: 'lost' }]);
  const lost = { process: 'p4', command: 'serve', ended: { process: 'p4', by: 'lost' } };
  expect(second.views.at(-1)?.processes).toEqual([lost]);
});

test('without a host, a session has no processes', async () => {
  const { live } = await goLive({ provider: answering(says('one')) });
  expect(live.processes.list()).toEqual([]);
  expect(await live.processes.stop('p1')).toBeUndefined();
  expect(await live.processes.read('p1')).toBeUndefined();
});
