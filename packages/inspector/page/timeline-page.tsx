// Timeline of a session: a bar for each call, the breaks, and the details of the selected call.

import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import type { components, SessionClient } from '@tidemark/client';
import { answerOf } from '@tidemark/client';
import { useEffect, useMemo } from 'preact/hooks';
import { file, textOf } from './connection.ts';
import { billionths, count, counted, duration, time } from './format.ts';
import type { RequestStore } from './request-data.ts';
import { route } from './route.ts';
import { CallDetails, requestLink } from './timeline-call.tsx';
import type { BarScale, StreamTimeline } from './timeline-calls.ts';
import { breakText, streamTimeline, timeOf } from './timeline-calls.ts';
import { TimelineChart } from './timeline-chart.tsx';
import { TimelineLegend } from './timeline-legend.tsx';
import { useSelectedPlace } from './timeline-place.ts';
import { VirtualRows } from './virtual-rows.tsx';

type Timeline = components['schemas']['Timeline'];

interface TimelinePlace {
  readonly client: SessionClient;
  readonly session: string;
}

/** Reads the timeline of a session and shows it. Then prepares its requests, so that the first one opens fast. */
export function TimelinePage({ client, session, requests }: TimelinePlace & { readonly requests: RequestStore }) {
  const timeline = useSignal<Timeline | undefined>(undefined);
  const problem = useSignal('');
  const read = (): void => {
    answerOf(client.GET('/sessions/{session}/timeline', { params: { path: { session } } })).then(
      (answer) => {
        timeline.value = answer;
        problem.value = '';
        // The server folds the log of the session for it. An error is shown when a request is opened.
        void requests.list(0).catch(() => undefined);
      },
      (error: unknown) => {
        problem.value = textOf(error);
      },
    );
  };
  useEffect(read, [client, session]);
  return (
    <section class="timeline">
      {problem.value !== '' && (
        <p role="alert">
          {problem.value}{' '}
          <button type="button" onClick={read}>
            Read again
          </button>
        </p>
      )}
      {timeline.value === undefined && problem.value === '' && <p class="soft">The timeline is being read.</p>}
      {timeline.value?.columns.answer.length === 0 && <p class="soft">The session has no call yet.</p>}
      {timeline.value !== undefined && timeline.value.columns.answer.length > 0 && (
        <TimelineView client={client} session={session} timeline={timeline.value} read={read} />
      )}
    </section>
  );
}

interface TimelineContent extends TimelinePlace {
  readonly timeline: Timeline;
  readonly read: () => void;
}

function TimelineView({ client, session, timeline, read }: TimelineContent) {
  const named = useSignal(route.value.values.get('stream') ?? 'main');
  const scale = useSignal<BarScale>('tokens');
  const number = Math.max(0, timeline.streams.indexOf(named.value));
  const stream = useMemo(() => streamTimeline(timeline, number), [timeline, number]);
  const selected = useSignal(0);
  useSelectedPlace({ session, stream, name: timeline.streams[number] ?? '', named, scale, selected });
  const place = Math.min(selected.value, stream.calls.length - 1);
  const call = stream.calls[place];
  const open = (): void => {
    if (call !== undefined) location.hash = requestLink(session, call);
  };
  return (
    <>
      <div class="controls">
        <StreamChoice timeline={timeline} number={number} named={named} />
        <ScaleChoice scale={scale} />
        {file.value === undefined && (
          <button type="button" onClick={read}>
            Read again
          </button>
        )}
        <span class="soft">{summaryOf(stream)}</span>
      </div>
      <TimelineLegend scale={scale.value} />
      <TimelineChart key={number} stream={stream} scale={scale.value} selected={selected} open={open} />
      <p class="soft keys">
        <kbd>←</kbd> <kbd>→</kbd> previous and next call, <kbd>Home</kbd> <kbd>End</kbd> first and last, <kbd>b</kbd>{' '}
        next break, <kbd>B</kbd> previous break, <kbd>+</kbd> <kbd>-</kbd> width of the bars, <kbd>Enter</kbd> or a
        double click: the request
      </p>
      {call !== undefined && <CallDetails client={client} session={session} call={call} />}
      <BreakList stream={stream} selected={selected} />
    </>
  );
}

function summaryOf({ calls, breaks }: StreamTimeline): string {
  const paid = calls.reduce((sum, one) => sum + (one.paid ?? 0), 0);
  const unpriced = calls.filter((one) => one.paid === null).length;
  const cost = unpriced === calls.length ? 'cost unknown' : `${billionths(paid)} paid`;
  const without =
    unpriced > 0 && unpriced < calls.length ? ` without ${counted(unpriced, 'call')} of unknown cost` : '';
  return `${counted(calls.length, 'call')}, ${cost}${without}, ${counted(breaks.length, 'break')}`;
}

interface StreamChooser {
  readonly timeline: Timeline;
  readonly number: number;
  readonly named: Signal<string>;
}

/** Chooses the stream. Side calls, such as titles and summaries, have streams of their own. */
function StreamChoice({ timeline: { streams, columns }, number, named }: StreamChooser) {
  const calls = useMemo(
    () => streams.map((_, index) => columns.stream.filter((one) => one === index).length),
    [columns],
  );
  if (streams.length < 2) return null;
  return (
    <label>
      Stream{' '}
      <select
        value={streams[number]}
        onChange={(event) => {
          named.value = event.currentTarget.value;
        }}
      >
        {streams.map((name, index) => (
          <option key={name} value={name}>
            {name} ({count(calls[index] ?? 0)})
          </option>
        ))}
      </select>
    </label>
  );
}

function ScaleChoice({ scale }: { readonly scale: Signal<BarScale> }) {
  const choices = [
    ['tokens', 'Tokens'],
    ['cost', 'Cost'],
  ] as const;
  return (
    <fieldset class="choice">
      <legend>Height of a bar</legend>
      {choices.map(([value, text]) => (
        <label key={value}>
          <input
            type="radio"
            name="scale"
            checked={scale.value === value}
            onChange={() => {
              scale.value = value;
            }}
          />{' '}
          {text}
        </label>
      ))}
    </fieldset>
  );
}

const BREAK_COLUMNS = {
  columns: 'break-rows',
  head: ['Step', 'Time (UTC)', 'Pause before', 'Cause', 'Paid again', 'Additional cost'],
};

function BreakList({ stream, selected }: { readonly stream: StreamTimeline; readonly selected: Signal<number> }) {
  if (stream.breaks.length === 0) return <p>No call of this stream paid tokens again, and no later epoch opened.</p>;
  return (
    <section>
      <h2>{counted(stream.breaks.length, 'break')}</h2>
      <VirtualRows
        label="Breaks"
        table={BREAK_COLUMNS}
        count={stream.breaks.length}
        rowHeight={34}
        active={stream.breaks.indexOf(selected.value)}
        onSelect={(index) => {
          selected.value = stream.breaks[index] ?? 0;
        }}
        row={(index) => breakCells(stream, stream.breaks[index] ?? 0)}
      />
    </section>
  );
}

function breakCells(stream: StreamTimeline, place: number): readonly string[] {
  const call = stream.calls[place];
  if (call === undefined) return [];
  return [
    `${call.cause === null ? '◆' : '▼'} ${call.step}`,
    time(timeOf(call, stream.begins)),
    call.pause < 1_000 ? 'none' : duration(call.pause),
    breakText(call).replace(/ [\d,]+ tokens? paid again.*?\.(?= New|$)/, ''),
    count(call.again),
    call.cause === null ? '$0' : billionths(call.lost),
  ];
}
