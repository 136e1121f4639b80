// Tests slash commands with wrong arguments: each is reported with what is wrong, and nothing is sent.

import { expect, test } from 'vitest';

import { openSlashTerminal } from '../../../tests/slash-terminal.ts';

test.each([
  ['/help extra', '`/help` does not accept "extra"'],
  ['/quit now', '`/quit` does not accept "now"'],
  ['/new session', '`/new` does not accept "session"'],
  ['/mode ask auto', '`/mode` does not accept "auto"'],
  ['/effort low high', '`/effort` does not accept "high"'],
  ['/theme light dark', '`/theme` does not accept "dark"'],
  ['/copy code 2', '`/copy` does not accept "2"'],
  ['/memory edit other', '`/memory` does not accept "other"'],
  ['/compact now', '`/compact` does not accept "now"'],
  ['/compact --tail-tokens -5', '`--tail-tokens` needs a whole number of tokens'],
  ['/compact --tail-tokens', 'the option --tail-tokens needs a value'],
  ['/compact --tail-tokens --other', 'the option --tail-tokens needs a value'],
  ['/fork --at -1', '"-1" is not the position of a record'],
  ['/fork --at x', '"x" is not the position of a record'],
  ['/fork --wrong', "Unknown option '--wrong'"],
  ['/export --format pdf', 'there is no format "pdf"'],
  ['/cost --wrong', 'there is no option --wrong'],
  ['/cache --by weather', '--by does not accept "weather"'],
  ['/why x', '"x" is not a step number'],
  ['/show 1 2 3', 'too many arguments'],
  ['/skills --since never', '"never" is not a day or a time'],
])('`%s` before the first prompt reports the wrong argument', async (line, message) => {
  const terminal = await openSlashTerminal();
  terminal.type(line);
  const lines = await terminal.untilLines(/next:/);
  expect(lines).toContain(`error: ${message}`);
  expect(lines).not.toContain('no records yet');
  expect(terminal.controller.state.get().refill).toBeUndefined();
  expect(terminal.requests()).toEqual([]);
});

test.each(['/cost', '/why 3', '/fork --at 3', '/export talk.md', '/continue'])(
  '`%s` before the first prompt reports that there are no records',
  async (line) => {
    const terminal = await openSlashTerminal();
    terminal.type(line);
    expect(await terminal.untilLines(/next:/)).toContain('the session has no records yet');
  },
);

test('`/continue` while a turn runs is refused', async () => {
  const terminal = await openSlashTerminal();
  terminal.hold();
  terminal.type('hello');
  await terminal.until(({ running, session }) => running && session !== undefined);
  terminal.type('/continue');
  await terminal.untilLines(/a turn is running\nnext: press Esc/);
  terminal.release();
});

test('a step that does not exist has no hint about imported sessions', async () => {
  const terminal = await openSlashTerminal();
  terminal.type('hello');
  await terminal.until(({ running, session }) => !running && session !== undefined);
  for (const line of ['/show 99', '/why 99', '/context nosuch']) {
    terminal.type(line);
    await terminal.untilLines(new RegExp(`${line}\n[^]*next:`));
  }
  const lines = await terminal.untilLines(/nosuch/);
  expect(lines).toMatch(/has no request for step 99\nnext: `tidemark show <session>` lists the steps\n/);
  expect(lines).not.toContain('imported');
  expect(lines).toContain('no session has the id or the title "nosuch"');
  expect(lines).not.toContain('ndjson');
});
