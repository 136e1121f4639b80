// One life of a session.

import { liveUntilKilled } from './live-until-killed.ts';
import { TASK } from './working-script.ts';

await liveUntilKilled(TASK);
