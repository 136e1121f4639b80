// List of all commands, in the order of `--help`.

import type { Command } from './frame/command.ts';
import { agents } from './commands/agents.ts';
import { auditCommand } from './commands/audit.ts';
import { cache } from './commands/cache.ts';
import { contextCommand } from './commands/context.ts';
import { compact } from './commands/compact.ts';
import { completion } from './commands/completion.ts';
import { config } from './commands/config.ts';
import { cost } from './commands/cost.ts';
import { demo } from './commands/demo.ts';
import { doctor } from './commands/doctor.ts';
import { exportCommand } from './commands/export.ts';
import { fork } from './commands/fork.ts';
import { grants } from './commands/grants.ts';
import { importCommand } from './commands/import.ts';
import { keys } from './commands/keys.ts';
import { mcp } from './commands/mcp.ts';
import { models } from './commands/models.ts';
import { move } from './commands/move.ts';
import { replayCommand } from './commands/replay.ts';
import { resume } from './commands/resume.ts';
import { rewind } from './commands/rewind.ts';
import { runCommand } from './commands/run.ts';
import { serve } from './commands/serve.ts';
import { sessions } from './commands/sessions.ts';
import { show } from './commands/show.ts';
import { simulate } from './commands/simulate.ts';
import { smoke } from './commands/smoke.ts';
import { skills } from './commands/skills.ts';
import { trust } from './commands/trust.ts';
import { verify } from './commands/verify.ts';
import { why } from './commands/why.ts';

/** The commands of `tidemark`. */
export const COMMANDS: readonly Command[] = [
  runCommand,
  resume,
  fork,
  rewind,
  demo,
  importCommand,
  replayCommand,
  show,
  why,
  auditCommand,
  cost,
  cache,
  contextCommand,
  compact,
  skills,
  agents,
  verify,
  sessions,
  exportCommand,
  move,
  serve,
  simulate,
  smoke,
  config,
  trust,
  grants,
  keys,
  mcp,
  models,
  doctor,
  completion,
];
