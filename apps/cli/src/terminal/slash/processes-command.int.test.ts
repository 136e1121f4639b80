// Tests `/processes` and the status line in a terminal whose model starts real background processes.

import { callId } from '@tidemark/log';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { sandboxState } from '@tidemark/kit';
import { expect, test } from 'vitest';

import { openSlashTerminal } from '../../../tests/slash-terminal.ts';
import type { SlashTerminal } from '../../../tests/slash-terminal.ts';
import { says } from '../../../tests/scripted-terminal.ts';

const works = sandboxState('/') === 'works';
if (!works) console.warn('skipped: /processes, because commands are asked about without bubblewrap');

function starts(id: string, command: string): ScriptedAnswer {
  const text = JSON.stringify({ command, background: true });
  return { parts: [{ type: 'call', call: callId(id), name: 'bash', arguments: text }] };
}

/** Opens a terminal whose model has started two processes: one that waits for input, and one that has ended. */
async function terminalWithProcesses(): Promise<SlashTerminal> {
  const terminal = await openSlashTerminal({
    answers: [
      starts('c1', "printf 'ready\\nwaiting'; read -r line"),
      starts('c2', 'exit 3'),
      says('Both were started.'),
    ],
  });
  terminal.type('start them');
  await terminal.until(({ running, session }) => !running && session !== undefined);
  await terminal.untilPrinted('Both were started.');
  return terminal;
}

test.skipIf(!works)('`/processes` lists the processes, shows the output of one, and stops one', async () => {
  const terminal = await terminalWithProcesses();
  expect(terminal.controller.state.get().status.processes).toBe(1);
  terminal.type('/processes');
  const listed = await terminal.untilLines(/^\/processes\n/m);
  expect(listed).toMatch(
    /^p1 {2}runs, 13 bytes of output\n {2}printf [^\n]+\np2 {2}has ended: exit 3, 0 bytes of output\n {2}exit 3$/m,
  );
  terminal.type('/processes p1');
  expect(await terminal.viewed()).toMatch(/^p1 printf [^\n]*\nready\nwaiting$/);
  terminal.type('/processes stop p1');
  expect(await terminal.untilLines(/^p1 has ended: SIGTERM\.$/m)).toContain(
    'background process p1 has ended: SIGTERM, stopped by the user',
  );
  expect(terminal.controller.state.get().status.processes).toBe(0);
  terminal.type('/processes stop p2');
  await terminal.untilLines(/^p2 had already ended\.$/m);
});

test.skipIf(!works)('an unknown process and a wrong command are refused with the next step', async () => {
  const terminal = await openSlashTerminal();
  terminal.type('/processes');
  await terminal.untilLines(/This session has no background processes\./);
  terminal.type('/processes p9');
  await terminal.untilLines(/this session has no process p9\nnext: `\/processes` lists them/);
  terminal.type('/processes stop');
  await terminal.untilLines(/takes one process\nnext: write `\/processes p1`/);
});
