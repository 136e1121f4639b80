// Creates folders with skills for tests: real skills, and skills that a test writes.

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { ToolContext } from '@tidemark/agent';
import { callId, sessionId } from '@tidemark/log';
import type { SkillRoot } from '../src/found-skill.ts';

/** Four skills in the style of real users. One of them has a script and a reference. */
export const REAL: SkillRoot = { folder: fileURLToPath(new URL('skills', import.meta.url)), source: 'home' };

/** Creates a root in a new folder, with these files. The folder is removed when the test ends. */
export async function rootWith(
  files: Readonly<Record<string, string | Uint8Array>>,
  source = 'home',
): Promise<SkillRoot> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tidemark-skills-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return { folder, source };
}

/** Returns the text of a SKILL.md. */
export function skill(name: string, description: string, body = `Do ${name}.`): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}\n`;
}

async function* nothing(): AsyncGenerator<never> {
  yield* [];
}

/** Tool context of a call in an empty session. */
export const CONTEXT: ToolContext = {
  session: sessionId('session-1'),
  call: callId('c1'),
  notice: () => undefined,
  signal: new AbortController().signal,
  write: () => Promise.resolve(),
  progress: () => undefined,
  mask: async (text) => text,
  fileSeen: () => undefined,
  output: () => undefined,
  skills: { preloaded: [], loaded: [] },
  room: () => ({ bytes: 51_200, lines: 2_000 }),
  history: { length: 0, read: nothing, artifact: nothing },
};
