// Every script with every model that the benchmarks look at, driven once in a run.

import type { Driven } from './drive-script.ts';
import { driveScript } from './drive-script.ts';
import { MODELS, PROVIDER_MODELS, rowOf } from './model-row.ts';
import type { Script } from './scripted-turns.ts';
import { EVENTFUL, PAUSES, SCRIPTS } from './scripted-turns.ts';

/** One driven session. */
export interface ScriptedSession {
  /** Model and script: `claude-opus-5-5 wide`. */
  readonly name: string;
  readonly model: string;
  readonly script: Script;
  readonly driven: Driven;
}

const driven = new Map<string, Promise<ScriptedSession>>();

/** The sessions of the plain scripts with the two models that most benchmarks look at. Each is driven once in a run. */
export function scriptedSessions(): Promise<readonly ScriptedSession[]> {
  return driveAll(MODELS, SCRIPTS);
}

/** All scripts but the pauses, on each provider. */
export function providerSessions(): Promise<readonly ScriptedSession[]> {
  return driveAll(PROVIDER_MODELS, [...SCRIPTS, ...EVENTFUL]);
}

/** The script with pauses, on each provider. */
export function pausedSessions(): Promise<readonly ScriptedSession[]> {
  return driveAll(PROVIDER_MODELS, [PAUSES]);
}

async function driveAll(models: readonly string[], scripts: readonly Script[]): Promise<readonly ScriptedSession[]> {
  const sessions: ScriptedSession[] = [];
  for (const model of models) for (const script of scripts) sessions.push(await driveOnce(model, script));
  return sessions;
}

function driveOnce(model: string, script: Script): Promise<ScriptedSession> {
  const name = `${model} ${script.name}`;
  const known = driven.get(name);
  if (known !== undefined) return known;
  const session = driveScript(script, rowOf(model)).then((came) => ({ name, model, script, driven: came }));
  driven.set(name, session);
  return session;
}

/** Billed over ideal. */
export function ratioOf({ driven: { bill } }: ScriptedSession): number {
  return bill.billed.div(bill.ideal).toNumber();
}

/** Whether its tools change on a model that takes no change of tools but at the front: that is forced. */
export function isForced({ model, script }: Pick<ScriptedSession, 'model' | 'script'>): boolean {
  return script.extraTools !== undefined && !rowOf(model).appends.includes('tools');
}
