// Tests that the coding agents of other makers run a turn with a tool against the simulator. A client that is not
// installed is skipped with the reason. `npm run clients` installs them.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';

import { CLIENTS, clientsFolder, missingReason, runClient } from './clients.ts';

const folder = clientsFolder();

describe('a client that cannot run', () => {
  const place = mkdtempSync(join(tmpdir(), 'tidemark-no-clients-'));
  afterAll(() => rmSync(place, { recursive: true }));

  test.for(CLIENTS)('$title is reported with the reason', (client) => {
    const installed = join(place, 'node_modules', client.package);
    rmSync(installed, { recursive: true, force: true });
    expect(missingReason(client, place)).toContain(`${client.package} is not installed in ${place}`);
    mkdirSync(installed, { recursive: true });
    writeFileSync(join(installed, 'package.json'), '{ "version": "0.0.1" }');
    expect(missingReason(client, place)).toBe(`${client.package} 0.0.1 is installed, not ${client.version}`);
    writeFileSync(join(installed, 'package.json'), JSON.stringify({ version: client.version }));
    expect(missingReason(client, place)).toBe(`${client.package} is installed without its program`);
  });

  test('is reported as failed if its program fails', async () => {
    const [client] = CLIENTS;
    if (client === undefined) throw new Error('no client is listed');
    const turn = await runClient({ ...client, program: 'none/none.js', isScript: true }, place);
    expect(turn).toMatchObject({
      calls: [],
      toolsRun: 0,
      hitRate: 0,
      failure: expect.stringMatching(/^ended with 1: /),
    });
  });
});

describe('a client against the simulator', () => {
  test.for(CLIENTS)(
    '$title runs a turn with a tool, and nothing is refused',
    { timeout: 240_000 },
    async (client, { skip }) => {
      const missing = missingReason(client, folder);
      if (missing !== undefined) {
        console.warn(`${client.title} skipped: ${missing}`);
        skip(missing);
      }
      console.info(`${client.title}: ${client.package} ${client.version}`);
      const turn = await runClient(client, folder);
      expect(turn).toMatchObject({ failure: undefined, refusals: [], toolsRun: 1 });
      expect(turn.calls.length).toBeGreaterThanOrEqual(2);
      expect(turn.hitRate).toBeGreaterThan(0);
    },
  );
});
