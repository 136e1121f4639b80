import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '@tidemark/store-memory';
import { answer, prompt, row, say, toolResult, use } from './claude-rows.ts';
import { fold, importRows, kinds, only, packed, pick } from './import-rows.ts';
import { assistant, call, entry, header, result, text, user } from './pi-rows.ts';

const pi = (): object[] => [
  header(3),
  entry('a', null, user('one')),
  entry('b', 'a', assistant([text('first')])),
  entry('c', 'b', user('two')),
  entry('d', 'c', assistant([call('x')])),
  entry('e', 'd', result('x')),
  entry('f', 'e', assistant([text('second')])),
];

describe('a rewind', () => {
  it('in a pi session becomes a fork at the closed position before it, and both branches keep their calls', async () => {
    const { imported, events, of } = await importRows([
      ...pi(),
      entry('g', 'b', user('two, better')),
      entry('h', 'g', assistant([text('third')])),
      entry('i', 'f', user('back on the first branch')),
    ]);
    expect(imported.sessions).toHaveLength(2);
    expect(imported.calls).toBe(4);
    expect(packed(events)).toEqual([
      'user: one',
      'assistant: first',
      'user: two',
      'assistant: call x',
      'user: result x',
      'assistant: second',
      'user: back on the first branch',
    ]);
    expect(packed(of(1))).toEqual(['user: one', 'assistant: first', 'user: two, better', 'assistant: third']);
    const created = pick(of(1), 'session.created')[1];
    const parent = created?.data.parent;
    expect(parent?.session).toBe(imported.session);
    expect(events[parent?.position ?? -1]).toMatchObject({ chain: parent?.chain, kind: 'answer.received' });
    expect(created?.data.root).toBe(imported.session);
    expect(kinds(of(1)).slice(-6)).toEqual([
      'session.created',
      'turn.ended',
      'turn.started',
      'prompt.given',
      'answer.received',
      'turn.ended',
    ]);
  });

  it('to the beginning becomes a fork that shares only the first record', async () => {
    const { of } = await importRows([
      ...pi(),
      entry('g', null, user('start over')),
      entry('h', 'g', assistant([text('fresh')])),
    ]);
    expect(packed(of(1))).toEqual(['user: start over', 'assistant: fresh']);
    expect(pick(of(1), 'session.created')[1]?.data.parent?.position).toBe(0);
  });

  it('to an answer with open calls copies this answer to the fork and closes its calls, and does not change the first branch', async () => {
    const { events, of, imported } = await importRows([
      ...pi(),
      entry('g', 'd', user('stop')),
      entry('h', 'g', assistant([text('ok')])),
    ]);
    expect(packed(events).slice(-3)).toEqual(['assistant: call x', 'user: result x', 'assistant: second']);
    expect(pick(events, 'foreign.recorded')).toEqual([]);
    expect(fold(of(1)).problems.length).toBe(0);
    expect(packed(of(1)).slice(-4)).toEqual(['assistant: call x', 'user: result x', 'user: stop', 'assistant: ok']);
    expect(pick(of(1), 'tool.abandoned').map(({ data }) => data.call)).toEqual(['x']);
    expect(imported.calls).toBe(4);
    const [shared, taken] = pick(of(1), 'answer.received').map(({ data }) => Object.keys(data.usage).length);
    expect([shared, taken]).toEqual([4, 0]);
  });

  it('with a summary of the branch that was left puts the summary into the history of the fork', async () => {
    const { of } = await importRows([
      ...pi(),
      entry('g', 'b', { type: 'branch_summary', fromId: 'f', summary: 'tried x' }),
      entry('h', 'g', user('instead')),
    ]);
    const { range, text: shown } = only(of(1), 'branch.summarized');
    expect(shown).toBe('tried x');
    expect(range.to).toBeGreaterThan(range.from);
    expect(packed(of(1)).slice(2)).toEqual(['user: <branch>\ntried x\n</branch>', 'user: instead']);
  });

  it('in a fork makes a fork of that fork', async () => {
    const { imported, of } = await importRows([
      ...pi(),
      entry('g', 'b', user('again')),
      entry('h', 'g', assistant([text('third')])),
      entry('i', 'h', user('go on')),
      entry('j', 'h', user('or this')),
    ]);
    expect(imported.sessions).toHaveLength(3);
    expect(pick(of(2), 'session.created')[2]?.data.parent?.session).toBe(imported.sessions[1]);
    expect(packed(of(2)).slice(-3)).toEqual(['user: again', 'assistant: third', 'user: or this']);
  });

  it('in a Claude Code session is recognized by a prompt whose parent is an earlier row', async () => {
    const { of, events } = await importRows([
      prompt('p', null, 'one'),
      answer('a', 'p', 'm1', say('first')),
      prompt('q', 'a', 'two'),
      answer('b', 'q', 'm2', say('second')),
      prompt('s', 'a', 'two, better'),
      answer('c', 's', 'm3', say('third')),
    ]);
    expect(packed(events)).toEqual(['user: one', 'assistant: first', 'user: two', 'assistant: second']);
    expect(packed(of(1))).toEqual(['user: one', 'assistant: first', 'user: two, better', 'assistant: third']);
  });
});

