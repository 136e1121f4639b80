import { describe, expect, it } from 'vitest';
import { readRecords } from './read-records.ts';

const record = (name: string): string =>
  JSON.stringify({ type: name, timestamp: 't', message: { content: [{ type: 'text', text: '}{"type":' }] } });

describe('the records of a line', () => {
  it('are one for a sound line and none for a blank one', () => {
    expect(readRecords(record('a'))).toEqual({
      records: [{ value: JSON.parse(record('a')), text: record('a') }],
      problems: [],
    });
    expect(readRecords(' \t')).toEqual({ records: [], problems: [] });
  });

  it('are each of those that stand on it without a newline, with the text of each', () => {
    const { records, problems } = readRecords(`${record('a')} ${record('b')}${record('c')}`);
    expect(records.map(({ text }) => text)).toEqual([record('a'), record('b'), record('c')]);
    expect(problems).toEqual(['3 records without a newline between them']);
  });

  it('are the whole one behind a torn one, wherever that was cut', () => {
    for (let cut = 1; cut < record('a').length; cut += 1) {
      const { records, problems } = readRecords(record('a').slice(0, cut) + record('b'));
      expect(records.map(({ text }) => text)).toContain(record('b'));
      expect(problems).toHaveLength(1);
    }
  });

  it('are never the inner object of a torn one', () => {
    for (let cut = 1; cut < record('a').length; cut += 1)
      expect(readRecords(record('a').slice(0, cut)).records).toEqual([]);
  });

  it('stand among null bytes as they stood before', () => {
    const { records, problems } = readRecords(`\0\0${record('a')}\0${record('b')}`);
    expect(records.map(({ text }) => text)).toEqual([record('a'), record('b')]);
    expect(problems).toEqual(['3 null bytes']);
  });
});
