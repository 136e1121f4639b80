// Cost of a session in other cases: another lifetime of the cache, no pruning, no compaction, another model.

import { useSignal } from '@preact/signals';
import type { components, SessionClient } from '@tidemark/client';
import { answerOf } from '@tidemark/client';
import { textOf } from './connection.ts';
import { count, counted, dollars, percent } from './format.ts';

type WhatIf = components['schemas']['WhatIf'];
type WhatIfCase = components['schemas']['WhatIfCase'];

interface WhatIfPlace {
  readonly client: SessionClient;
  readonly session: string;
}

/** Shows the cost in other cases, after it was asked for: all requests of the session are rebuilt for it. */
export function WhatIfCosts({ client, session }: WhatIfPlace) {
  const answer = useSignal<WhatIf | undefined>(undefined);
  const problem = useSignal('');
  const isReading = useSignal(false);
  const read = (): void => {
    isReading.value = true;
    answerOf(client.GET('/sessions/{session}/what-if', { params: { path: { session } } })).then(
      (found) => {
        answer.value = found;
        [problem.value, isReading.value] = ['', false];
      },
      (error: unknown) => {
        [problem.value, isReading.value] = [textOf(error), false];
      },
    );
  };
  return (
    <section aria-label="What if">
      <h2>What if</h2>
      {answer.value === undefined && (
        <p>
          <button type="button" disabled={isReading.value} onClick={read}>
            Replay the calls in other cases
          </button>{' '}
          <span class="soft" role="status">
            {isReading.value
              ? 'The calls are being replayed.'
              : 'Another lifetime of the cache, no pruning, no compaction, another model.'}
          </span>
        </p>
      )}
      {problem.value !== '' && <p role="alert">{problem.value}</p>}
      {answer.value !== undefined && <WhatIfTables found={answer.value} />}
    </section>
  );
}

function WhatIfTables({ found }: { readonly found: WhatIf }) {
  const { calls, paid, replayed, prunings, compactions, cases } = found;
  if (calls === 0)
    return <p>No call of the main stream has known tokens and a known price, so none can be replayed.</p>;
  const models = cases.filter(({ change }) => change === 'model');
  return (
    <>
      <p>
        {counted(calls, 'call')} of the main stream cost {dollars(paid)}. Replayed with the rule below, they cost{' '}
        {dollars(replayed)}.
      </p>
      <CaseTable
        title="Other cache, other history"
        compared="Replayed as it was"
        cases={cases.filter(({ change }) => change !== 'model')}
      />
      {models.length > 0 && (
        <details>
          <summary>The same tokens with another model ({count(models.length)})</summary>
          <CaseTable title="Another model" compared="Paid" cases={models} />
        </details>
      )}
      <ul class="unknowns">
        {assumptions(found).map((text) => (
          <li key={text}>{text}</li>
        ))}
        {prunings === 0 && <li>No result of this session was pruned.</li>}
        {compactions === 0 && <li>The history of this session was never compacted.</li>}
      </ul>
    </>
  );
}

/** Returns the rules of the replay, and the calls that it does not contain. */
export function assumptions({ unknown, others }: Pick<WhatIf, 'unknown' | 'others'>): readonly string[] {
  return [
    'Rule: a request reads what it has in common with the beginning of the last one with the same model and parameters, if that was sent within the lifetime. ' +
      'It writes the rest, except the tokens that were neither read nor written in the session. ' +
      'Misses without a visible cause do not happen, so the replay can cost less than was paid.',
    'Sizes of blocks are estimates that are scaled to the counted input of each request. The model gives the same answers in all cases.',
    'Without pruning, each result keeps its first size. Without compaction, the history keeps all messages and has no checkpoint.',
    'Another model is assumed to count tokens and to cache in the same way.',
    'A fork is replayed from the beginning of the session that it continues.',
    ...(unknown > 0
      ? [
          `The tokens or the price of ${counted(unknown, 'call')} ${unknown === 1 ? 'is' : 'are'} unknown. They are in no sum.`,
        ]
      : []),
    ...(others > 0
      ? [
          `${counted(others, 'call')} of side streams, such as titles and summaries, ${others === 1 ? 'is' : 'are'} not replayed.`,
        ]
      : []),
  ];
}

interface CaseTableContent {
  readonly title: string;
  /** Name of the cost that a case is compared with. */
  readonly compared: string;
  readonly cases: readonly WhatIfCase[];
}

function CaseTable({ title, compared, cases }: CaseTableContent) {
  if (cases.length === 0) return null;
  return (
    <table class="wide">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">Case</th>
          <th scope="col">Calls</th>
          <th scope="col">Cost</th>
          <th scope="col">{compared}</th>
          <th scope="col">Difference</th>
        </tr>
      </thead>
      <tbody>
        {cases.map((one) => (
          <tr key={`${one.change} ${one.name}`}>
            <th scope="row">{caseText(one)}</th>
            <td>{count(one.calls)}</td>
            <td>{one.calls === 0 ? 'unknown' : dollars(one.cost)}</td>
            <td>{one.calls === 0 ? 'unknown' : dollars(one.compared)}</td>
            <td>{differenceText(one)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const LIFETIMES: ReadonlyMap<string, string> = new Map([
  ['5m', '5 minutes'],
  ['30m', '30 minutes'],
  ['1h', '1 hour'],
  ['12h', '12 hours'],
]);

/** Names a case, and the step at which it ends. */
export function caseText({ change, name, stopsAt }: Pick<WhatIfCase, 'change' | 'name' | 'stopsAt'>): string {
  const names = {
    lifetime: `Entries live ${LIFETIMES.get(name) ?? name}`,
    pruning: 'No pruning',
    compaction: 'No compaction',
    model: name,
  };
  const end =
    stopsAt === undefined
      ? ''
      : `. It is not possible from step ${stopsAt} on: the request is too long, or has no price`;
  return `${names[change]}${end}`;
}

/** Describes how a case differs: `-12.5%`. */
export function differenceText({ calls, cost, compared }: Pick<WhatIfCase, 'calls' | 'cost' | 'compared'>): string {
  if (calls === 0 || Number(compared) === 0) return 'unknown';
  const share = Number(cost) / Number(compared) - 1;
  if (share === 0) return 'none';
  return `${share > 0 ? '+' : '-'}${percent(Math.abs(share))}`;
}
