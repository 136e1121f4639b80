import { position } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import type { TestEvent } from '../../tests/log-of.ts';
import { answer, created, fold, named, newHash, note, packed, prompt, request, text } from '../../tests/log-of.ts';
import type { RequestSpec } from './epoch.ts';
import { openEpoch } from './epoch.ts';
import { composeFront } from '../front/front.ts';
import type { Change } from './needed-change.ts';
import { slice } from '../base/append-only.ts';
import { sideCallSpans } from '../fold/side-call-spans.ts';
import { neededChange } from './needed-change.ts';
import type { State } from '../state/state.ts';

const ALL: Capabilities['appends'] = ['system', 'reasoning', 'tools'];
const SOME: Capabilities['appends'] = ['system', 'reasoning', 'tool-additions'];

const spec = (name: string, description = `${name}.`) => ({ name, description, schema: { type: 'object' } });
const textsOf = (...tools: readonly ReturnType<typeof spec>[]) => composeFront({ tools }, newHash);
const wanted: RequestSpec = {
  provider: 'anthropic',
  model: 'm',
  parameters: { effort: 'medium' },
  capabilities: named('row'),
  texts: textsOf(spec('read')),
};
const withTools = (...tools: readonly ReturnType<typeof spec>[]): RequestSpec => ({
  ...wanted,
  texts: textsOf(...tools),
});
const withEffort = (effort: string): RequestSpec => ({ ...wanted, parameters: { effort } });

function opened(state: State, one: RequestSpec): State {
  return fold([['epoch.opened', openEpoch(state, one, 'initial', { rewrite: 0 }, newHash)]], state);
}

const open = fold([request(2)], opened(fold([created, prompt('go')]), wanted));
/** Returns the state after an answered request and a new prompt. This is the usual state before a request. */
const next = (state: State): State => fold([request(2), answer([text('so')]), prompt('on')], state);
const between = next(open);

function changed(state: State, one: RequestSpec, appends = ALL): State {
  const need = neededChange(state, one, appends);
  if (need.do !== 'append') throw new Error(`needs ${need.do}`);
  return fold(need.changes.map(eventOf), state);
}

function eventOf(change: Change): TestEvent {
  switch (change.kind) {
    case 'tools.changed':
      return [change.kind, change.data];
    case 'reasoning.changed':
      return [change.kind, change.data];
    case 'role.changed':
      return [change.kind, change.data];
  }
}

const withRole = (role: string | undefined): RequestSpec => ({
  ...wanted,
  texts: composeFront({ tools: [spec('read')], ...(role !== undefined && { role }) }, newHash),
});
const roleDigest = (role: string): string =>
  composeFront({ role }, newHash).layers.find(({ record }) => record.name === 'role')?.record.digest ?? '';

function toolsIn(state: State): readonly string[] {
  return state.epoch?.inForce.tools.map(({ name }) => name) ?? [];
}

