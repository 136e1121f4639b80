// Creates the corpus of a release. `node tests/corpus/make.ts <release>` writes `tests/corpus/<release>/`: a home with
// small logs, and the digest of each request in them. The corpus of a release is never created again, because it
// records the bytes that this release sent.

import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSession, rebuildSession, verifySession } from '@tidemark/agent';
import type { Log, SessionId } from '@tidemark/log';
import { importInto } from '@tidemark/recording';
import { perform } from '../laws/loop-perform.ts';
import type { Loop } from '../laws/loop.ts';
import { beginLoop } from '../laws/loop.ts';
import type { Place } from '../laws/place.ts';
import { newPlace, within } from '../laws/place.ts';
import { encoders, newServer } from '../laws/server.ts';
import { digestOf } from '../laws/shown.ts';
import type { Expected, ExpectedSession } from './expected.ts';
import { STORIES } from './stories.ts';
import { transcriptLines } from './transcript.ts';

const [release] = process.argv.slice(2);
if (release === undefined || !/^\d{4}$/.test(release))
  throw new Error('give the number of the release with four digits: node tests/corpus/make.ts 0002');
const target = join(dirname(fileURLToPath(import.meta.url)), release);
if (existsSync(target))
  throw new Error(`${target} already exists, and a corpus is never created again: use the number of the next release`);

await within(newPlace('ndjson'), async (place) => {
  for (const story of STORIES) await close(await playStory(place, story));
  await close(await goOnFromImport(place));
  const log = place.open();
  const { sessions } = await log.sessions();
  const expected: Expected = { sessions: await Promise.all(sessions.map(({ session }) => expectedOf(log, session))) };
  keep(place.home ?? '', join(target, 'home'));
  writeFileSync(join(target, 'expected.json'), `${JSON.stringify(expected, undefined, 2)}\n`);
});

async function playStory(place: Place, story: (typeof STORIES)[number]): Promise<Loop> {
  const driver = await beginLoop(place, newServer('simulator'), story, story.name);
  for (const command of story.commands) await perform(driver, command);
  for (const { served, outcome } of driver.sent)
    if (served.status !== 200 && outcome !== 'failed') throw new Error(JSON.stringify(served));
  return driver;
}

/** Imports the transcript as a session and makes one request in that session. */
async function goOnFromImport(place: Place): Promise<Loop> {
  const scratch = await beginLoop(newPlace('memory'), newServer('simulator', { recorded: true }), {
    model: 2,
    ttl: '5m',
  });
  const log = place.open();
  const bytes = Buffer.from(transcriptLines());
  const { session: id } = await importInto(log, {
    source: 'corpus.jsonl',
    open: async function* () {
      yield bytes;
    },
  });
  const driver: Loop = {
    ...scratch,
    place,
    log,
    session: await openSession(log, id),
    promptStreams: { main: undefined },
  };
  await perform(driver, { do: 'prompt', parts: [{ kind: 'words', size: 50 }] });
  const answer = { said: [{ kind: 'text', text: { kind: 'words', size: 30 } }], calls: [] } as const;
  await perform(driver, { do: 'ask', answer, outcome: 'answered', during: [] });
  return driver;
}

async function close(driver: Loop): Promise<void> {
  await driver.session.writer.close();
}

async function expectedOf(log: Log, session: SessionId): Promise<ExpectedSession> {
  const requests = [];
  for await (const step of rebuildSession(log, session, { encoders })) {
    if (step.type === 'request')
      requests.push({ position: step.rebuilt.record.position, digest: digestOf(step.rebuilt.body()) });
  }
  const { records, breaks, problems } = await verifySession(log, session, { encoders });
  return { session, records, requests, breaks: breaks.map(({ cause }) => cause ?? 'unlabelled'), problems };
}

/** Copies the logs and artifacts. Other files of a home are not copied, because they can be derived from the logs. */
function keep(from: string, to: string): void {
  for (const file of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!file.isFile() || !(file.name === 'log.ndjson' || file.parentPath.includes('artifacts'))) continue;
    const path = join(to, relative(from, join(file.parentPath, file.name)));
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(join(file.parentPath, file.name), path);
  }
}
