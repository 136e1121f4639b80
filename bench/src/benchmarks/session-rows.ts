// Measures the projection of sessions: a rebuild from logs on a disk, and its two parts alone. One part reads the logs,
// the other makes the rows of records that are in memory.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { openSessionProjection } from '@tidemark/analytics';
import type { Log } from '@tidemark/log';
import { defaultCatalog, findModel } from '@tidemark/model';
import { nodeFiles, openNdjsonStore } from '@tidemark/store-ndjson';

import type { Benchmark, Measured } from '../benchmark.ts';
import type { TemplateSession } from '../copied-sessions.ts';
import { copyId, logOfCopies, oneMoreCall, templateSession, writeCopies } from '../copied-sessions.ts';
import { median } from '../figures.ts';
import { processorTime, timedAsync } from '../stopwatch.ts';
import { withTemporaryHome } from '../temporary-home.ts';

export const benchmark: Benchmark = {
  name: 'session-rows',
  against: 'a rebuild of 1,000,000 calls in 60 s of processor time',
  target: 1,
  run,
};

/** Number of sessions of 100 calls. */
const SESSIONS = process.env['TIDEMARK_FULL'] === '1' ? 10_000 : 300;
const TARGET_MS = 60_000;
const MILLION = 1_000_000;
const ROUNDS = 9;

async function run(): Promise<Measured> {
  return withTemporaryHome(async (home) => {
    const template = await templateSession();
    const log = openNdjsonStore({ home, files: withoutFlushes });
    await writeCopies(template, log, SESSIONS);
    const calls = SESSIONS * template.calls;
    const perMillion = (ms: number): number => Math.round((ms * MILLION) / calls);
    const read = await processorTime(() => readAll(log));
    const made = logOfCopies(template, SESSIONS);
    const make = await processorTime(() => readAll(made));
    const project = await processorTime(() => rebuild(made, join(home, 'made.sqlite')));
    let wall = 0;
    const path = join(home, 'sessions.sqlite');
    const whole = await processorTime(async () => {
      wall = await timedAsync(() => rebuild(log, path));
    });
    const { textsMs, ...search } = await measureSearch(log, path);
    const update = await measureUpdates(template, log, path);
    return {
      ratio: perMillion(whole) / TARGET_MS,
      details: {
        calls,
        rebuildMsPerMillion: perMillion(whole),
        rebuildWallMsPerMillion: perMillion(wall),
        readingMsPerMillion: perMillion(read),
        projectingMsPerMillion: perMillion(project - make),
        textsMsPerMillion: perMillion(textsMs),
        ...search,
        ...update,
      },
    };
  });
}

/** Files that are written but not flushed, because the disk is not measured. */
const withoutFlushes: typeof nodeFiles = {
  ...nodeFiles,
  openLog: async (path, create) => ({ ...(await nodeFiles.openLog(path, create)), flush: async () => undefined }),
};

async function readAll(log: Log): Promise<number> {
  let records = 0;
  for (const { session } of (await log.sessions()).sessions)
    for await (const record of log.read(session)) records += record.kind === 'unknown' ? 0 : 1;
  return records;
}

async function open(log: Log, path: string): ReturnType<typeof openSessionProjection> {
  return openSessionProjection({
    path,
    log,
    rowOf: (provider, model) => findModel(defaultCatalog(), model, provider),
    rules: 'bench',
  });
}

async function rebuild(log: Log, path: string): Promise<void> {
  const projection = await open(log, path);
  const { problems } = await projection.rebuild();
  await projection.close();
  if (problems.length > 0) throw new Error(`${problems.length} sessions could not be read: ${problems[0]?.reason}`);
}

/** Words of the template: a path that some answers contain, and a word that most of them contain. */
const [RARE, COMMON] = ['src/tax/rates.ts', 'src'];

/** Measures the first reading of the texts, the size of their index, and the searches for a rare and a common word. */
async function measureSearch(
  log: Log,
  path: string,
): Promise<{
  readonly textsMs: number;
  readonly indexMegabytes: number;
  readonly rareWordMs: number;
  readonly commonWordMs: number;
}> {
  const before = (await stat(path)).size;
  const projection = await open(log, path);
  const textsMs = await processorTime(() => projection.updateTexts());
  const search = async (text: string): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      times.push(
        await timedAsync(async () => {
          if ((await projection.search({ text })).sessions.length === 0) throw new Error(`no session contains ${text}`);
        }),
      );
    return median(times);
  };
  const [rareWordMs, commonWordMs] = [await search(RARE), await search(COMMON)];
  await projection.close();
  return { textsMs, indexMegabytes: ((await stat(path)).size - before) / 1e6, rareWordMs, commonWordMs };
}

/** Measures the update after one more call, and an update of all sessions of which none has changed. */
async function measureUpdates(
  template: TemplateSession,
  log: Log,
  path: string,
): Promise<{ readonly oneCallMs: number; readonly nothingNewMs: number }> {
  const projection = await open(log, path);
  const [one, nothing]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const session = copyId(round);
    const writer = await log.open(session);
    await writer.append(oneMoreCall(template, round), writer.length);
    await writer.close();
    one.push(await timedAsync(() => projection.update({ sessions: [session] })));
    nothing.push(await timedAsync(() => projection.update()));
  }
  await projection.close();
  return { oneCallMs: median(one), nothingNewMs: median(nothing) };
}
