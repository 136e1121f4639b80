// Whether what a workspace brings along may be used: as the user said before, as `--trust` says for this once, or asked, once,
// where somebody is there to be asked.

import { PROVIDERS } from '@tidemark/kit';
import type { Brought } from '@tidemark/settings';
import { canKeepTrust, judgeTrust, recordTrust, settingsBrought, SettingsError, showable } from '@tidemark/settings';

import type { CommandContext } from './command.ts';
import { plainText } from './plain-text.ts';
import { styled } from './shown.ts';

/** Whether the workspace is trusted; whoever is not asked is told what is not used. */
export async function trustIn(brought: Brought, context: CommandContext): Promise<boolean> {
  const state = await judgeTrust(context.home, brought);
  if (state === 'trusted') return true;
  const lines = wordsOf(brought);
  if (state === 'declined' || lines.length === 0) return false;
  const { input, output, home } = context;
  if (input.terminal && !output.json && (await canKeepTrust(home, brought.workspace)))
    return askPerson(brought, state === 'changed', context);
  const why = state === 'changed' ? 'it changed since it was trusted' : 'it is not trusted';
  output.note([
    styled('yellow', 'notice'),
    `: what this folder brings along is not used, because ${why}; \`tidemark trust\` shows it`,
  ]);
  return false;
}

/** What a workspace brings that needs trust, a line each; nothing where there is none of it or it cannot be used. */
export function wordsOf(brought: Brought): readonly string[] {
  const { skills, memory } = brought;
  return [
    ...leavesOf(brought).map(({ name, value }) => `sets ${name} to ${shown(JSON.stringify(showable(value)))}`),
    ...(skills.length === 0 ? [] : [`skills: ${shown(skills.map(oneName).join(', '))}`]),
    ...(memory ? ['memory files, which are read into the conversation'] : []),
  ];
}

function leavesOf(brought: Brought): ReturnType<typeof settingsBrought> {
  try {
    return settingsBrought(brought, Object.keys(PROVIDERS));
  } catch (error) {
    // Told as what it is where the settings are read.
    if (error instanceof SettingsError) return [];
    throw error;
  }
}

async function askPerson(brought: Brought, changed: boolean, context: CommandContext): Promise<boolean> {
  const { home, input, signal } = context;
  const head = changed
    ? 'What this folder brings along has changed:'
    : 'This folder brings along what acts on an agent:';
  const list = wordsOf(brought).map((line) => `  ${line}\n`);
  const answer = await input.ask(
    plainText(`${head}\n${list.join('')}Use it here, from now on? Only if you trust who wrote it. (y/n) `),
    signal,
  );
  const decision = /^\s*y(es)?\s*$/i.test(answer) ? 'trusted' : 'declined';
  await recordTrust(home, brought, { decision, at: new Date().toISOString() });
  return decision === 'trusted';
}

/** A name for people. It may be chosen by somebody who means harm. */
export function oneName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._-]/gu, '?').slice(0, 64);
}

const LONGEST = 400;

function shown(text: string): string {
  const plain = plainText(text).replaceAll(/\s+/g, ' ');
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST)}…`;
}
