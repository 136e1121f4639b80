// Details of one call as tables. The exact amounts are read when the call is selected.

import { useSignal } from '@preact/signals';
import type { components, SessionClient } from '@tidemark/client';
import { answerOf } from '@tidemark/client';
import { useEffect } from 'preact/hooks';
import { causeText } from './cause-text.ts';
import { textOf } from './connection.ts';
import { count, dollars, duration, time } from './format.ts';
import { linkTo } from './route.ts';
import type { TimelineCall } from './timeline-calls.ts';
import { breakText, isExpired, isLongPause, recordsText } from './timeline-calls.ts';

type Call = components['schemas']['Call'];

interface CallPlace {
  readonly client: SessionClient;
  readonly session: string;
  readonly call: TimelineCall;
}

/** Time for which a selection must stay before its details are read, in milliseconds. */
const SETTLE_MS = 80;

/** Shows all values of a call. */
export function CallDetails({ client, session, call }: CallPlace) {
  const report = useSignal<Call | undefined>(undefined);
  const problem = useSignal('');
  useEffect(() => {
    const ended = new AbortController();
    const read = async (): Promise<void> => {
      const params = { path: { session }, query: { from: call.answer, limit: 1 } };
      const { calls } = await answerOf(client.GET('/sessions/{session}/calls', { params, signal: ended.signal }));
      report.value = calls[0];
      problem.value = '';
    };
    const timer = setTimeout(() => {
      read().catch((error: unknown) => {
        if (!ended.signal.aborted) problem.value = textOf(error);
      });
    }, SETTLE_MS);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [client, session, call.answer]);
  // The details of the call before stay in place until those of this one arrive, so the page does not jump.
  const shown = report.value;
  return (
    <section class="details" aria-busy={shown?.answer !== call.answer}>
      <h2>
        Step {call.step}
        {call.isBreak && <span class="badge"> {call.cause === null ? '◆ new epoch' : '▼ miss'}</span>}
      </h2>
      <p>
        <a href={requestLink(session, call)}>
          Open the request{call.request === null && ', as it would have been sent'}
        </a>
      </p>
      {call.isBreak && <p class="why">{breakText(call)}</p>}
      {isLongPause(call) && (
        <p>
          The pause before this call was {duration(call.pause)}.{isExpired(call) && ' The cache entry expired.'}
        </p>
      )}
      {problem.value !== '' && <p role="alert">{problem.value}</p>}
      {shown !== undefined && (
        <div class="tables">
          <TokenTable call={shown} />
          <CostTable call={shown} />
          <FactTable call={shown} />
        </div>
      )}
    </section>
  );
}

/** Returns the address of the request of a call. An import without a record of the request has it at its answer. */
export function requestLink(session: string, { request, answer }: Pick<TimelineCall, 'request' | 'answer'>): string {
  return linkTo(['sessions', session, 'request', String(request ?? answer)]);
}

function TokenTable({ call: { tokens, forecast } }: { readonly call: Call }) {
  // Each request has input, so a sum of 0 means that the provider sent no count.
  const isCounted = tokens.fresh + tokens.read + tokens.written + tokens.untold > 0;
  const shown = (value: number): string => (isCounted || value > 0 ? count(value) : 'unknown');
  const rows: readonly (readonly [string, number, number | undefined])[] = [
    ['Read from the cache', tokens.read, forecast?.read],
    ['Written to the cache', tokens.written, forecast?.write],
    ['Fresh, not cached', tokens.fresh, forecast?.fresh],
    ...(tokens.untold > 0 ? [['Input of an unknown part', tokens.untold, undefined] as const] : []),
    ['Answer', tokens.answer, undefined],
    ['Reasoning', tokens.reasoning, undefined],
  ];
  return (
    <table>
      <caption>Tokens</caption>
      <thead>
        <tr>
          <th scope="col">Part</th>
          <th scope="col">Actual</th>
          <th scope="col">Forecast</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, actual, expected]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{shown(actual)}</td>
            <td>{expected === undefined ? '–' : isCounted && expected === actual ? 'exact' : count(expected)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface FactRows {
  readonly title: string;
  readonly rows: readonly (readonly [name: string, value: string])[];
}

function Facts({ title, rows }: FactRows) {
  return (
    <table>
      <caption>{title}</caption>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function CostTable({
  call: { paid, uncached, ideal, forecast, held, lost, again, wasted, waiting },
}: {
  readonly call: Call;
}) {
  const input = forecast === null ? 'no forecast' : dollars(forecast.cost);
  const isKnown = held !== null || again > 0;
  return (
    <Facts
      title="Cost"
      rows={[
        ['Paid', dollars(paid)],
        ['Forecast before the answer', input],
        ['Without a cache', dollars(uncached)],
        ['With an ideal cache', dollars(ideal)],
        ['Tokens paid again', isKnown ? count(again) : 'unknown'],
        ['Additional cost of these', isKnown ? dollars(lost) : 'unknown'],
        ['Written, never read', count(wasted)],
        ['Written, not read yet', count(waiting)],
      ]}
    />
  );
}

function FactTable({ call }: { readonly call: Call }) {
  const { stream, at, provider, model, contract, opened, cause, held, verdict } = call;
  return (
    <Facts
      title="Call"
      rows={[
        ['Sent', `${time(at, true)} UTC`],
        ['Duration', call.duration === null ? 'unknown' : duration(call.duration)],
        ['Model', `${model} (${provider})`],
        ['Stream', stream],
        ['Records', recordsText(call)],
        ['Opened an epoch', opened === null ? 'no' : causeText(opened)],
        ['Cause of the miss', cause === null ? 'no miss' : causeText(cause)],
        ['In the cache before', held === null ? 'unknown' : `${count(held)} tokens`],
        ['Written for an hour', `${count(call.writtenForHour)} tokens`],
        ["Provider's diagnosis", verdict ?? 'none'],
        ['Contract', contract ?? 'none'],
      ]}
    />
  );
}
