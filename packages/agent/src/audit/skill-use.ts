// Reports the use of skills in a session: the skills that it loaded, the reasons and the tokens, and the skills that it
// listed for the model.

import { defined } from '@tidemark/core';
import { estimateTokens } from '@tidemark/context';
import type { ContextNoted, EpochOpened, Log, SessionId, SkillLoaded, Timestamp } from '@tidemark/log';
import { readText } from '../session/materials.ts';

/** Use of one skill, identified by its name. */
export interface SkillUse {
  readonly name: string;
  readonly loads: number;
  /** Recorded tokens of all loads together. */
  readonly tokens: number;
  readonly reasons: { readonly [reason in SkillLoaded['reason']]?: number };
  readonly versions: readonly string[];
  readonly sources: readonly string[];
}

/**
 * Text about installed skills that a session sent to the model. It consists of the last complete list and each later
 * change.
 */
export interface SkillsIndex {
  readonly text: string;
  /** Estimated tokens. */
  readonly tokens: number;
}

export interface SessionSkills {
  readonly session: SessionId;
  /** Loaded skills. Those with the largest token sum come first. */
  readonly skills: readonly SkillUse[];
  /** List of skills that the model was shown. Absent if no skill was listed. */
  readonly index?: SkillsIndex;
}

/**
 * Reads the skill use of a session. Loads in the session's ancestors and loads before `since` are not counted. The log
 * is read only one time.
 *
 * @throws LogError as the store does.
 */
export async function readSkillUse(log: Log, session: SessionId, since?: Timestamp): Promise<SessionSkills> {
  const skills = new Map<string, SkillUse>();
  let layers: EpochOpened['layers'] = [];
  let listed: readonly string[] = [];
  let own = false;
  for await (const { kind, at, data } of log.read(session)) {
    if (kind === 'session.created') own = data.id === session;
    if (kind === 'epoch.opened') layers = data.layers;
    if (kind === 'context.noted' && data.source === 'skills') listed = withNote(listed, data);
    if (kind === 'skill.loaded' && own && (since === undefined || at >= since))
      skills.set(data.name, withLoad(skills.get(data.name), data));
  }
  const text = listed.length > 0 ? listed.join('\n') : await textInFront(log, layers);
  const sorted = [...skills.values()].toSorted((a, b) => b.tokens - a.tokens || a.name.localeCompare(b.name));
  return defined({
    session,
    skills: sorted,
    index: text === undefined ? undefined : { text, tokens: estimateTokens(text) },
  });
}

/** Returns the sum of the use of one skill in two sessions. */
export function addSkillUse(a: SkillUse, b: SkillUse): SkillUse {
  const reasons = (['always', 'on_demand', 'auto_suggested'] as const).flatMap((reason) => {
    const count = (a.reasons[reason] ?? 0) + (b.reasons[reason] ?? 0);
    return count === 0 ? [] : [[reason, count] as const];
  });
  return {
    name: a.name,
    loads: a.loads + b.loads,
    tokens: a.tokens + b.tokens,
    reasons: Object.fromEntries(reasons),
    versions: [...new Set([...a.versions, ...b.versions])],
    sources: [...new Set([...a.sources, ...b.sources])],
  };
}

function withLoad(before: SkillUse | undefined, { name, version, reason, tokens, source }: SkillLoaded): SkillUse {
  const one = { name, loads: 1, tokens, reasons: { [reason]: 1 }, versions: [version], sources: [source] };
  return before === undefined ? one : addSkillUse(before, one);
}

function withNote(listed: readonly string[], { cause, body = '' }: ContextNoted): readonly string[] {
  if (cause === 'invalidated') return [];
  return cause === 'changed' ? [...listed, body] : [body];
}

/**
 * Returns the text of the skills layer of a front, or `undefined` if the front has no skills layer. Only fronts in
 * older logs list the skills.
 */
async function textInFront({ artifacts }: Log, layers: EpochOpened['layers']): Promise<string | undefined> {
  const layer = layers.find(({ name }) => name === 'skills');
  return layer && readText(artifacts, layer.digest);
}
