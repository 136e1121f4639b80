// Tests that a provider key is written neither to the log nor to an artifact, at any place in a session
// (anthropics/claude-code#86707).

import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Digest, Event } from '@tidemark/log';
import { callId } from '@tidemark/log';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ID, second } from '../../tests/small-session.ts';
import { openOutput } from '../output/output.ts';
import { createSecrets } from '../secrets/create-secrets.ts';
import { secretsOf } from '../secrets/mask-text.ts';
import { readArtifact } from '../session/materials.ts';
import { commit, createSession } from '../session/session.ts';

const KEY = 'provider-key/0123+4567=89ab';
const SHAPED = `ghp_${'a1B2'.repeat(9)}`;
const FORMS = [KEY, encodeURIComponent(KEY), Buffer.from(KEY).toString('base64'), SHAPED];

async function bytesBelow(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Buffer.concat(await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name)))));
}

/** Returns events with a key in every text that a user, a tool or an outside system can provide. */
function events(output: Digest): readonly Event[] {
  const said = `${FORMS.join(' ')} and more`;
  const file = { path: `/w/${SHAPED}.txt`, as: 'read' } as const;
  return [
    { kind: 'session.created', at: second(0), data: { id: ID, root: ID, workspace: '/w', title: said } },
    { kind: 'context.noted', at: second(1), data: { source: 'env', revision: said, cause: 'initial', body: said } },
    { kind: 'notification.received', at: second(2), data: { source: said, body: said, provenance: said } },
    {
      kind: 'prompt.given',
      at: second(3),
      data: {
        presenter: 'test',
        parts: [
          { type: 'text', text: said },
          { type: 'file', path: `/w/${KEY}` },
        ],
      },
    },
    {
      kind: 'tool.returned',
      at: second(4),
      data: { call: callId('c1'), parts: [{ type: 'text', text: said }], files: [file], output },
    },
    { kind: 'tool.failed', at: second(5), data: { call: callId('c2'), parts: [{ type: 'text', text: said }] } },
    {
      kind: 'answer.failed',
      at: second(6),
      data: { step: 0, stream: 'main', class: 'refused', code: 'x', message: said },
    },
    {
      kind: 'turn.ended',
      at: second(7),
      data: { outcome: 'failed', error: { code: 'x', message: said, next: said } },
    },
  ];
}

describe('the key of a provider', () => {
  let home = '';
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'tidemark-secrets-'));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  it('is in no file of a session after it appeared in a result, a note, a prompt, a file name and an output', async () => {
    const log = openNdjsonStore({ home });
    const secrets = createSecrets({ values: secretsOf({ PROVIDER_API_KEY: KEY, EDITOR: 'vi' }) });
    const session = await createSession(log, ID, undefined, secrets);
    const output = openOutput({ artifacts: log.artifacts, secrets });
    for (let index = 0; index < 3_000; index += 1) await output.write(`${index}: ${FORMS.join(' ')}\n`);
    const shaped = await output.finish({ limits: { bytes: 51_200, lines: 2_000 }, keeps: 'tail' });
    if (shaped.output === undefined) throw new Error('so long an output is an artifact');
    await commit(session, events(shaped.output));
    await session.writer.close();

    const whole = Buffer.from(await readArtifact(log.artifacts, shaped.output)).toString();
    const written = `${(await bytesBelow(home)).toString('latin1')}${whole}${shaped.text}`;
    for (const form of FORMS) expect(written).not.toContain(form);
    expect(written).toContain('[secret:PROVIDER_API_KEY]');
    expect(whole.split('\n')).toHaveLength(3_001);
    const [first] = whole.split('\n');
    expect(first).toBe(
      '0: [secret:PROVIDER_API_KEY] [secret:PROVIDER_API_KEY] [secret:PROVIDER_API_KEY] [secret:github]',
    );
  });
});
