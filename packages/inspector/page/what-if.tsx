// Cost of a session in other cases: another lifetime of the cache, no pruning, no compaction, another model.

import { useSignal } from '@preact/signals';
import type { SessionClient } from '@tidemark/client';
import { answerOf } from '@tidemark/client';
import { textOf } from './connection.ts';
import { count, counted, dollars } from './format.ts';
import type { WhatIf, WhatIfCase } from './what-if-words.ts';
import { assumptions, caseText, differenceText } from './what-if-words.ts';

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
