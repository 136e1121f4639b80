// Process that works on one session until the session ends or the process is killed.

import { liveUntilKilled } from './live-until-killed.ts';
import { TASK } from './working-script.ts';

await liveUntilKilled(TASK);
