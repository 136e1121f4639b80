// Opens a port on this machine, prints `open`, and waits until it is killed.

import { openPorts } from '../src/sandbox/open-ports.ts';

const [, , port = ''] = process.argv;
await openPorts([Number(port)], []);
process.stdout.write('open');
process.stdin.resume();
