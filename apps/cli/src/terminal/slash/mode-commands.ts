// `/mode` and `/plan`: set the permission mode, and the plan mode.

import { CliError } from '../../frame/failure.ts';
import { TERMINAL_MODES } from '../control/modes.ts';
import type { TerminalMode } from '../state/controller.ts';
import { chooseValue } from './choose-value.ts';
import { asPrompt } from './parse-draft.ts';
import type { SlashCommand, SlashPlace } from './slash-command.ts';
import { requireFewWords } from './slash-command.ts';

const NOTES: Readonly<Record<TerminalMode, string>> = {
  'read-only': 'nothing is changed',
  ask: 'asks before each change',
  'accept-edits': 'edits files without a question, asks before each command',
  auto: 'changes files and runs commands in the sandbox without a question',
  plan: 'nothing is changed, and each turn ends with a plan',
};

/** Slash command `/mode`. */
export const modeCommand: SlashCommand = {
  name: 'mode',
  group: 'session',
  summary: 'set the permission mode: read-only, ask, accept-edits, auto or plan',
  argument: '[mode]',
  complete: async () => TERMINAL_MODES,
  async run({ words }, place) {
    requireFewWords('mode', words, 1);
    const [typed] = words;
    const mode = typed === undefined ? await chooseMode(place) : modeNamed(typed);
    if (mode === undefined) return;
    await place.controller.setMode(mode);
    place.controller.print([`The mode is ${mode}: ${NOTES[mode]}.`]);
  },
};

/** Slash command `/plan`. */
export const planCommand: SlashCommand = {
  name: 'plan',
  group: 'session',
  summary: 'set the plan mode, and send the text as a prompt if there is one',
  argument: '[text]',
  async run({ text, attached }, { controller }) {
    await controller.setMode('plan');
    if (text !== '' || attached.length > 0) controller.send({ text: asPrompt(text), attached });
    else controller.print([`The mode is plan: ${NOTES.plan}.`]);
  },
};

function modeNamed(name: string): TerminalMode {
  const mode = TERMINAL_MODES.find((one) => one === name);
  if (mode !== undefined) return mode;
  throw new CliError('cli/usage', `there is no mode ${JSON.stringify(name)}`, `use ${TERMINAL_MODES.join(', ')}`);
}

function chooseMode({ controller }: SlashPlace): Promise<TerminalMode | undefined> {
  const values = TERMINAL_MODES.map((mode) => [mode, NOTES[mode]] as const);
  return chooseValue(['Which mode?'], { values, current: controller.state.get().mode }, controller);
}
