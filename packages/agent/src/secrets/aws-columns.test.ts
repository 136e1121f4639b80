// Tests for AWS secret keys in lines with unnamed columns: the output of `aws --output text` and the CSV file of the
// AWS console.

import { describe, expect, test } from 'vitest';
import { noise } from '../../contract/secret-samples.ts';
import { createSecrets } from '../secrets/create-secrets.ts';
import { findOwn } from '../secrets/find-shapes.ts';

const { mask } = createSecrets({ values: [] });
const idOf = (kind: string): string => kind + '0A1B2C3D4E5F6G7H';
const ID = idOf(['AK', 'IA'].join(''));
const TEMPORARY = idOf(['AS', 'IA'].join(''));
const SECRET = `${noise(18, 3)}/${noise(10, 4)}+${noise(10, 5)}`;
const DATE = '2026-11-22T10:00:00+00:00';
const SESSION = `${noise(300, 6)}==`;

const LINES: readonly (readonly [string, string, string])[] = [
  ['a new key', `ACCESSKEY\t${ID}\t${DATE}\t${SECRET}\tActive\tmartha\n`, `\t${DATE}\t[secret:aws-secret]\tActive`],
  ['two columns of a query', `${ID}\t${SECRET}\n`, '[secret:aws]\t[secret:aws-secret]\n'],
  ['a CSV', `Access key ID,Secret access key\r\n${ID},${SECRET}\r\n`, '[secret:aws],[secret:aws-secret]\r\n'],
  ['a CSV in quotes', `"martha","${ID}","${SECRET}","x"\n`, '"[secret:aws]","[secret:aws-secret]","x"\n'],
  ['a CSV with semicolons', `${ID};${SECRET}`, '[secret:aws];[secret:aws-secret]'],
  ['a row of a table', `| ${ID} | ${SECRET} |`, '| [secret:aws] | [secret:aws-secret] |'],
  [
    'temporary credentials',
    `CREDENTIALS\t${TEMPORARY}\t${DATE}\t${SECRET}\t${SESSION}\n`,
    `\t${DATE}\t[secret:aws-secret]\t[secret:aws-session]\n`,
  ],
];

describe('an AWS secret key in a column after its key id', () => {
  test.each(LINES)('is masked, and the other columns stay unchanged: %s', async (_, line, shown) => {
    expect(await mask(line)).toContain(shown);
    expect(await mask(await mask(line))).toBe(await mask(line));
  });

  test.each(LINES)(
    'is masked inside a JSON string and inside a JSON string nested in another one: %s',
    async (_, line, shown) => {
      const once = (text: string): string => JSON.stringify({ a: text });
      expect(await mask(once(line))).toContain(JSON.stringify(shown).slice(1, -1));
      expect(await mask(once(once(line)))).not.toContain(SECRET.slice(0, 12));
    },
  );

  test.each([
    `${ID}\t${'0a1b2c3d'.repeat(5)}\n`,
    `${ID}, see /home/martha/projects/of-the-company/and/one/more\n`,
    `${ID}\n${SECRET}\n`,
    `| SecretAccessKey | string |\n`,
    `| SessionToken | ${'the token of a session '.repeat(6)}|`,
  ])('is not found in other text after a key id: %s', async (text) => {
    expect(findOwn(text).filter(({ name }) => name !== 'aws')).toEqual([]);
  });
});
