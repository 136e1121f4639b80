import { describe, expect, it } from 'vitest';
import { virtualTime } from '../../contract/virtual-time.ts';
import { NO_SECRETS } from '../ports/secrets.ts';
import { createSecrets } from '../secrets/create-secrets.ts';
import { LIVE_PAUSE, LONGEST_WAITING, joinPieces, openLiveOutput } from './live-output.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function open(): {
  readonly sent: readonly string[];
  readonly output: ReturnType<typeof openLiveOutput>;
  readonly pass: () => Promise<void>;
  readonly waiting: () => number;
} {
  const time = virtualTime();
  const secrets = createSecrets({ values: [{ name: 'A_TOKEN', value: 'correct-horse-battery' }] });
  const sent: string[] = [];
  const output = openLiveOutput({ secrets, surroundings: time.surroundings, send: (text) => void sent.push(text) });
  const pass = async (): Promise<void> => {
    time.pass(LIVE_PAUSE);
    await settle();
  };
  return { sent, output, pass, waiting: () => time.waiting };
}

describe('a live output', () => {
  it('joins what is written within 100 ms into one piece', async () => {
    const { sent, output, pass } = open();
    for (const line of ['one\n', 'two\n', 'three\n']) output.write(line);
    await settle();
    expect(sent).toEqual([]);
    await pass();
    output.write('four\n');
    await pass();
    expect(sent).toEqual(['one\ntwo\nthree\n', 'four\n']);
  });

  it('keeps a character whole whose bytes come in two chunks', async () => {
    const { sent, output, pass } = open();
    const bytes = Buffer.from('grün\n');
    output.write(bytes.subarray(0, 3));
    output.write(bytes.subarray(3));
    await pass();
    expect(sent).toEqual(['grün\n']);
  });

  it('masks a secret whose chunks come in two pieces', async () => {
    const { sent, output, pass } = open();
    output.write('x\nit is correct-');
    await pass();
    output.write('horse-battery\n');
    await pass();
    expect(sent).toEqual(['x\nit is ', '[secret:A_TOKEN]\n']);
  });

  it('sends nothing after the end of the call, and leaves no timer', async () => {
    const { sent, output, pass, waiting } = open();
    output.write('late\n');
    output.close();
    await settle();
    expect(waiting()).toBe(0);
    output.write('later\n');
    await pass();
    expect(sent).toEqual([]);
  });

  it('leaves no timer when nothing more is written', async () => {
    const { output, pass, waiting } = open();
    output.write('one\n');
    await pass();
    expect(waiting()).toBe(0);
  });

  it('reports how much is not shown of an output that is too fast', async () => {
    const { sent, output, pass } = open();
    for (let count = 0; count < 1_000; count += 1) output.write(`${'x'.repeat(999)}\n`);
    await pass();
    const [, omitted] = /^\[tidemark: (\d+) characters are not shown here\]\nx/.exec(sent[0] ?? '') ?? [];
    expect(Number(omitted)).toBeGreaterThan(980_000);
    expect(sent[0]?.length).toBeLessThan(17_000);
  });

  it('is limited too if nothing is masked', async () => {
    const mask = NO_SECRETS.openLive();
    for (let count = 0; count < 1_000; count += 1) mask.push(`${'x'.repeat(999)}\n`);
    const { text, omitted } = await mask.take();
    expect(text.length).toBeLessThanOrEqual(32_768);
    expect(text.length + omitted).toBe(1_000_000);
  });
});

describe('pieces that wait for a slow presenter', () => {
  it('are joined without a limit only up to 65,536 characters', () => {
    expect(joinPieces('a\n', 'b\n')).toBe('a\nb\n');
    const lines = Array.from({ length: 10_000 }, (_, index) => `line ${index}\n`);
    let joined = '';
    for (const line of lines) joined = joinPieces(joined, line);
    expect(joined.length).toBeLessThanOrEqual(LONGEST_WAITING);
    expect(joined.startsWith('line 0\nline 1\n')).toBe(true);
    expect(joined.endsWith('line 9998\nline 9999\n')).toBe(true);
    expect(joined.match(/^\[tidemark: output is not shown here\]$/gm)).toHaveLength(1);
  });

  it('stay limited if they contain no line end', () => {
    let joined = '';
    for (let count = 0; count < 100; count += 1) joined = joinPieces(joined, 'y'.repeat(9_000));
    expect(joined.length).toBeLessThanOrEqual(LONGEST_WAITING);
  });
});
