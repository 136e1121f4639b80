// Makes texts that look like those that agents read. The texts are the same in every run.

const LINES = [
  '  const total = lines.reduce((sum, line) => sum + line.amount * (1 + line.rate), 0);',
  '2026-11-20T09:30:00.412Z INFO  worker=3 queue=mail took 41 ms, 0 left',
  'The rate is looked up by country, then rounded half up to two digits, then summed.',
  '{"id":"8f14e45f","name":"standard","rate":0.19,"from":"2024-01-01","tags":["vat","de"]}',
  '-rw-r--r-- 1 dev dev   4820 Nov 20 09:12 src/tax/rates.ts',
  '    at Object.round (src/tax/round.ts:18:11)',
  'diff --git a/src/tax/round.ts b/src/tax/round.ts',
  '✓ rounds half up (3 ms)',
];

/** Returns a text with this number of bytes. Different values of `number` give different texts. */
export function madeText(bytes: number, number: number): string {
  const parts: string[] = [`${number}:`];
  let left = bytes - (parts[0]?.length ?? 0);
  for (let index = number; left > 0; index += 1) {
    const line = `\n${index} ${LINES[index % LINES.length] ?? ''}`.slice(0, left);
    parts.push(line);
    left -= Buffer.byteLength(line);
  }
  return parts.join('');
}

/** Creates a generator of numbers from 0 (included) to 1 (excluded), the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
