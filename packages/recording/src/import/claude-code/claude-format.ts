// Claude Code's transcripts: one row per line, linked by `uuid` and `parentUuid`, of all versions that write such rows.

import type { Format } from '../format/format.ts';
import { claudeReader } from './claude-reader.ts';
import { sightRow } from './claude-sighting.ts';

/** The format. */
export const CLAUDE_CODE: Format = { name: 'claude-code', sight: sightRow, reader: claudeReader };
