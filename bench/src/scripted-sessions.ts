// Runs every script with every model that the benchmarks use. Each pair runs only once in a process, and its result is
// reused.

import type { Driven } from './drive-script.ts';
import { driveScript } from './drive-script.ts';
import { MODELS, PROVIDER_MODELS, rowOf } from './model-row.ts';
import type { Script } from './scripted-turns.ts';
import { EVENTFUL, PAUSES, SCRIPTS } from './scripted-turns.ts';

/** Result of running one script with one model. */
export interface ScriptedSession {
  /** Model and script, for example `claude-opus-5-5 wide`. */
  readonly name: string;
  readonly model: string;
  readonly script: Script;
  readonly driven: Driven;
}

const driven = new Map<string, Promise<ScriptedSession>>();

/** Returns the sessions of the plain scripts with the two models that most benchmarks use. */
export function scriptedSessions(): Promise<readonly ScriptedSession[]> {
  return driveAll(MODELS, SCRIPTS);
}

/** Returns the sessions of the plain scripts and of the `EVENTFUL` scripts, with each model of `PROVIDER_MODELS`. */
export function providerSessions(): Promise<readonly ScriptedSession[]> {
  return driveAll(PROVIDER_MODELS, [...SCRIPTS, ...EVENTFUL]);
}

/** Returns the sessions of the script with pauses, with each model of `PROVIDER_MODELS`. */
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

/** Returns the billed cost divided by the ideal cost. */
export function ratioOf({ driven: { bill } }: ScriptedSession): number {
  return bill.billed.div(bill.ideal).toNumber();
}

/**
 * Checks if a session is forced to rewrite its front, because its tools change on a model that accepts tools only in
 * the front.
 */
export function isForced({ model, script }: Pick<ScriptedSession, 'model' | 'script'>): boolean {
  return script.extraTools !== undefined && !rowOf(model).appends.includes('tools');
}
