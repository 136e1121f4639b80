// Tests the slash commands in a terminal with a scripted model and a store on disk.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import type { SlashTerminal } from '../../../tests/slash-terminal.ts';
import { openSlashTerminal, sessionOf, terminalAfterTurn } from '../../../tests/slash-terminal.ts';
import { says } from '../../../tests/scripted-terminal.ts';
import { pretendRun } from '../../../tests/pretend-run.ts';

describe('a report', () => {
  test.each(['cost', 'cache', 'why', 'show', 'context', 'skills'])(
    '`/%s` prints what the command of that name prints for this session, and sends nothing',
    async (name) => {
      const terminal = await terminalAfterTurn();
      const before = await terminal.kinds();
      terminal.type(`/${name}`);
      const lines = await terminal.untilLines(new RegExp(`^/${name}\n.`, 'm'));
      const environment = { TIDEMARK_HOME: terminal.stage.home };
      const { out } = await pretendRun([name, sessionOf(terminal)], {
        environment,
        folder: terminal.stage.folder,
        colour: true,
      });
      const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');
      const output = lines.slice(lines.indexOf(`/${name}\n`) + name.length + 1);
      expect(words(output)).toEqual(words(out.replaceAll(/\u001b\[\d+m/g, '')));
      expect(await terminal.kinds()).toEqual(before);
      expect(terminal.requests()).toHaveLength(1);
    },
  );

  test('before the first prompt, a report of the session is refused with the next step', async () => {
    const terminal = await openSlashTerminal();
    terminal.type('/cost');
    expect(await terminal.untilLines(/next:/)).toMatch(
      /^\/cost\n[^]*the session has no records yet\nnext: send a prompt first/m,
    );
  });

  test('an output that is longer than the screen is shown in the viewer', async () => {
    const terminal = await openSlashTerminal({ rows: 12 });
    terminal.type('/models');
    expect(await terminal.viewed()).toMatch(/^\/models\n.*openrouter/s);
  });

  test('a wrong option is reported as by the command', async () => {
    const terminal = await terminalAfterTurn();
    terminal.type('/cost --wrong');
    expect(await terminal.untilLines(/error/)).toContain('there is no option --wrong');
  });

  test('reports work while a turn runs', async () => {
    const terminal = await terminalAfterTurn({ simulated: true });
    terminal.hold();
    terminal.type('again');
    await terminal.until(({ running }) => running);
    terminal.type('/grants');
    await terminal.untilLines(/^\/grants\n/m);
    terminal.release();
  });
});

describe('`/model`', () => {
  test('before the first prompt sets the model of the session', async () => {
    const terminal = await openSlashTerminal({ simulated: true });
    terminal.type('/model claude-opus-5-5');
    await terminal.untilLines(/claude-opus-5-5 is used/);
    terminal.type('hello');
    await terminal.until(({ conversation }) => conversation.blocks.from(0).some(({ kind }) => kind === 'answer'));
    expect(terminal.requests()[0]).toContain('"claude-opus-5-5"');
  });

  test('continues in a fork, and the first session keeps its model', async () => {
    const terminal = await terminalAfterTurn({ simulated: true });
    const first = sessionOf(terminal);
    terminal.type('/model opus');
    await terminal.until(({ session }) => session !== undefined && session !== first);
    expect(await terminal.untilLines(/continues in a fork/)).toContain(`Session ${first} keeps claude-sonnet-5-5`);
    terminal.type('again');
    await terminal.until(({ running }) => !running);
    await expect.poll(() => terminal.requests().at(-1)).toContain('"claude-opus-5-5"');
  });

  test('with `--in-place` shows the price before it switches', async () => {
    const terminal = await terminalAfterTurn({ simulated: true });
    const first = sessionOf(terminal);
    terminal.type('/model opus --in-place');
    const { panel } = await terminal.until((state) => state.panel?.kind === 'choice');
    // Enter alone cancels.
    expect(panel).toMatchObject({ selected: 2, options: [{}, {}, { label: 'cancel' }] });
    expect(await terminal.choose(/switch here/)).toMatch(
      /\nAt most [\d,]+ tokens are sent again without the cache\.\nThis costs at most \$[\d.]+ more than reading them\./,
    );
    await terminal.untilLines(/claude-opus-5-5 is used from the next prompt on/);
    expect(sessionOf(terminal)).toBe(first);
  });

  test('offers the models of the provider', async () => {
    const terminal = await terminalAfterTurn({ simulated: true });
    terminal.type('/model');
    await terminal.choose(/^claude-sonnet-5-5$/);
    await terminal.untilLines(/already uses claude-sonnet-5-5/);
  });

  test('refuses an unknown model with the nearest name', async () => {
    const terminal = await terminalAfterTurn({ simulated: true });
    terminal.type('/model claude-opus-9-x');
    expect(await terminal.untilLines(/error/)).toMatch(/claude-opus-9-x.*\nnext: /);
  });

  test('is completed with families and models', async () => {
    const terminal = await openSlashTerminal({ simulated: true });
    const completion = terminal.slash.completions().find(({ name }) => name === 'model');
    expect(await completion?.values?.()).toEqual(expect.arrayContaining(['opus', 'claude-sonnet-5-5']));
  });
});

describe('`/effort`', () => {
  test('sets the effort from the next request on', async () => {
    const terminal = await terminalAfterTurn({ simulated: true });
    terminal.type('/effort low');
    await terminal.untilLines(/The effort is low/);
    terminal.type('again');
    await expect.poll(() => terminal.requests().at(-1)).toContain('"low"');
  });

  test('asks first if the model loses its cache, and sets nothing after a no', async () => {
    const terminal = await openSlashTerminal({ simulated: true });
    terminal.type('/model claude-sonnet-4-6');
    await terminal.untilLines(/claude-sonnet-4-6 is used/);
    terminal.type('hello');
    await terminal.until(({ conversation }) => conversation.blocks.from(0).some(({ kind }) => kind === 'answer'));
    terminal.type('/effort low');
    const { panel } = await terminal.until((state) => state.panel?.kind === 'choice');
    // Enter alone cancels.
    expect(panel).toMatchObject({ selected: 1, options: [{}, { label: 'cancel' }] });
    expect(await terminal.choose(/cancel/)).toMatch(
      /loses its cache.*\nAt most [\d,]+ tokens .*\nThis costs at most \$/,
    );
    expect(await terminal.kinds()).not.toContain('reasoning.set');
  });

  test('asks nothing if the effort is the default of the provider, which keeps the cache', async () => {
    const terminal = await openSlashTerminal({ simulated: true });
    terminal.type('/model claude-sonnet-4-6');
    await terminal.untilLines(/claude-sonnet-4-6 is used/);
    terminal.type('hello');
    await terminal.until(({ conversation }) => conversation.blocks.from(0).some(({ kind }) => kind === 'answer'));
    await terminal.until(({ running }) => !running);
    terminal.type('/effort high');
    await terminal.untilLines(/The effort is high/);
  });

  test('refuses another value with the values of the model', async () => {
    const terminal = await openSlashTerminal({ simulated: true });
    terminal.type('/effort tiny');
    expect(await terminal.untilLines(/error/)).toContain('use low, medium, high, xhigh, max');
  });
});

describe('`/mode` and `/plan`', () => {
  test('set the mode', async () => {
    const terminal = await openSlashTerminal();
    terminal.type('/mode read-only');
    await terminal.until(({ mode }) => mode === 'read-only');
    terminal.type('/mode');
    await terminal.choose(/^auto$/);
    await terminal.until(({ mode }) => mode === 'auto');
    terminal.type('/mode everything');
    expect(await terminal.untilLines(/error/)).toContain('use read-only, ask, accept-edits, auto, plan');
  });

  test('`/plan` with a text sends it in plan mode, also if it looks like a command', async () => {
    const terminal = await openSlashTerminal();
    terminal.type('/plan !rm -rf src');
    await terminal.until(({ mode, session }) => mode === 'plan' && session !== undefined);
    await expect.poll(() => terminal.requests()[0]).toContain('!rm -rf src');
  });
});

describe('the session', () => {
  test('`/new` and `/clear` show a new session, and the old one is kept', async () => {
    const terminal = await terminalAfterTurn();
    const first = sessionOf(terminal);
    terminal.type('/clear');
    await terminal.until(({ session }) => session === undefined);
    expect(await terminal.untilLines(/new session/)).toContain(`/resume ${first}`);
    terminal.type(`/resume ${first}`);
    await terminal.until(({ session }) => session === first);
  });

  test('`/resume` offers the other sessions of the folder', async () => {
    const terminal = await terminalAfterTurn({ simulated: true });
    const first = sessionOf(terminal);
    terminal.type('/new');
    await terminal.until(({ session }) => session === undefined);
    terminal.type('/resume');
    await terminal.choose(/hello/);
    await terminal.until(({ session }) => session === first);
  });

  test('`/resume` finds a session by its title, and prints which one it is', async () => {
    const terminal = await terminalAfterTurn({ simulated: true });
    const first = sessionOf(terminal);
    terminal.type('/new');
    await terminal.until(({ session }) => session === undefined);
    terminal.type('/resume no such title');
    await terminal.untilLines(/no session has the id or the title "no such title"/);
    terminal.type('/resume HEL');
    await terminal.until(({ session }) => session === first);
    await terminal.untilLines(new RegExp(`session ${first}: hello`));
  });

  test('`/fork` shows a fork', async () => {
    const terminal = await terminalAfterTurn();
    const first = sessionOf(terminal);
    terminal.type('/fork another way');
    await terminal.until(({ session }) => session !== undefined && session !== first);
    expect(await terminal.untilLines(/a fork of/)).toContain(`a fork of ${first}`);
  });

  test('another session is not shown while a turn runs', async () => {
    const terminal = await terminalAfterTurn();
    terminal.hold();
    terminal.type('again');
    await terminal.until(({ running }) => running);
    for (const command of ['/new', '/fork', '/resume', '/model opus']) terminal.type(command);
    await expect
      .poll(() => terminal.untilLines(/error/).then((lines) => lines.match(/a turn is running/g)))
      .toHaveLength(4);
    terminal.release();
  });

  test('`/compact` shows the sizes first, and a refused compaction asks nothing', async () => {
    const terminal = await terminalAfterTurn();
    terminal.type('/compact');
    expect(await terminal.untilLines(/not compacted/)).toContain('the limit is');
    expect(await terminal.kinds()).not.toContain('history.compacted');
  });

  test('`/compact` compacts after a yes', async () => {
    const terminal = await terminalAfterTurn({ answers: [says('word '.repeat(20_000)), says('ok')] });
    terminal.type('next');
    await terminal.until(({ running }) => !running);
    terminal.type('/compact --tail-tokens 100');
    expect(await terminal.choose(/^compact$/)).toMatch(/^planned.*\nabout [\d,]+ tokens would become/);
    const lines = await terminal.untilLines(/its parts: /);
    expect(await terminal.kinds()).toContain('history.compacted');
    // The line of the record has the result and the sizes.
    expect(lines).not.toMatch(/compacted, |tokens become/);
    expect(lines).toMatch(/the next request costs \$/);
  });
});

describe('`/copy`', () => {
  const answer = 'Run it:\n\n```sh\nnpm test\u001b[2J\n```\n';

  function copied({ sequences }: SlashTerminal): string {
    const [, base64 = ''] = /^\u001b\]52;c;(.*)\u0007/.exec(sequences.at(-1) ?? '') ?? [];
    return Buffer.from(base64, 'base64').toString('utf8');
  }

  test('copies the last answer or its last code block, without control characters', async () => {
    const terminal = await terminalAfterTurn({ answers: [says(answer)] });
    terminal.type('/copy');
    await terminal.untilLines(/Copied/);
    expect(copied(terminal)).toBe('Run it:\n\n```sh\nnpm test\n```');
    terminal.type('/copy code');
    await expect.poll(() => terminal.sequences.length).toBe(2);
    expect(copied(terminal)).toBe('npm test');
  });

  test('refuses an answer without code, and a text that a terminal does not accept', async () => {
    const terminal = await terminalAfterTurn({ answers: [says('x'.repeat(80_000))] });
    terminal.type('/copy code');
    await terminal.untilLines(/no code block/);
    terminal.type('/copy');
    expect(await terminal.untilLines(/accepts at most/)).toContain('80,000 bytes');
    expect(terminal.sequences).toEqual([]);
  });
});

