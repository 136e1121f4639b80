// Tests with random transcripts, whose rows have any type and any order. No row is lost, and every session has a valid
// history.

import type { Recorded } from '@tidemark/log';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answer, progress, prompt, row, say, toolResult, use } from './claude-rows.ts';
import type { ImportedRows, Row } from './import-rows.ts';
import { fold, importRows, pick } from './import-rows.ts';
import { assistant, call, entry, header, result, text, user } from './pi-rows.ts';

interface Choice {
  readonly what: number;
  readonly parent: number;
  readonly name: number;
  readonly side: boolean;
}

const choices = fc.array(fc.record({ what: fc.nat(9), parent: fc.nat(3), name: fc.nat(5), side: fc.boolean() }), {
  minLength: 1,
  maxLength: 40,
});

// Returns the parent of a row. Usually the parent is the last row, as in a real session. Sometimes it is an earlier
// row, or there is no parent.
function parentOf(ids: readonly string[], { parent, name }: Choice): string | null {
  const last = ids.at(-1) ?? null;
  if (parent < 3) return last;
  return ids[ids.length - 2 - name] ?? null;
}

function claudeRow(id: string, parent: string | null, choice: Choice): Row {
  const { what, name } = choice;
  const on = parent ?? 'nowhere';
  const made = [
    () => prompt(id, parent, `prompt ${id}`),
    () => answer(id, on, `m${name}`, say(`text ${id}`)),
    () => answer(id, on, `m${id}`, use(`c${name}`)),
    () => answer(id, on, `m${name}`, use(`c${id}`)),
    () => toolResult(id, on, `c${name}`),
    () => toolResult(id, on, `c${id}`),
    () => progress(id, on),
    () =>
      row(id, parent, {
        type: 'system',
        subtype: 'compact_boundary',
        compactMetadata: { preservedSegment: { headUuid: `e${name}`, tailUuid: on } },
      }),
    () => prompt(id, parent, 'summary', { isCompactSummary: true }),
    () => 'no record at all',
  ][what];
  const one = made?.() ?? '';
  return typeof one === 'object' && choice.side && name === 0 ? { ...one, isSidechain: true, agentId: 'a' } : one;
}

function piRow(id: string, parent: string | null, { what, name }: Choice): Row {
  const made = [
    () => user(`prompt ${id}`),
    () => assistant([text(`text ${id}`)]),
    () => assistant([call(`c${name}`), call(`c${id}`)]),
    () => assistant([call(`c${id}`)], { stopReason: 'aborted' }),
    () => result(`c${name}`),
    () => result(`c${id}`),
    () => ({ type: 'thinking_level_change', thinkingLevel: `level ${name}` }),
    () => ({ type: 'compaction', summary: `summary ${id}`, firstKeptEntryId: `e${name}` }),
    () => ({ type: 'branch_summary', summary: `branch ${id}` }),
    () => ({ type: 'label', targetId: 'x' }),
  ][what];
  return entry(id, parent, made?.() ?? {});
}

function rowsOf(make: typeof claudeRow, list: readonly Choice[]): Row[] {
  const ids: string[] = [];
  return list.map((choice) => {
    const id = `e${ids.length}`;
    const made = make(id, parentOf(ids, choice), choice);
    ids.push(id);
    return made;
  });
}

function checkSessions({ imported, of }: ImportedRows): void {
  const ends = imported.sessions.map((_, index) => of(index));
  for (const events of ends) {
    const state = fold(events);
    expect(state.history.batch).toBeUndefined();
    expect(state.turn).toBeUndefined();
    expect(Array.from({ length: state.problems.length }, (_, index) => state.problems.buffer[index])).toEqual([]);
    for (const { data } of pick(events, 'history.compacted')) expect(isClosedAt(events, data.range.to)).toBe(true);
    for (const { data } of pick(events, 'session.created')) {
      if (data.parent !== undefined) expect(isClosedAt(events, data.parent.position)).toBe(true);
    }
  }
  expect(ends.reduce((sum, events) => sum + own(events), 0)).toBe(imported.events);
}

function isClosedAt(events: readonly Recorded[], position: number): boolean {
  return fold(events.slice(0, position + 1)).history.batch === undefined;
}

function own(events: readonly Recorded[]): number {
  return events.length - events.findLastIndex((event) => event.kind === 'session.created');
}

// Returns the part of a row that must be found in the import: its text, or the id of the call that it makes or closes,
// or else the id of the row.
function traceOf(made: object): string {
  const json = JSON.stringify(made);
  const [, shown] = /"(?:text|content)":"((?:prompt|text|output of) \w+|summary)"/.exec(json) ?? [];
  const [, used] = /"tool_use","id":"(\w+)"/.exec(json) ?? [];
  const [, uuid] = /"uuid":"(\w+)"/.exec(json) ?? [];
  return shown ?? used ?? (json.includes('compact_boundary') ? '' : (uuid ?? ''));
}

describe('any transcript', () => {
  it('of Claude Code becomes closed histories, and a second import adds nothing', async () => {
    await fc.assert(
      fc.asyncProperty(choices, async (list) => {
        const rows = [prompt('start', null, 'go'), ...rowsOf(claudeRow, list)];
        const once = await importRows(rows);
        checkSessions(once);
        const texts = JSON.stringify(once.imported.sessions.map((_, index) => once.of(index)));
        for (const made of rows) if (typeof made === 'object') expect(texts).toContain(traceOf(made));
        const again = await importRows(rows, once.store);
        expect(again.imported).toEqual({ ...once.imported, added: 0 });
      }),
      { numRuns: 150 },
    );
  });

  it('of pi becomes closed histories, and no record is lost', async () => {
    await fc.assert(
      fc.asyncProperty(choices, async (list) => {
        const once = await importRows([header(3), ...rowsOf(piRow, list)]);
        checkSessions(once);
        const texts = JSON.stringify(once.imported.sessions.map((_, index) => once.of(index)));
        list.forEach(({ what }, index) => {
          if (what < 2) expect(texts).toContain(what === 0 ? `prompt e${index}` : `text e${index}`);
        });
      }),
      { numRuns: 150 },
    );
  });
});
