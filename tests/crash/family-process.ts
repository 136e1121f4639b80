// One life of a family: its parent, and the subagents that it starts.

import { liveUntilKilled } from './live-until-killed.ts';

await liveUntilKilled('Have the parts done.', { subagents: {} });
