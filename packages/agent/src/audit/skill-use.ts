// Which skills a session loaded, why and how large, and what its front lists of them.

import type { EpochOpened, LayerRecord, Log, SessionId, SkillLoaded, Timestamp } from '@tidemark/log';
import { readText } from '../session/materials.ts';

/** One skill, by name. */
export interface SkillUse {
  readonly name: string;
  readonly loads: number;
  /** Of all loads together, as recorded. */
  readonly tokens: number;
  readonly reasons: { readonly [reason in SkillLoaded['reason']]?: number };
  readonly versions: readonly string[];
  readonly sources: readonly string[];
}

/** The list of skills in the front of the last epoch. */
export interface SkillsIndex extends Pick<LayerRecord, 'digest' | 'bytes' | 'tokens'> {
  readonly text: string;
  /** Of the layers of that front together. */
  readonly ofTokens: number;
}

/** What a session did with skills. */
export interface SessionSkills {
  readonly session: SessionId;
  /** Most tokens first. */
  readonly skills: readonly SkillUse[];
  /** Absent where no front lists any. */
  readonly index?: SkillsIndex;
}

/** Reads a session's log once. Loads of its ancestors are theirs. @throws LogError as the store does. */
export async function readSkillUse(log: Log, session: SessionId, since?: Timestamp): Promise<SessionSkills> {
  const skills = new Map<string, SkillUse>();
  let epoch: EpochOpened | undefined;
  let own = false;
  for await (const { kind, at, data } of log.read(session)) {
    if (kind === 'session.created') own = data.id === session;
    if (kind === 'epoch.opened') epoch = data;
    if (kind === 'skill.loaded' && own && (since === undefined || at >= since))
      skills.set(data.name, withLoad(skills.get(data.name), data));
  }
  const index = epoch && (await indexOf(log, epoch));
  const sorted = [...skills.values()].toSorted((a, b) => b.tokens - a.tokens || a.name.localeCompare(b.name));
  return { session, skills: sorted, ...(index && { index }) };
}

/** The use of one skill in two places together. */
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

async function indexOf({ artifacts }: Log, { layers }: EpochOpened): Promise<SkillsIndex | undefined> {
  const layer = layers.find(({ name }) => name === 'skills');
  if (layer === undefined) return undefined;
  const { digest, bytes, tokens } = layer;
  const text = await readText(artifacts, digest);
  return { digest, bytes, tokens, text, ofTokens: layers.reduce((sum, one) => sum + one.tokens, 0) };
}
