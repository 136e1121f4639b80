// Answers of a file in place of those of a server: a function that takes the place of `fetch`. The places of the page
// read their data in the same way from both.

import type { components } from '@tidemark/client';
import type { FileCosts } from '../../src/file/file-data.ts';
import { unpackValue } from '../../src/file/packed-texts.ts';
import type { SessionFile } from './file-parts.ts';
import { createFileRequests } from './file-requests.ts';

type Schemas = components['schemas'];

/** Question of the page: the values of the path, and those of the query. */
interface FileQuestion {
  readonly session: string;
  /** Number of the session in the file. */
  readonly number: number;
  readonly position: number;
  readonly block: number;
  readonly query: URLSearchParams;
}

type Answers = readonly (readonly [pattern: RegExp, answer: (question: FileQuestion) => Promise<object | undefined>])[];

/** Returns a function that answers the requests of the page from a file. */
export function createFileFetch(file: SessionFile): (request: Request) => Promise<Response> {
  const answers = answersOf(file);
  return async (request) => {
    const { pathname, searchParams: query } = new URL(request.url);
    if (request.method !== 'GET') return refusal('this file cannot be changed', 405);
    for (const [pattern, answer] of answers) {
      const { session = '', position, block } = pattern.exec(pathname)?.groups ?? {};
      if (!pattern.test(pathname)) continue;
      const name = decodeURIComponent(session);
      const number = file.index.sessions.findIndex((one) => one.session === name);
      if (name !== '' && number === -1) return refusal(`this file does not contain the session ${name}`);
      const found = await answer({ session: name, number, position: Number(position), block: Number(block), query });
      return found === undefined ? refusal('this file does not contain this') : Response.json(found);
    }
    return refusal('this file does not contain this');
  };
}

function refusal(message: string, status = 404): Response {
  const error = { code: 'file/missing', message, next: '' };
  return Response.json({ ok: false, error }, { status });
}

function answersOf(file: SessionFile): Answers {
  const { index } = file;
  const requests = createFileRequests(file);
  return [
    [/^\/analytics\/sessions$/, async ({ query }) => sessionsOf(file, query)],
    [/^\/analytics\/cost$/, async ({ query }) => costsOf(file, query)],
    [/^\/sessions\/(?<session>[^/]+)\/timeline$/, async ({ number }) => index.timelines[number]],
    [/^\/sessions\/(?<session>[^/]+)\/what-if$/, async ({ number }) => index.whatIf[number]],
    [/^\/sessions\/(?<session>[^/]+)\/calls$/, (question) => callsOf(file, question)],
    [/^\/sessions\/(?<session>[^/]+)\/records$/, (question) => recordsOf(file, question)],
    [
      /^\/sessions\/(?<session>[^/]+)\/checkpoints$/,
      async ({ number }) => ({ checkpoints: (await file.parts(number).conversation()).checkpoints }),
    ],
    [/^\/sessions\/(?<session>[^/]+)\/requests$/, async ({ number }) => (await file.parts(number).requests()).list],
    [/^\/sessions\/(?<session>[^/]+)\/requests\/(?<position>\d+)$/, (question) => requests.read(question)],
    [
      /^\/sessions\/(?<session>[^/]+)\/requests\/(?<position>\d+)\/blocks\/(?<block>\d+)$/,
      (question) => requests.text(question),
    ],
    [/^\/sessions\/(?<session>[^/]+)\/requests\/(?<position>\d+)\/search$/, (question) => requests.search(question)],
    [/^\/sessions\/(?<session>[^/]+)\/requests\/(?<position>\d+)\/costs$/, (question) => requests.costs(question)],
  ];
}

function sessionsOf({ index }: SessionFile, query: URLSearchParams): object {
  const [session, title = ''] = [query.get('session'), query.get('title')?.toLowerCase()];
  const sessions = index.sessions.filter(
    (one) => (session === null || one.session === session) && (one.title ?? '').toLowerCase().includes(title),
  );
  return { sessions, next: null, updatedAt: '', problems: [] };
}

function costsOf({ index }: SessionFile, query: URLSearchParams): Schemas['Cost'] | undefined {
  const number = index.sessions.findIndex(({ session }) => session === query.get('session'));
  const by = query.get('by');
  const costs = index.costs[number];
  const found = costs === undefined || !isGrouping(by) ? undefined : costs[by];
  return found && { whole: found.whole, groups: [...(found.groups ?? [])], updatedAt: '', problems: [] };
}

function isGrouping(name: string | null): name is keyof FileCosts {
  return name === 'cause' || name === 'model' || name === 'day';
}

async function callsOf(
  file: SessionFile,
  { number, query }: FileQuestion,
): Promise<Pick<Schemas['CallPage'], 'calls'>> {
  const calls = await file.parts(number).calls();
  const from = Number(query.get('from') ?? 0);
  const first = calls.findIndex(({ answer }) => answer >= from);
  return { calls: first === -1 ? [] : calls.slice(first, first + Number(query.get('limit') ?? 100)) };
}

async function recordsOf(file: SessionFile, { number, query }: FileQuestion): Promise<object> {
  const [{ records, length }, texts] = await Promise.all([
    file.parts(number).conversation(),
    file.parts(number).texts(),
  ]);
  const from = Number(query.get('from') ?? 0);
  const next = Math.min(length, from + Number(query.get('limit') ?? 100));
  const found = records.filter(({ position }) => position >= from && position < next);
  return { records: found.map(({ data, ...record }) => ({ ...record, data: unpackValue(data, texts) })), next };
}
