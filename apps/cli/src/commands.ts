// Every command, in the order of `--help`.

import type { Command } from './command.ts';
import { doctor } from './commands/doctor.ts';
import { sessions } from './commands/sessions.ts';
import { simulate } from './commands/simulate.ts';

/** The commands of `tidemark`. */
export const COMMANDS: readonly Command[] = [sessions, simulate, doctor];
