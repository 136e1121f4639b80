import { describe, expect, it } from 'vitest';
import { readRecords } from './read-records.ts';

const record = (name: string): string =>
  JSON.stringify({ type: name, timestamp: 't', message: { content: [{ type: 'text', text: '}{"type":' }] } });

describe('the records of a line', () => {
  it('are one for a valid line, and zero for a blank line', () => {
    expect(readRecords(record('a'))).toEqual({
      records: [{ value: JSON.parse(record('a')), text: record('a') }],
      problems: [],
    });
    expect(readRecords(' \t')).toEqual({ records: [], problems: [] });
  });

  it('include each record on a line without newlines between them, with the text of each', () => {
    const { records, problems } = readRecords(`${record('a')} ${record('b')}${record('c')}`);
    expect(records.map(({ text }) => text)).toEqual([record('a'), record('b'), record('c')]);
    expect(problems).toEqual(['3 records without a newline between them']);
  });

  it('include the whole record after a torn one, for any length of the torn one', () => {
    for (let cut = 1; cut < record('a').length; cut += 1) {
      const { records, problems } = readRecords(record('a').slice(0, cut) + record('b'));
      expect(records.map(({ text }) => text)).toContain(record('b'));
      expect(problems).toHaveLength(1);
    }
  });

  it('never include an inner object of a torn record', () => {
    for (let cut = 1; cut < record('a').length; cut += 1)
      expect(readRecords(record('a').slice(0, cut)).records).toEqual([]);
  });

  it('are found between null bytes', () => {
    const { records, problems } = readRecords(`\0\0${record('a')}\0${record('b')}`);
    expect(records.map(({ text }) => text)).toEqual([record('a'), record('b')]);
    expect(problems).toEqual(['3 null bytes']);
  });
});