describe('rows that only look like a rewind', () => {
  it('make no fork: results of parallel calls, notes and labels', async () => {
    const claude = await importRows([
      prompt('p', null, 'go'),
      answer('a1', 'p', 'm1', use('x')),
      answer('a2', 'a1', 'm1', use('y')),
      toolResult('r1', 'a1', 'x'),
      prompt('n', 'r1', 'a skill', { isMeta: true }),
      toolResult('r2', 'a2', 'y'),
      prompt('n2', 'r2', 'another skill', { isMeta: true }),
      answer('b1', 'n', 'm2', say('done')),
      row('t', 'b1', { type: 'system', subtype: 'turn_duration' }),
      prompt('q', 't', 'next'),
    ]);
    expect(claude.imported.sessions).toHaveLength(1);
    const labelled = await importRows([
      ...pi(),
      entry('l', 'f', { type: 'label', targetId: 'a', label: 'x' }),
      entry('g', 'l', user('next')),
    ]);
    expect(labelled.imported.sessions).toHaveLength(1);
  });
});

describe('subagents', () => {
  const side = (fields: object) => ({ isSidechain: true, ...fields });

  it('become separate sessions, and the session that started them contains their names', async () => {
    const { imported, events, of } = await importRows([
      prompt('p', null, 'go'),
      answer('a1', 'p', 'm1', use('task')),
      { ...prompt('s1', null, 'look around'), ...side({ agentId: 'a/1' }) },
      { ...answer('s2', 's1', 'n1', say('seen')), ...side({ agentId: 'a/1' }) },
      { ...prompt('u1', null, 'look there'), ...side({ agentId: 'b' }) },
      { ...answer('s3', 's2', 'n1', say('all')), ...side({ agentId: 'a/1' }) },
      toolResult('r1', 'a1', 'task'),
      answer('b1', 'r1', 'm2', say('done')),
    ]);
    expect(imported.sessions).toHaveLength(3);
    expect(imported.sessions[1]).toBe(`${imported.session}-agent-a1`);
    expect(packed(of(1))).toEqual(['user: look around', 'assistant: seen', 'assistant: all']);
    expect(pick(of(1), 'session.created')[0]?.data).toMatchObject({ root: imported.session });
    expect(pick(of(1), 'turn.started')[0]?.data.trigger).toBe('subagent');
    expect(pick(events, 'subagent.started').map(({ data }) => [data.child, data.task])).toEqual([
      [imported.sessions[1], 'look around'],
      [imported.sessions[2], 'look there'],
    ]);
    expect(packed(events)).toEqual(['user: go', 'assistant: call task', 'user: result task', 'assistant: done']);
  });

  it('without an agent name are distinguished by the first row of their chain of parents', async () => {
    const { of, imported } = await importRows([
      prompt('p', null, 'go'),
      answer('a1', 'p', 'm1', use('task')),
      { ...prompt('s1', null, 'first'), ...side({}) },
      { ...prompt('u1', null, 'second'), ...side({}) },
      { ...answer('s2', 's1', 'n1', say('from the first')), ...side({}) },
      { ...answer('u2', 'u1', 'n2', say('from the second')), ...side({}) },
    ]);
    expect(imported.sessions).toHaveLength(3);
    expect(packed(of(1))).toEqual(['user: first', 'assistant: from the first']);
    expect(packed(of(2))).toEqual(['user: second', 'assistant: from the second']);
  });

  it('become the main session if a file contains only their rows', async () => {
    const { imported, events } = await importRows([
      { type: 'file-history-snapshot', messageId: 'x', snapshot: {} },
      { ...prompt('s1', null, 'look'), ...side({ agentId: 'a' }) },
      { ...answer('s2', 's1', 'n1', say('seen')), ...side({ agentId: 'a' }) },
    ]);
    expect(imported.sessions).toEqual([imported.session]);
    expect(kinds(events)).toEqual([
      'session.created',
      'turn.started',
      'prompt.given',
      'epoch.opened',
      'answer.received',
      'turn.ended',
    ]);
    expect(pick(events, 'foreign.recorded')).toHaveLength(1);
  });
});

describe('a second import of the same file', () => {
  const rows = [...pi(), entry('g', 'b', user('better'))];

  it('finds the same sessions and adds no events', async () => {
    const { store, imported } = await importRows(rows);
    const again = await importRows(rows, store);
    expect(again.imported).toEqual({ ...imported, added: 0 });
  });

  it('continues an import that was cut off after any number of events', async () => {
    const whole = await importRows(rows);
    const expected = whole.of(1).map(({ kind, at }) => [kind, at]);
    const sound = whole.events.filter((event) => event.kind !== 'unknown');
    for (let length = 1; length < whole.events.length; length += 1) {
      const store = createMemoryStore();
      const writer = await store.create(whole.imported.session);
      await writer.append(sound.slice(0, length), 0);
      await writer.close();
      const again = await importRows(rows, store);
      expect(again.of(1).map(({ kind, at }) => [kind, at])).toEqual(expected);
      expect(again.imported.added).toBe(whole.imported.events - length);
    }
  });
});
