// Contract of a server whose clients are not trusted. Every server of the project runs these tests.

import { afterEach, describe } from 'vitest';
import { describeBodies } from './bodies.ts';
import { describeConnections } from './connections.ts';
import { describeMalformed } from './malformed.ts';
import { describeOrigins } from './origins.ts';
import type { OpenSubject, ServerSubject } from './subject.ts';

export type { RawClient } from './raw-client.ts';
export { dial, sendEndlessly, statusOf } from './raw-client.ts';
export type { OpenSubject, RequestParts, ServerSubject, SubjectOptions } from './subject.ts';
export { post, requestText, upgrade, usualHeaders } from './subject.ts';

/** Defines all contract tests for a kind of server. */
export function describeServerContract(subject: ServerSubject): void {
  const opened: OpenSubject[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });
  const open: ServerSubject['open'] = async (options) => {
    const server = await subject.open(options);
    opened.push(server);
    return server;
  };
  describe(subject.name, () => {
    describeBodies(subject, open);
    describeOrigins(subject, open);
    describeConnections(subject, open);
    describeMalformed(subject, open);
  });
}
