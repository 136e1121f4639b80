import { describe, expect, it } from 'vitest';
import { findOwn } from '../secrets/find-shapes.ts';

describe('`findOwn`', () => {
  const kib = (unit: string, size: number): string =>
    unit.repeat(Math.ceil((size * 1_024) / unit.length)).slice(0, size * 1_024);
  /** Returns the processor time of `times` searches in the text, in microseconds. */
  const cost = (text: string, times: number): number => {
    const before = process.threadCpuUsage();
    for (let time = 0; time < times; time += 1) findOwn(text);
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  };
  /**
   * Smallest time that is compared, in microseconds. The processor clock has a resolution of milliseconds, so shorter
   * times are not reliable.
   */
  const TICKS = 12_000;
  /**
   * Maximum ratio of two times: the time for one long text, and the time for 16 short texts. The long text and all
   * short texts together have the same number of characters. The ratio is about 1 if the time is linear, and 16 if it
   * is quadratic.
   */
  const LIMIT = 8;

  it.each([
    'sk-ant-api03-',
    'sk-',
    'ghs_1_eyJ',
    'github_pat_',
    'glpat-',
    'xoxb-',
    'sk_live_',
    'npm_',
    'AKIA',
    'eyJ',
    `${['AK', 'IA'].join('')}0123456789ABCDEF\t`,
    `${['AK', 'IA'].join('')}0123456789ABCDEF\t${'a,'.repeat(50)}`,
    'SecretAccessKey |',
    ' eyJ.',
    '_eyJ',
    '%41eyJ',
    '%41AKIA',
    `.eyJ${'a'.repeat(20)}`,
    '-----BEGIN PRIVATE KEY-----',
    `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(3_000)}`,
    `-----BEGIN PRIVATE KEY-----${String.raw`\n`}`,
    `-----BEGIN PRIVATE KEY-----${String.raw`\",`.repeat(1_000)}`,
    `-----BEGIN PRIVATE KEY-----${String.raw`\" `.repeat(1_000)}`,
    `-----BEGIN PRIVATE KEY-----\n1:`,
    `-----BEGIN PRIVATE KEY-----${'"\n'.repeat(500)}`,
    `-----BEGIN PRIVATE KEY-----${'a-'.repeat(500)}`,
    `curl -u 'a:${String.raw`\" `.repeat(100)}`,
    '://a:',
    'redis://a:b',
    'redis://a:b@',
    '://a:x@/',
    'Bearer ',
    'Basic ',
    'Authorization: ',
    'Authorization: Bearer ',
    'curl -u a:',
    "curl -u 'a:",
    'token=',
    "token='",
    'token="',
    String.raw`token=\"`,
    String.raw`token="\"`,
    'token:token',
    'a_key: ',
    'api key',
    'password-',
    'password: words ',
    '--token ',
    'token: A',
    'a-token.',
    'DB_PASSWORD=a(',
    'DB_PASSWORD=`',
    'DB_PASSWORD=a[b](',
    '\npassword: a(',
    '\npassword: a||b',
    'password: a<b>',
    '&quot;token&quot;=&quot;',
    '\u001b[33m',
    'a\u001b[33m',
    'mysql -u a ',
    'docker login -u a ',
    'name: DB_PASSWORD\n',
    'machine a login b ',
    'ENV DB_PASSWORD ',
    '\u001b[33mtoken\u001b[0m: ',
    '\\',
    '"',
  ])('takes time in proportion to the length of the text: %s', (unit) => {
    // Only the lowest time of up to three runs is used, because other processes can slow down a run. The long text is
    // searched first. The time of the compiler is therefore never counted only for the short texts.
    let atOnce = Infinity;
    let inParts = Infinity;
    const ratio = (): number => atOnce / Math.max(inParts, TICKS);
    for (let run = 0; run < 3; run += 1) {
      atOnce = Math.min(atOnce, cost(kib(unit, 256), 1));
      inParts = Math.min(inParts, cost(kib(unit, 16), 16));
      if (ratio() < LIMIT) break;
    }
    expect(ratio()).toBeLessThan(LIMIT);
  });
});