test('`/export` writes the session to a new file of the folder, and never over another one', async () => {
  const terminal = await terminalAfterTurn();
  terminal.type('/export talk.md');
  await terminal.untilLines(/Wrote/);
  expect(readFileSync(join(terminal.stage.folder, 'talk.md'), 'utf8')).toMatch(/## Prompt\n\nhello/);
  terminal.type('/export talk.md');
  expect(await terminal.untilLines(/error/)).toContain('talk.md exists already');
  terminal.type('/export no/folder/talk.md');
  const lines = await terminal.untilLines(/does not exist/);
  expect(lines).toMatch(
    /error: the folder .*no\/folder does not exist\nnext: create it, or name a file in another folder/,
  );
  expect(lines).not.toContain('ENOENT');
  terminal.type('/export --format json');
  await expect.poll(() => existsSync(join(terminal.stage.folder, `session-${sessionOf(terminal)}.jsonl`))).toBe(true);
});

test('`/memory edit` opens a memory file in the editor, and reports an editor that fails', async () => {
  const terminal = await openSlashTerminal();
  const runPanel = async (): Promise<void> => {
    const { panel } = await terminal.until((state) => state.panel?.kind === 'program');
    if (panel?.kind === 'program') await panel.run().catch(terminal.controller.report).finally(panel.close);
  };
  terminal.type('/memory edit');
  await runPanel();
  await terminal.untilLines(/sees a change of .*MEMORY\.md/);
  terminal.type('/memory edit user');
  await runPanel();
  const lines = await terminal.untilLines(/next: set VISUAL/);
  expect(lines).toContain('the editor `vi` was not found');
  expect(lines).not.toContain('USER.md');
  expect(terminal.edited.map((path) => path.slice(terminal.stage.folder.length))).toEqual([
    '/.tidemark/MEMORY.md',
    '/.tidemark/USER.md',
  ]);
});

test('`/theme` sets the colours, and refuses another name', async () => {
  const terminal = await openSlashTerminal();
  terminal.type('/theme light');
  await terminal.until((state) => state.theme === 'light');
  terminal.type('/theme');
  await terminal.choose(/^none$/);
  await terminal.until((state) => state.theme === 'none');
  terminal.type('/theme pink');
  expect(await terminal.untilLines(/error/)).toContain('use dark, light or none');
});

test('`/quit` leaves the terminal', async () => {
  const terminal = await openSlashTerminal();
  terminal.type('/quit');
  await terminal.controller.left;
});

describe('an unknown command', () => {
  test('is never sent to the model: it is reported with the nearest name, and the editor stays empty', async () => {
    const terminal = await openSlashTerminal();
    terminal.type('/cots now');
    expect(await terminal.untilLines(/next:/)).toMatch(/there is no command \/cots\nnext: did you mean \/cost\?/);
    // In the editor it would be joined with the next text.
    expect(terminal.controller.state.get().refill).toBeUndefined();
    expect(terminal.requests()).toEqual([]);
  });
});
