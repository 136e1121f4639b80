// Tests that no pattern of `grep` tells anything about a secret: the results are the same for different secrets.

import { createSecrets } from '@tidemark/agent';
import { describe, expect, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { createGrepTool } from './grep-tool.ts';

const SECRETS = ['tok-abcdef0123456789', 'zok_ABCDEF9876543210', 'tEND KEY 0123456789abc', '0123456789abcdefghij!'];

/** Returns the masked result of a search in a file with a secret, and in other files. */
async function resultWith(secret: string, input: object): Promise<string> {
  const { put, call, confinement } = await openBench();
  await put('a.txt', `before\nKEY=${secret} END\nafter KEY\n\n${'x'.repeat(500)} KEY=${secret} END\n`);
  await put('b.txt', `KEY=${secret}\nplain KEY= END\n`);
  await put('c.txt', 'nothing\n');
  const { mask } = createSecrets({ values: [{ name: 'KEY', value: secret }] });
  const { text } = await call(createGrepTool(confinement), input, { mask });
  return mask(text);
}

describe('`grep` in files with a secret', () => {
  test.each([
    'KEY=t',
    'KEY=[^t]',
    '^KEY=t.*',
    'KEY=t.*|END',
    'KEY=tok-a',
    'tok-abcdef0123456789',
    'KEY=(?=t)',
    'KEY=(?!t)',
    '(?<=t)ok',
    String.raw`KEY=\b`,
    String.raw`KEY=\B`,
    'KEY=$',
    'KEY=.{20} END',
    'KEY=(?>[a-z]+)-',
    '(?i)key=z|END',
    '[0-9]{5}',
    String.raw`^\S+$`,
    'KEY',
    'END',
  ])('the result for %s does not depend on the secret', async (pattern) => {
    for (const more of [{}, { output: 'files' }, { output: 'counts' }, { context: 1 }]) {
      const results = await Promise.all(SECRETS.map((secret) => resultWith(secret, { pattern, ...more })));
      expect(new Set(results).size, `${JSON.stringify(more)}\n${results.join('\n\n')}`).toBe(1);
    }
  });

  test('lines are found by the text next to a secret, and shown with the secret masked', async () => {
    const result = await resultWith('tok-abcdef0123456789', { pattern: 'KEY\\b|END$' });
    expect(result).toContain('[5 lines in 2 files]');
    expect(result).toContain('2:KEY=[secret:KEY] END');
    expect(result).toContain('3:after KEY');
    expect(result).toMatch(/5:…x+ KEY=\[secret:KEY\] END/);
    expect(result).toContain('1:KEY=[secret:KEY]\n2:plain KEY= END');
  });

  test('a line that is found only by its secret is left out, with the lines around it', async () => {
    const result = await resultWith('tok-abcdef0123456789', { pattern: 'tok-|plain', context: 1 });
    expect(result).toContain('[1 line in 1 file]');
    expect(result).not.toContain('before');
  });
});