describe('neededChange', () => {
  test('asks for nothing if there is no difference, or if a change was reversed', () => {
    expect(neededChange(between, wanted, ALL)).toEqual({ do: 'nothing' });
    const there = next(changed(between, withTools(spec('read'), spec('grep'))));
    const back = next(changed(there, wanted));
    expect(toolsIn(back)).toEqual(['read']);
    expect(neededChange(back, wanted, ALL)).toEqual({ do: 'nothing' });
  });

  test('asks for an appended change if the model accepts it, and otherwise for an epoch', () => {
    const more = withTools(spec('read'), spec('grep'));
    expect(neededChange(between, more, ALL)).toMatchObject({
      do: 'append',
      changes: [{ kind: 'tools.changed', data: { added: [{ name: 'grep' }], removed: [], as: 'appended' } }],
    });
    expect(neededChange(between, more, SOME)).toMatchObject({ do: 'append' });
    expect(neededChange(between, more, ['system'])).toEqual({ do: 'epoch', cause: 'tools' });
    expect(neededChange(between, withEffort('high'), ALL)).toMatchObject({
      do: 'append',
      changes: [
        {
          kind: 'reasoning.changed',
          data: { parameter: 'effort', setting: 'high', as: 'appended', scope: 'lasting' },
        },
      ],
    });
    expect(neededChange(between, withEffort('high'), ['system'])).toEqual({ do: 'epoch', cause: 'reasoning' });
  });

  test('asks for an epoch if tools are redefined or must be removed at once, and the model accepts only additions', () => {
    expect(neededChange(between, { ...withTools(), takeTools: 'now' }, SOME)).toEqual({ do: 'epoch', cause: 'tools' });
    expect(neededChange(between, withTools(spec('read', 'Another.')), SOME)).toEqual({ do: 'epoch', cause: 'tools' });
    expect(neededChange(between, withTools(spec('read', 'Another.')), ALL)).toMatchObject({
      do: 'append',
      changes: [{ data: { added: [{ name: 'read' }], removed: [] } }],
    });
  });

  test('asks for an epoch to add a tool to a front without tools', () => {
    const bare = next(opened(fold([created, prompt('go')]), withTools()));
    expect(neededChange(bare, wanted, ALL)).toEqual({ do: 'epoch', cause: 'tools' });
  });

  test.each<[string, Partial<RequestSpec>]>([
    ['thinking', { parameters: { effort: 'medium', thinking: { type: 'adaptive' } } }],
    ['a removed effort', { parameters: {} }],
    ['an effort together with another parameter', { parameters: { effort: 'low', thinking: { type: 'adaptive' } } }],
  ])('asks for an epoch for %s, which no message can set', (_what, change) => {
    expect(neededChange(between, { ...wanted, ...change }, ALL)).toEqual({ do: 'epoch', cause: 'reasoning' });
  });

  test('asks for one epoch with all changes if another difference needs an epoch', () => {
    const both = {
      ...withTools(spec('grep')),
      texts: composeFront({ tools: [spec('grep')], runtime: 'brief' }, newHash),
    };
    expect(neededChange(between, both, ALL)).toEqual({ do: 'epoch', cause: 'contract' });
  });

  test('asks for an epoch if the catalog row differs from the row of the epoch', () => {
    const more = { ...withTools(spec('read'), spec('grep')), capabilities: named('another row') };
    expect(neededChange(between, more, ALL)).toEqual({ do: 'epoch', cause: 'tools' });
  });

  test('asks for nothing yet after an answer that continues, and after a reasoning change with no message after it', () => {
    const paused = fold([request(2), answer([text('wait')])], open);
    expect(neededChange(paused, withTools(spec('read'), spec('grep')), ALL)).toEqual({ do: 'nothing' });
    expect(neededChange(paused, withEffort('high'), ALL)).toEqual({ do: 'nothing' });
    const high = changed(between, withEffort('high'));
    expect(neededChange(high, withEffort('low'), ALL)).toEqual({ do: 'nothing' });
    expect(neededChange(next(high), withEffort('low'), ALL)).toMatchObject({ do: 'append' });
  });
});

describe('a tool change that waits for the next epoch', () => {
  const waiting: RequestSpec = { ...withTools(spec('grep')), takeTools: 'next-epoch' };

  test('only removes tools, and is used if the model does not accept the removal as an appended change', () => {
    for (const appends of [[], SOME])
      expect(neededChange(between, withTools(), appends)).toEqual({
        do: 'append',
        changes: [{ kind: 'tools.changed', data: { added: [], removed: ['read'], as: 'queued' } }],
      });
    expect(neededChange(between, withTools(), ALL)).toMatchObject({ changes: [{ data: { as: 'appended' } }] });
    const gone = changed(between, withTools(), []);
    expect(neededChange(next(gone), withTools(), [])).toEqual({ do: 'nothing' });
    expect(neededChange(next(gone), wanted, [])).toEqual({ do: 'nothing' });
  });

  test('is recorded once, and is not shown to the model', () => {
    const queued = changed(between, waiting, []);
    expect(packed(queued)).toEqual(packed(between));
    expect(toolsIn(queued)).toEqual(['read']);
    expect(neededChange(next(queued), waiting, [])).toEqual({ do: 'nothing' });
  });

  test('continues to wait after a restart with the same list, but not if `takeTools` is `now`', () => {
    const queued = next(changed(between, waiting, []));
    const { takeTools: _when, ...again } = waiting;
    expect(neededChange(queued, again, [])).toEqual({ do: 'nothing' });
    expect(neededChange(queued, { ...waiting, takeTools: 'now' }, [])).toEqual({ do: 'epoch', cause: 'tools' });
    expect(neededChange(between, again, [])).toEqual({ do: 'epoch', cause: 'tools' });
  });

  test('adds only patient tools, unless `takeTools` is `now`', () => {
    const patient: RequestSpec = { ...withTools(spec('read'), spec('grep')), patientTools: new Set(['grep']) };
    const queues = { kind: 'tools.changed', data: { removed: [], as: 'queued' } };
    expect(neededChange(between, patient, [])).toMatchObject({ do: 'append', changes: [queues] });
    expect(neededChange(between, patient, ALL)).toMatchObject({
      do: 'append',
      changes: [{ data: { as: 'appended' } }],
    });
    expect(neededChange(between, { ...patient, takeTools: 'now' }, [])).toEqual({ do: 'epoch', cause: 'tools' });
    const more = { ...withTools(spec('read'), spec('grep'), spec('find')), patientTools: new Set(['grep']) };
    expect(neededChange(between, more, [])).toEqual({ do: 'epoch', cause: 'tools' });
  });

  test('is recorded once if another tool has kept an earlier wording', () => {
    const [held] = wanted.texts.tools;
    const reworded = { ...spec('read'), description: 'other words', earlier: [held?.record.digest ?? ''] };
    const patient: RequestSpec = { ...withTools(reworded, spec('grep')), patientTools: new Set(['grep']) };
    const queued = changed(between, patient, []);
    expect(neededChange(next(queued), patient, [])).toEqual({ do: 'nothing' });
  });

  test('is taken by the next epoch that opens for any cause', () => {
    const queued = next(changed(between, waiting, []));
    const other = { ...waiting, parameters: { effort: 'low' } };
    expect(neededChange(queued, other, [])).toEqual({ do: 'epoch', cause: 'reasoning' });
    const taken = opened(queued, other);
    expect(toolsIn(taken)).toEqual(['grep']);
    expect(taken.epoch?.inForce.queued).toBeUndefined();
  });

  test('is appended at once instead if the model accepts appended changes', () => {
    expect(neededChange(between, waiting, ALL)).toMatchObject({
      do: 'append',
      changes: [{ data: { as: 'appended' } }],
    });
  });
});

