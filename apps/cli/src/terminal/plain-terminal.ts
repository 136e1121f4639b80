// Interactive session without a screen: lines are appended and never redrawn. It is for screen readers and for
// terminals that cannot move the cursor.

import type { CommandContext } from '../frame/command.ts';
import { askPerson } from '../present/ask-person.ts';
import type { OwnedController } from './control/create-controller.ts';
import { KEYS_ELSEWHERE, OPEN_ELSEWHERE, pressElsewhere } from './control/open-elsewhere.ts';
import { blockLines } from './drawing/block-lines.ts';
import { rowsOf } from './drawing/rows.ts';
import type { PrintedBlock, PrintedPrompt } from './state/blocks.ts';
import type { ChoicePanel, Panel, ViewerPanel } from './state/terminal-state.ts';

/** Streams of the plain terminal. */
export type PlainStreams = Pick<CommandContext, 'input' | 'output' | 'signal'>;

/**
 * Reads prompts line by line and prints each part of the conversation when it is complete, until the user leaves. Ctrl-C
 * interrupts the running turn and ends the terminal.
 */
export async function runPlainTerminal(controller: OwnedController, streams: PlainStreams): Promise<void> {
  const { input, output, signal } = streams;
  // The terminal has shown the typed line itself.
  const typedLines: string[] = [];
  const stop = printBlocks(controller, (block) => {
    const shown = block.kind === 'prompt' ? withoutTyped(block, typedLines) : block;
    if (shown === undefined) return;
    for (const line of rowsOf(blockLines(shown, { columns: input.columns }), input.columns, false)) output.line(line);
  });
  let left = false;
  void controller.left.then(() => (left = true));
  const abort = (): void => controller.interrupt();
  signal.addEventListener('abort', abort, { once: true });
  output.note('Type a prompt and press Enter. `/quit` or two empty lines end the session, Ctrl-C interrupts a turn.');
  try {
    for (let empty = 0; empty < 2 && !signal.aborted;) {
      await answerPanels(controller, streams);
      if (left || signal.aborted) return;
      const { mode, readOnly } = controller.state.get();
      if (readOnly) for (const line of [OPEN_ELSEWHERE, KEYS_ELSEWHERE]) output.note(line);
      const typed = await input.ask(readOnly ? 'open elsewhere> ' : `${mode}> `, signal, true);
      empty = typed.trim() === '' ? empty + 1 : 0;
      if (/^\s*\/(quit|exit)\s*$/.test(typed)) return;
      if (empty > 0) continue;
      const done = readOnly ? pressElsewhere(controller, typed.trim()) : undefined;
      await done;
      if (done !== undefined) continue;
      typedLines.push(typed.trim());
      controller.send({ text: typed, attached: [] });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', abort);
    await controller.settled();
    stop();
  }
}

/**
 * Returns the part of a prompt that the user did not type, such as the names of attached files. Returns `undefined` if
 * the user typed all of it.
 */
function withoutTyped(prompt: PrintedPrompt, typedLines: string[]): PrintedPrompt | undefined {
  const at = typedLines.findIndex((line) => prompt.text === line || prompt.text.startsWith(`${line}\n`));
  if (at === -1) return prompt;
  const [line = ''] = typedLines.splice(at, 1);
  return prompt.text === line ? undefined : { ...prompt, text: prompt.text.slice(line.length + 1) };
}

/** Prints each new block of the conversation. Returns a function that ends this. */
function printBlocks({ state }: OwnedController, print: (block: PrintedBlock) => void): () => void {
  let [generation, printed] = [-1, 0];
  const check = (): void => {
    const { conversation, generation: shown, printedBefore = 0 } = state.get();
    if (shown !== generation) [generation, printed] = [shown, printedBefore];
    const blocks = conversation.blocks.from(printed);
    printed = conversation.blocks.length;
    for (const block of blocks) print(block);
  };
  check();
  return state.subscribe(check);
}

/** Answers questions and lists until none is shown and no turn runs. */
async function answerPanels(controller: OwnedController, streams: PlainStreams): Promise<void> {
  for (;;) {
    const { panel } = await untilCalm(controller);
    if (panel === undefined) return;
    await answerPanel(panel, streams);
  }
}

/** Resolves when a panel is shown, or when no turn runs. */
function untilCalm({ state }: OwnedController): Promise<{ readonly panel: Panel | undefined }> {
  return new Promise((resolve) => {
    const check = (): void => {
      const { panel, running } = state.get();
      if (running && panel === undefined) return;
      unsubscribe();
      resolve({ panel });
    };
    const unsubscribe = state.subscribe(check);
    check();
  });
}

async function answerPanel(panel: Panel, { input, output, signal }: PlainStreams): Promise<void> {
  switch (panel.kind) {
    case 'question':
      return panel.answer(await askPerson(panel.question, { input, signal }));
    case 'choice':
      return panel.choose(await chooseByNumber(panel, { input, output, signal }));
    case 'viewer':
      await printEntry(panel, output, input.columns);
      return panel.close();
    case 'program':
      await panel.run().finally(panel.close);
  }
}

/** Prints the text that the viewer would show first. */
async function printEntry(
  { entries, first }: ViewerPanel,
  output: PlainStreams['output'],
  columns: number,
): Promise<void> {
  const entry = entries[first];
  if (entry === undefined) return;
  output.line(entry.title);
  const source = await entry.open(columns);
  for (let from = 0; from < source.length; from += LINES_AT_ONCE)
    for (const row of rowsOf(await source.read(from, from + LINES_AT_ONCE), columns, false)) output.line(row);
}

/** Number of lines that are read at once from a long text. */
const LINES_AT_ONCE = 1_000;

async function chooseByNumber(
  { title, options }: ChoicePanel,
  { input, output, signal }: PlainStreams,
): Promise<number | undefined> {
  for (const line of title) output.line(line);
  for (const [index, { label, note = '' }] of options.entries())
    output.line(`${index + 1}: ${label} ${note}`.trimEnd());
  const typed = await input.ask('number, or Enter for none: ', signal);
  const chosen = Number(typed.trim()) - 1;
  return typed.trim() !== '' && Object.hasOwn(options, chosen) ? chosen : undefined;
}
