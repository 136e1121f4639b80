// Folders in which coding agents keep their transcripts. Only paths are listed here. The format of a file is recognised
// from its content.

import { isAbsolute, join } from 'node:path';
import { codexPlaces } from './codex/codex-places.ts';
import { geminiPlaces } from './gemini-cli/gemini-places.ts';
import { copilotPlaces } from './copilot/copilot-places.ts';
import type { PlacesInput, TranscriptPlace } from './format/place.ts';
import { openCodePlaces } from './opencode/opencode-places.ts';

/** Returns the folders of all agents. */
export function transcriptPlaces(input: PlacesInput): readonly TranscriptPlace[] {
  return [
    ...claudePlaces(input),
    ...piPlaces(input),
    ...codexPlaces(input),
    ...openCodePlaces(input),
    ...geminiPlaces(input),
    ...copilotPlaces(input),
  ];
}

/**
 * Claude Code keeps a folder per project, with a file per session and a folder of subagents. `CLAUDE_CONFIG_DIR`
 * replaces `~/.claude`; versions since 1.0.30 also used `~/.config/claude`. Source:
 * https://code.claude.com/docs/en/settings (environment variables), and files of version 2.1.330.
 */
function claudePlaces({ userFolder, environment }: PlacesInput): readonly TranscriptPlace[] {
  const asked = absolutePaths(environment['CLAUDE_CONFIG_DIR']);
  const homes = asked.length > 0 ? asked : [join(userFolder, '.claude'), join(userFolder, '.config', 'claude')];
  return homes.map((home) => ({ agent: 'claude-code', folder: join(home, 'projects'), files: /\.jsonl$/ }));
}

/**
 * pi keeps a folder per project, with a file per session. `PI_CODING_AGENT_DIR` replaces `~/.pi/agent`. Source:
 * docs/session.md of badlogic/pi-mono.
 */
function piPlaces({ userFolder, environment }: PlacesInput): readonly TranscriptPlace[] {
  const [home = join(userFolder, '.pi', 'agent')] = absolutePaths(environment['PI_CODING_AGENT_DIR']);
  return [{ agent: 'pi', folder: join(home, 'sessions'), files: /\.jsonl$/ }];
}

/** Returns the absolute paths in a variable. Several paths are separated by commas. */
function absolutePaths(value: string | undefined): readonly string[] {
  return (value ?? '')
    .split(',')
    .map((path) => path.trim())
    .filter((path) => isAbsolute(path));
}