describe('a change in the history', () => {
  const grep = withTools(spec('read'), spec('grep'));

  test('comes after all earlier messages and before the answer', () => {
    const there = changed(between, { ...grep, parameters: { effort: 'high' } });
    expect(packed(next(there)).slice(-5)).toEqual([
      'user: on',
      'system: change',
      'system: change',
      'assistant: so',
      'user: on',
    ]);
  });

  test('waits for the answer in flight, even if a prompt is recorded in the meantime', () => {
    const data = { added: [], removed: ['read'], as: 'appended' } as const;
    const asked = fold([request(2), ['tools.changed', data], prompt('and then')], between);
    expect(packed(asked)).toEqual(packed(between));
    expect(packed(fold([answer([text('so')])], asked)).slice(-3)).toEqual([
      'assistant: so',
      'user: and then',
      'system: change',
    ]);
  });

  test('without an answer is followed by a line that states this, before the next message; a change of effort is not', () => {
    const failed: TestEvent = [
      'answer.failed',
      { step: 1, stream: 'main', class: 'retryable', code: 'provider/overloaded', message: 'busy', retry: false },
    ];
    const lost = fold([request(3), failed, prompt('again')], changed(between, grep));
    expect(packed(lost).slice(-3)).toEqual(['system: change', 'assistant: [No answer came.]', 'user: again']);
    const noted = fold([request(3), failed, note('git', true)], changed(between, grep));
    expect(packed(noted).at(-2)).toBe('assistant: [No answer came.]');
    const level = fold([request(3), failed, prompt('again')], changed(between, withEffort('low')));
    expect(packed(level).slice(-2)).toEqual(['system: change', 'user: again']);
    const thought = answer([{ type: 'reasoning', opaque: '{}', text: 'hm' }], {}, 1);
    expect(packed(fold([request(3), thought, prompt('again')], changed(between, grep))).at(-2)).toBe(
      'assistant: [No answer came.]',
    );
  });

  test('without an answer is also followed by that line before the words of a side call that contains the history', () => {
    const waits = changed(between, grep);
    const asked = (history: 'main' | 'none'): readonly string[] =>
      sideCallSpans(waits, [{ type: 'text', text: 'Name this.' }], position(waits.length), history).map(
        ({ role }) => role,
      );
    expect(asked('main')).toEqual(['assistant', 'user']);
    expect(asked('none')).toEqual(['user']);
  });

  test('sends a new tool definition, and marks a definition that was sent before as known', () => {
    const there = next(changed(between, grep));
    const gone = next(changed(there, wanted));
    const again = changed(gone, grep);
    const parts = again.history.packed.buffer.flatMap((span) => span.parts);
    const added = parts.flatMap((part) => (part.type === 'change' && part.change === 'tools' ? part.added : []));
    expect(added.map(({ name, known }) => [name, known ?? false])).toEqual([
      ['grep', false],
      ['grep', true],
    ]);
  });

  test('is no longer packed once the front of an epoch contains it, which counts as an edit of sent content', () => {
    const there = next(changed(between, { ...grep, parameters: { effort: 'high' } }));
    const folded = opened(there, { ...grep, parameters: { effort: 'high', thinking: { type: 'adaptive' } } });
    expect(packed(folded).filter((span) => span.startsWith('system'))).toEqual([]);
    expect(packed(folded)).toHaveLength(packed(there).length - 2);
    expect(folded.epoch?.edited).toBe(position(there.length));
    expect(toolsIn(folded)).toEqual(['grep', 'read']);
    // The earlier state is unchanged.
    expect(packed(there).filter((span) => span.startsWith('system'))).toHaveLength(2);
  });
});

