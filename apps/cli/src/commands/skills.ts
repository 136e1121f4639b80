// `tidemark skills`: reports which skills were loaded, why, and how large they are. Also reports which skills the front
// lists, and which skills are installed.

import type { SessionSkills, SkillUse } from '@tidemark/agent';
import { addSkillUse, createSecrets, readSkillUse, secretsOf } from '@tidemark/agent';
import { readSettings } from '@tidemark/settings';
import { findSkills } from '@tidemark/tools-skills';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { eachSession } from '../reports/each-session.ts';
import { formatCount, formatNumber } from '../frame/numbers.ts';
import type { SessionFlags } from '../arguments/session-argument.ts';
import { declareSession, optionalSession } from '../arguments/session-argument.ts';
import { inFields, showInstalled, skillsHere } from '../settings/installed-skills.ts';
import { settingsRequest } from '../settings/own-settings.ts';
import { skillPlaces } from '../settings/skill-places.ts';
import { sinceArgument } from '../arguments/since-argument.ts';
import type { TableOf } from '../frame/table.ts';

/** Command `tidemark skills`, which reports the loaded and the installed skills. */
export const skills: Command = {
  name: 'skills',
  summary: 'list the installed skills, and the loaded skills with reason and size',
  examples: [
    ['tidemark skills', 'all sessions, and the installed skills: your own, and those of this folder if it is trusted'],
    ['tidemark skills <session>', 'one session, with the list that the model was given'],
    ['tidemark skills --since 2026-11-20', 'loaded on or after that day'],
  ],
  declare: (command, run) =>
    void declareSession(command, 'all sessions')
      .option('--since <day>', 'count loads from this day or time on: 2026-11-20, or 2026-11-20T09:30:00Z')
      .action((session: string | undefined, flags: SkillsFlags) => run((context) => report(session, flags, context))),
};

interface SkillsFlags extends SessionFlags {
  readonly since?: string;
}

async function report(name: string | undefined, flags: SkillsFlags, context: CommandContext): Promise<CommandOutcome> {
  const since = flags.since === undefined ? undefined : sinceArgument(flags.since);
  const session = await optionalSession(name, flags, context);
  const store = await context.store();
  const found: SessionSkills[] = [];
  await eachSession(session, context, async (one) => void found.push(await readSkillUse(store, one, since)));
  const used = together(found);
  const { output } = context;
  const reported = found.filter((one) => one.skills.length > 0 || one.index !== undefined);
  const here = await skillsHere(context);
  const { settings } = await readSettings({ ...settingsRequest(context), trusted: false });
  const roots = await skillPlaces(context, here, settings.skillRoots);
  const installed = await findSkills(roots, undefined, createSecrets({ values: secretsOf(context.environment) }).mask);
  const shown = {
    sessions: reported,
    skills: used,
    since: since ?? null,
    installed: inFields(installed, roots),
    untrusted: here.unused,
  };
  output.result(shown, () => headline(session, found, used));
  if (used.length > 0) output.table(tableOf(used));
  for (const line of indexLines(session, found)) output.line(line);
  if (session === undefined) showInstalled({ ...installed, untrusted: here.unused }, roots, context);
  return undefined;
}

/**
 * Merges the uses of one skill in several sessions into one entry. Returns the entries sorted by tokens, the largest
 * number first.
 */
function together(found: readonly SessionSkills[]): readonly SkillUse[] {
  const used = new Map<string, SkillUse>();
  for (const one of found.flatMap((session) => session.skills)) {
    const before = used.get(one.name);
    used.set(one.name, before === undefined ? one : addSkillUse(before, one));
  }
  return [...used.values()].toSorted((a, b) => b.tokens - a.tokens || a.name.localeCompare(b.name));
}

function headline(session: string | undefined, found: readonly SessionSkills[], used: readonly SkillUse[]): string {
  if (found.length === 0) return 'no sessions yet';
  const where = session ?? formatCount(found.length, 'session');
  if (used.length === 0) return `no skill was loaded in ${where}`;
  const loads = used.reduce((sum, one) => sum + one.loads, 0);
  const tokens = used.reduce((sum, one) => sum + one.tokens, 0);
  return `${where}: ${formatCount(used.length, 'skill')}, loaded ${timesOf(loads)}, ${formatNumber(tokens)} tokens`;
}

function timesOf(loads: number): string {
  return loads === 1 ? 'once' : `${formatNumber(loads)} times`;
}

function tableOf(used: readonly SkillUse[]): TableOf {
  const rows = used.map(({ name, loads, tokens, reasons, sources }) => [
    name,
    formatNumber(loads),
    formatNumber(tokens),
    reasonsOf(reasons),
    sources.join(', '),
  ]);
  return { head: ['skill', 'loads', 'tokens', 'why', 'from'], rows, numbers: [1, 2] };
}

const REASONS = { always: 'always', on_demand: 'on demand', auto_suggested: 'suggested' } as const;

function reasonsOf(reasons: SkillUse['reasons']): string {
  return (['always', 'on_demand', 'auto_suggested'] as const)
    .flatMap((reason) => (reasons[reason] === undefined ? [] : [`${REASONS[reason]} ${reasons[reason]}`]))
    .join(', ');
}

/**
 * Returns a line that counts the sessions in which the model gets a list of skills. For a single session, returns the
 * list and its size in tokens.
 */
function indexLines(session: string | undefined, found: readonly SessionSkills[]): readonly string[] {
  const listed = found.flatMap(({ index }) => (index === undefined ? [] : [index]));
  const [first] = listed;
  if (first === undefined) return found.length === 0 ? [] : [noList(session)];
  if (session === undefined) return [`${formatCount(listed.length, 'session')} with a list of skills`];
  const { tokens, text } = first;
  return [`listed for the model: about ${formatNumber(tokens)} tokens`, text];
}

function noList(session: string | undefined): string {
  return session === undefined
    ? 'no session lists skills for the model'
    : 'it lists no skills for the model; `tidemark skills` lists the installed ones';
}
