// Sessions of the corpus, each written by hand as a list of commands (a story). Together the sessions contain every
// kind of log content at least once, and each session is small.

import type { CallSpec, ContentSpec, SaidSpec } from '../laws/content.ts';
import type { Command, Outcome } from '../laws/loop-commands.ts';

/** Commands that create one session of the corpus. `model` is an index into the test models. */
export interface CorpusStory {
  readonly name: string;
  readonly model: number;
  readonly ttl: '5m' | '1h';
  readonly commands: readonly Command[];
}

const words = (size: number): Extract<ContentSpec, { readonly kind: 'words' }> => ({ kind: 'words', size });
const prompt = (...more: readonly ContentSpec[]): Command => ({ do: 'prompt', parts: [words(60), ...more] });
const text: SaidSpec = { kind: 'text', text: words(50) };
const thinking: SaidSpec = { kind: 'thinking', size: 60 };
const blank: SaidSpec = { kind: 'text', text: { kind: 'odd', text: ' \n' } };
const call = (raw = '{"path":"a.ts","10":1}', id: CallSpec['id'] = 'fresh'): CallSpec => ({
  id,
  name: 'read',
  arguments: raw,
});
const note = (urgent: boolean): Command => ({ do: 'note', urgent, text: words(40) });

function asks(parts: readonly SaidSpec[], calls: readonly CallSpec[] = [], outcome: Outcome = 'answered'): Command {
  return { do: 'ask', answer: { said: parts, calls }, outcome, during: [] };
}

function closes(...fates: Extract<Command, { readonly do: 'close' }>['fates']): Command {
  return {
    do: 'close',
    order: 3,
    share: 1,
    fates,
    contents: [[words(80)], [{ kind: 'image', image: 0 }, words(30)], []],
  };
}

/** Stories of all sessions of the corpus except the imported one. */
export const STORIES: readonly CorpusStory[] = [
  {
    name: 'parallel-calls',
    model: 0,
    ttl: '5m',
    commands: [
      note(false),
      prompt({ kind: 'file' }),
      asks([thinking, text], [call(), call(''), call('{"cut":"of'), call('[1]', 'foreign')]),
      note(true),
      { do: 'steer', parts: [words(30)] },
      closes('returned', 'failed', 'denied', 'returned'),
      asks([text], [call('{}', 'repeated'), call('{"n":1.0,"x":"\\ud800"}')]),
      closes('returned-twice', 'cut'),
      { do: 'orphan' },
      asks([text]),
      { do: 'end-turn' },
    ],
  },
  {
    name: 'images-and-switches',
    model: 0,
    ttl: '1h',
    commands: [
      prompt({ kind: 'image', image: 0 }, { kind: 'image', image: 2 }, { kind: 'odd', text: '\ud800' }),
      asks([thinking, text], [call()]),
      closes('returned'),
      { do: 'wait', ms: 400_000 },
      { do: 'model', model: 2 },
      asks([thinking], [call()]),
      closes('failed'),
      { do: 'reasoning', level: 1 },
      { do: 'tools', set: 3 },
      asks([blank, thinking, text]),
      { do: 'notify', text: words(40) },
      { do: 'model', model: 0 },
      asks([text]),
    ],
  },
  {
    name: 'cut-and-stopped',
    model: 1,
    ttl: '5m',
    commands: [
      prompt(),
      asks([text], [], 'failed'),
      asks([thinking, text], [call()], 'stopped-by-user'),
      prompt(),
      asks([text], [], 'cut-by-transport'),
      asks([text], [], 'lost'),
      { do: 'restart' },
      asks([blank, thinking, text], [call()]),
      closes('crashed'),
      asks([text]),
    ],
  },
  {
    name: 'compacted-and-forked',
    model: 1,
    ttl: '5m',
    commands: [
      { do: 'role', role: 1 },
      prompt(),
      asks([thinking, text], [call(), call()]),
      closes('returned'),
      asks([text]),
      { do: 'compact', keep: 1, text: words(90) },
      prompt(),
      asks([thinking], [call()]),
      closes('returned'),
      asks([text]),
      { do: 'fork', back: 2 },
      prompt(),
      asks([text]),
      { do: 'summarize-branch', text: words(50) },
      { do: 'clock-back', ms: 60_000 },
      asks([text]),
    ],
  },
];