function wordsOf({ history }: State): readonly string[] {
  const parts = slice(history.packed).flatMap((span) => span.parts);
  return parts.flatMap((part) => (part.type === 'change' && part.change === 'role' ? [part.text] : []));
}

describe('a change of the role', () => {
  test('is appended if it is shorter than the history, and opens an epoch if it is longer', () => {
    const long = next(fold([request(2), answer([text('word '.repeat(200))]), prompt('on')], open));
    const needFor = (words: number): string => neededChange(long, withRole('word '.repeat(words)), ALL).do;
    expect([needFor(150), needFor(300)]).toEqual(['append', 'epoch']);
  });

  test('is appended if the model accepts a system message, and otherwise opens an epoch', () => {
    const need = neededChange(between, withRole('Be short.'), ['system']);
    const data = { role: roleDigest('Be short.'), text: 'Be short.', as: 'appended', rendering: 'render/3' };
    expect(need).toEqual({ do: 'append', changes: [{ kind: 'role.changed', data }] });
    expect(neededChange(between, withRole('Be short.'), ['reasoning', 'tools'])).toEqual({
      do: 'epoch',
      cause: 'role',
    });
  });

  test('comes after all earlier messages and applies from then on', () => {
    const after = changed(between, withRole('Be short.'));
    expect(wordsOf(after).at(-1)).toMatch(/^Your role instructions have changed.*\n\nBe short\.$/s);
    expect(packed(after).slice(0, -1)).toEqual(packed(between));
    expect(neededChange(next(after), withRole('Be short.'), ALL)).toEqual({ do: 'nothing' });
  });

  test('is appended again if it is reversed or removed', () => {
    const there = next(changed(between, withRole('Be short.')));
    expect(neededChange(there, wanted, ALL)).toEqual({
      do: 'append',
      changes: [{ kind: 'role.changed', data: { text: '', as: 'appended', rendering: 'render/3' } }],
    });
    const back = next(changed(there, wanted));
    expect(wordsOf(back).at(-1)).toBe('Your role instructions were removed. The earlier ones no longer apply.');
    expect(neededChange(back, wanted, ALL)).toEqual({ do: 'nothing' });
  });

  test('keeps its older wording if its record is older than `render/3`', () => {
    const renderRole = (role: string): string | undefined =>
      wordsOf(fold([['role.changed', { text: role, as: 'appended' }]], between)).at(-1);
    expect(renderRole('Be short.')).toMatch(/^The text about your role has changed\. From here on .*\n\nBe short\.$/s);
    expect(renderRole('')).toMatch(/^The earlier text about your role is no longer in force/);
  });

  test('waits after an answer that continues', () => {
    const paused = fold([request(2), answer([text('so')])], open);
    expect(neededChange(paused, withRole('Be short.'), ALL)).toEqual({ do: 'nothing' });
  });

  test('is recorded separately from a change of reasoning', () => {
    const all = { ...withRole('Be short.'), parameters: { effort: 'high' } };
    const kinds = (need: ReturnType<typeof neededChange>): readonly string[] =>
      need.do === 'append' ? need.changes.map(({ kind }) => kind) : [need.do];
    expect(kinds(neededChange(between, all, ALL))).toEqual(['role.changed', 'reasoning.changed']);
  });

  test('moves into the front of the next epoch and is no longer packed', () => {
    const there = next(changed(between, withRole('Be short.')));
    const folded = opened(there, withRole('Be short.'));
    expect(packed(folded).filter((span) => span.startsWith('system'))).toEqual([]);
    expect(folded.epoch?.inForce).toMatchObject({ role: roleDigest('Be short.'), appended: false });
    expect(neededChange(folded, withRole('Be short.'), ALL)).toEqual({ do: 'nothing' });
  });

  test('without an answer is followed by a line that states this, before the next message', () => {
    const failed = fold([request(2)], changed(between, withRole('Be short.')));
    const after = fold(
      [['answer.failed', { step: 1, stream: 'main', code: 'x', message: 'm', class: 'retryable' }], prompt('on')],
      failed,
    );
    expect(packed(after).at(-2)).toContain('[No answer came.]');
  });
});
