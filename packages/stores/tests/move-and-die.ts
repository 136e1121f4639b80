// A separate process that moves a session, and kills itself when a phase begins.

import { sessionId } from '@tidemark/log';

import { moveSessions, planMove } from '../src/index.ts';
import { openBoth } from './two-stores.ts';

const [home = '', url = '', tenant = '', toHome = '', session = '', phase = '', count = ''] = process.argv.slice(2);
const { from, to, close } = openBoth({ home, url, tenant, toHome: toHome === 'true' });
let left = Number(count);
await moveSessions({
  from,
  to,
  plan: await planMove(from, to, sessionId(session)),
  onPhase(now) {
    if (now !== phase) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  },
});
await close();
