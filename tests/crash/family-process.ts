// Process that runs a family (a parent session and the subagents that it starts), until the parent's session ends or
// the process is killed.

import { liveUntilKilled } from './live-until-killed.ts';

await liveUntilKilled('Have the parts done.', { subagents: {} });
