import { describe, expect, it } from 'vitest';
import { readRecords } from './read-records.ts';

const record = (name: string): string =>
  JSON.stringify({ type: name, timestamp: 't', message: { content: [{ type: 'text', text: '}{"type":' }] } });

describe('the records of a line', () => {
  it('are one record for a valid line, and no record for a blank line', () => {
    expect(readRecords(record('a'))).toEqual({
      records: [{ value: JSON.parse(record('a')), text: record('a') }],
      problems: [],
    });
    expect(readRecords(' \t')).toEqual({ records: [], problems: [] });
  });

  it('include each of several records without newlines between them, with the text of each record', () => {
    const { records, problems } = readRecords(`${record('a')} ${record('b')}${record('c')}`);
    expect(records.map(({ text }) => text)).toEqual([record('a'), record('b'), record('c')]);
    expect(problems).toEqual(['3 records without a newline between them']);
  });

  it('include a whole record after a torn record, for any length of the torn record', () => {
    for (let cut = 1; cut < record('a').length; cut += 1) {
      const { records, problems } = readRecords(record('a').slice(0, cut) + record('b'));
      expect(records.map(({ text }) => text)).toContain(record('b'));
      expect(problems).toHaveLength(1);
    }
  });

  it('never include an object from inside a torn record', () => {
    for (let cut = 1; cut < record('a').length; cut += 1)
      expect(readRecords(record('a').slice(0, cut)).records).toEqual([]);
  });

  it('include valid records between null bytes', () => {
    const { records, problems } = readRecords(`\0\0${record('a')}\0${record('b')}`);
    expect(records.map(({ text }) => text)).toEqual([record('a'), record('b')]);
    expect(problems).toEqual(['3 null bytes']);
  });
});
