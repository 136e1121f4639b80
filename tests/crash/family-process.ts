// Process that works on a family, a parent and the subagents it starts, until it ends or is killed.

import { liveUntilKilled } from './live-until-killed.ts';

await liveUntilKilled('Have the parts done.', { subagents: {} });
