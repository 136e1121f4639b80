// Checkpoints of a session: what each one stands for, next to what it says.

import { useSignal } from '@preact/signals';
import type { components, SessionClient } from '@tidemark/client';
import { answerOf } from '@tidemark/client';
import { useEffect } from 'preact/hooks';
import { textOf } from './connection.ts';
import type { Conversation, Entry } from './conversation.ts';
import { addRecords, NO_CONVERSATION } from './conversation.ts';
import { grouped } from './request-data.ts';
import { linkTo } from './route.ts';
import { VirtualRows } from './virtual-rows.tsx';

type Checkpoint = components['schemas']['ShownCheckpoint'];

interface CheckpointPlace {
  readonly client: SessionClient;
  readonly session: string;
}

/** Shows the checkpoints of a session. */
export function CheckpointPage({ client, session }: CheckpointPlace) {
  const checkpoints = useSignal<readonly Checkpoint[] | undefined>(undefined);
  const problem = useSignal('');
  useEffect(() => {
    answerOf(client.GET('/sessions/{session}/checkpoints', { params: { path: { session } } })).then(
      (found) => {
        checkpoints.value = found.checkpoints;
      },
      (error: unknown) => {
        problem.value = textOf(error);
      },
    );
  }, [client, session]);
  const found = checkpoints.value;
  return (
    <section class="wide">
      <h2>Checkpoints</h2>
      <p>
        <a href={linkTo(['sessions', session])}>Conversation</a>
      </p>
      {problem.value !== '' && <p role="alert">{problem.value}</p>}
      {found?.length === 0 && <p class="soft">This session has no checkpoint: its history was never compacted.</p>}
      {found?.map((one) => (
        <CheckpointView key={one.position} client={client} session={session} checkpoint={one} />
      ))}
    </section>
  );
}

function CheckpointView({ client, session, checkpoint }: CheckpointPlace & { readonly checkpoint: Checkpoint }) {
  const { position, at, trigger, strategy, before, after, limitations, text, request } = checkpoint;
  const sizes = before === undefined || after === undefined ? '' : `: ${grouped(before)} → ${grouped(after)} tokens`;
  return (
    <article aria-label={`Checkpoint at record ${position}`}>
      <h2>
        Record {position}, {at.slice(0, 19).replace('T', ' ')}
        {sizes}
      </h2>
      <p class="soft">
        Trigger: {trigger}; strategy: {strategy}.{' '}
        {request !== undefined && (
          <a href={linkTo(['sessions', session, 'request', String(request)])}>First request after it</a>
        )}
      </p>
      <div class="context">
        <section aria-label="What it stands for">
          <h3>What it stands for</h3>
          <ReplacedConversation client={client} session={session} checkpoint={checkpoint} />
        </section>
        <section aria-label="What it says">
          <h3>What it says ({grouped(text.length)} characters)</h3>
          <pre class="checkpoint-text" tabIndex={0}>
            {text}
          </pre>
          {limitations.length > 0 && (
            <>
              <p>Limitations:</p>
              <ul>
                {limitations.map((one) => (
                  <li key={one}>{one}</li>
                ))}
              </ul>
            </>
          )}
        </section>
      </div>
    </article>
  );
}

/** Records that are read at once. */
const PAGE = 1_000;

function ReplacedConversation({
  client,
  session,
  checkpoint: { from, to, replaced, keeps },
}: CheckpointPlace & { readonly checkpoint: Checkpoint }) {
  const conversation = useSignal<Conversation>(NO_CONVERSATION);
  const next = useSignal(from);
  const selected = useSignal(-1);
  const problem = useSignal('');
  const load = async (): Promise<void> => {
    const query = { from: next.value, limit: Math.min(PAGE, to + 1 - next.value) };
    try {
      const found = await answerOf(client.GET('/sessions/{session}/records', { params: { path: { session }, query } }));
      conversation.value = addRecords(conversation.value, found.records);
      next.value = found.next;
    } catch (error) {
      problem.value = textOf(error);
    }
  };
  useEffect(() => void load(), []);
  const { entries } = conversation.value;
  const entry = entries[selected.value];
  return (
    <>
      <p class="soft">
        Records {from} to {to}: {replaced.prompts} prompts, {replaced.answers} answers, {replaced.results} results.
        {keeps.length > 0 && ` Kept unchanged: the messages of record ${keeps.join(', ')}.`}
      </p>
      {problem.value !== '' && <p role="alert">{problem.value}</p>}
      <VirtualRows
        label={`Replaced conversation from record ${from}`}
        count={entries.length}
        rowHeight={28}
        active={selected.value}
        onSelect={(index) => {
          selected.value = index;
        }}
        row={(index) => [<EntryLine entry={entries[index]} kept={keeps} />]}
      />
      {next.value <= to && (
        <button type="button" onClick={() => void load()}>
          Read more of {grouped(to + 1 - next.value)} records
        </button>
      )}
      {entry !== undefined && (
        <pre tabIndex={0} aria-live="polite">
          {entry.type === 'call' ? `${entry.name} ${entry.input}\n\n${entry.output}` : entry.text}
        </pre>
      )}
    </>
  );
}

function EntryLine({ entry, kept }: { readonly entry: Entry | undefined; readonly kept: readonly number[] }) {
  if (entry === undefined) return null;
  const text = entry.type === 'call' ? `${entry.name} ${entry.input}` : entry.text;
  return (
    <span class="block-row">
      <span class="soft number">{entry.position}</span>
      <span class="what">{entry.type}</span>
      {kept.includes(entry.position) && <span class="tag">kept</span>}
      <span class="begins">{text.slice(0, 160).replaceAll(/\s+/g, ' ')}</span>
    </span>
  );
}
