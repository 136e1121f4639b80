// Cost of a session or of all sessions: paid, without a cache, and with an ideal cache; by cause, model and day.

import { useSignal } from '@preact/signals';
import type { components, SessionClient } from '@tidemark/client';
import { answerOf } from '@tidemark/client';
import { useEffect } from 'preact/hooks';
import { file, textOf } from './connection.ts';
import { CostDays } from './cost-days.tsx';
import { CausesTable, ModelsTable, ThreeCosts } from './cost-tables.tsx';
import { unknownCosts } from './cost-words.ts';
import { counted } from './format.ts';
import { keepAddress, linkTo, route } from './route.ts';
import { WhatIfCosts } from './what-if.tsx';

type CostAnswer = components['schemas']['Cost'];

/** Costs of the same calls in three groupings. */
interface GroupedCosts {
  readonly causes: CostAnswer;
  readonly models: CostAnswer;
  readonly days: CostAnswer;
}

interface CostPlace {
  readonly client: SessionClient;
  /** Session whose cost is shown. Default: all sessions. */
  readonly session?: string;
}

/** Shows the cost of a session, or of all sessions in a window of time. */
export function CostPage({ client, session }: CostPlace) {
  const costs = useSignal<GroupedCosts | undefined>(undefined);
  const problem = useSignal('');
  const window = session === undefined ? windowOf(route.value.values) : 'all';
  const read = (): (() => void) => {
    const ended = new AbortController();
    readCosts(client, { window, ...(session !== undefined && { session }) }, ended.signal).then(
      (answer) => {
        costs.value = answer;
        problem.value = '';
      },
      (error: unknown) => {
        if (!ended.signal.aborted) problem.value = textOf(error);
      },
    );
    return () => ended.abort();
  };
  useEffect(read, [client, session, window]);
  return (
    <section>
      {session === undefined && <h1>Cost of all sessions</h1>}
      <div class="controls">
        {session === undefined && <WindowChoice window={window} />}
        {file.value === undefined && (
          <button type="button" onClick={() => void read()}>
            Read again
          </button>
        )}
      </div>
      {problem.value !== '' && <p role="alert">{problem.value}</p>}
      {costs.value === undefined && problem.value === '' && <p class="soft">The costs are being read.</p>}
      {costs.value !== undefined && <Costs {...costs.value} isSession={session !== undefined} />}
      {session !== undefined && costs.value !== undefined && <WhatIfCosts client={client} session={session} />}
    </section>
  );
}

const WINDOWS = [
  ['24h', 'last 24 hours'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
  ['90d', 'last 90 days'],
  ['all', 'all time'],
] as const;

function windowOf(values: URLSearchParams): string {
  const given = values.get('window');
  return WINDOWS.some(([name]) => name === given) && given !== null ? given : '30d';
}

function WindowChoice({ window }: { readonly window: string }) {
  return (
    <label>
      Calls of the{' '}
      <select value={window} onChange={(event) => keepAddress(linkTo(['cost'], { window: event.currentTarget.value }))}>
        {WINDOWS.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface CostQuery {
  readonly window: string;
  readonly session?: string;
}

async function readCosts(client: SessionClient, query: CostQuery, signal: AbortSignal): Promise<GroupedCosts> {
  const by = (grouping: 'cause' | 'model' | 'day'): Promise<CostAnswer> =>
    answerOf(client.GET('/analytics/cost', { params: { query: { ...query, by: grouping } }, signal }));
  const [causes, models, days] = await Promise.all([by('cause'), by('model'), by('day')]);
  return { causes, models, days };
}

function Costs({ causes, models, days, isSession }: GroupedCosts & { readonly isSession: boolean }) {
  const { whole } = models;
  if (whole.calls === 0) return <p class="soft">There is no call{isSession ? ' yet' : ' in this time'}.</p>;
  return (
    <>
      <ThreeCosts sums={whole} />
      <ul class="unknowns">
        {unknownCosts(whole).map((text) => (
          <li key={text}>{text}</li>
        ))}
        {isSession && <li>Calls of forks and subagents are counted in their own sessions.</li>}
        {models.problems.length > 0 && (
          <li class="miss">
            {counted(models.problems.length, 'session')} could not be read to the end. Later calls of these are missing.
          </li>
        )}
      </ul>
      <CausesTable groups={causes.groups ?? []} whole={whole} />
      <ModelsTable groups={models.groups ?? []} />
      <CostDays groups={days.groups ?? []} />
    </>
  );
}
