import { timestamp } from '@tidemark/log';
import { describe, expect, test } from 'vitest';
import { told, view } from '../../tests/source-view.ts';
import { environmentSource } from './environment.ts';

const MACHINE = { platform: 'Linux x64', shell: 'bash' };

describe('`environmentSource`', () => {
  test('renders the date with its weekday, the platform and the shell', async () => {
    expect(await told(environmentSource({ ...MACHINE, timeZone: 'UTC' }), view('/w'))).toEqual([
      '2026-11-20 UTC Linux x64 bash',
      'Date: 2026-11-20, Friday (UTC)\nPlatform: "Linux x64"\nShell: "bash"',
    ]);
  });

  test('has the same revision all day, and another one on the next day', () => {
    const source = environmentSource({ ...MACHINE, timeZone: 'UTC' });
    const at = (now: string): unknown => source.revision(view('/w', { now: timestamp(now) }));
    expect(at('2026-11-20T23:59:59.999Z')).toBe(at('2026-11-20T00:00:00.000Z'));
    expect(at('2026-11-21T00:00:00.000Z')).not.toBe(at('2026-11-20T23:59:59.999Z'));
  });

  test('uses the date of its time zone', async () => {
    const [, words] = await told(environmentSource({ ...MACHINE, timeZone: 'Pacific/Auckland' }), view('/w'));
    expect(words).toContain('Date: 2026-11-21, Saturday (Pacific/Auckland)');
  });

  test('detects time zone, platform and shell by default', async () => {
    const [, words] = await told(environmentSource(), view('/w'));
    expect(words).toMatch(/^Date: \d{4}-\d\d-\d\d, \w+day \(.+\)\nPlatform: "\w+ \w+"\nShell: "(bash|sh)"$/);
  });
});
