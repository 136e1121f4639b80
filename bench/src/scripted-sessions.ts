// Every script with every model that the benchmarks look at, driven once in a run.

import type { Driven } from './drive-script.ts';
import { driveScript } from './drive-script.ts';
import { MODELS, rowOf } from './model-row.ts';
import { SCRIPTS } from './scripted-turns.ts';

/** One driven session. */
export interface ScriptedSession {
  /** Model and script: `claude-opus-5-5 wide`. */
  readonly name: string;
  readonly driven: Driven;
}

let driven: Promise<readonly ScriptedSession[]> | undefined;

/** All sessions, driven when first asked for. */
export function scriptedSessions(): Promise<readonly ScriptedSession[]> {
  driven ??= driveAll();
  return driven;
}

async function driveAll(): Promise<readonly ScriptedSession[]> {
  const sessions: ScriptedSession[] = [];
  for (const model of MODELS) {
    for (const script of SCRIPTS) {
      sessions.push({ name: `${model} ${script.name}`, driven: await driveScript(script, rowOf(model)) });
    }
  }
  return sessions;
}
