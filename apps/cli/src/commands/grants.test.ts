import { keepGrant } from '@tidemark/settings';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { openStage } from '../../tests/scenario.ts';

const AT = '2026-11-22T10:00:00.000Z';

let stage: Stage;

beforeEach(async () => {
  stage = openStage();
  await keepGrant(stage.home, stage.folder, { grant: { tool: 'bash', patterns: ['npm test *'] }, at: AT });
  await keepGrant(stage.home, stage.folder, { grant: { tool: 'edit', folders: ['src'] }, at: AT });
});

afterEach(() => stage.clear());

function tidemark(...args: readonly string[]): Promise<Ran> {
  return pretendRun(args, { folder: stage.folder, environment: { TIDEMARK_HOME: stage.home } });
}

describe('`tidemark grants`', () => {
  test('lists each grant with its number, time and coverage', async () => {
    expect((await tidemark('grants')).out).toBe(
      `number\tgranted\tgrant\tcovers\n1\t${AT}\tbash "npm test *"\tbash runs every command that matches \`npm test *\`, with any text for *\n` +
        `2\t${AT}\tedit "src/"\tevery call of edit below src/, with any content\n`,
    );
    const { out } = await tidemark('grants', '--json');
    expect(JSON.parse(out)).toMatchObject({ grants: [{ grant: { tool: 'bash' } }, { grant: { tool: 'edit' } }] });
  });

  test('revokes one grant by its number, or all of them', async () => {
    expect((await tidemark('grants', '--revoke', '2')).out).toBe('revoked: edit "src/"\n');
    expect((await tidemark('grants', '--all', '.')).out).toBe('revoked: bash "npm test *"\n');
    expect((await tidemark('grants')).out).toMatch(/ has no grants\n$/);
    expect(await tidemark('grants', '--all')).toMatchObject({ exit: 0, out: expect.stringContaining('has no grants') });
  });

  test.each([
    [['--revoke', '3'], 3],
    [['--revoke', '0'], 2],
    [['--revoke', 'x'], 2],
    [['--revoke', '1', '--all'], 2],
  ])('refuses %j and revokes nothing', async (flags, exit) => {
    expect(await tidemark('grants', ...flags)).toMatchObject({ exit, out: '' });
    expect((await tidemark('grants')).out.split('\n')).toHaveLength(4);
  });
});
