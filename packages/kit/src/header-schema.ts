// Schema of the option `connection.headers`.

import { isConnectionHeader } from '@tidemark/core';
import { z } from 'zod';

/** Names of headers that another option sets, each with the name of this option. */
const SET_BY_OPTION: ReadonlyMap<string, string> = new Map([
  ['authorization', 'connection.bearerToken or apiKey'],
  ['anthropic-beta', 'modelOptions.betas'],
  ['openai-beta', 'modelOptions.betas'],
]);

const headerName = z.string().check(({ value, issues }) => {
  const message = headerProblem(value);
  if (message !== undefined) issues.push({ code: 'custom', message, input: value });
});

function headerProblem(name: string): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]{1,200}$/.test(name)) return 'expected the name of a header';
  if (isConnectionHeader(name)) return 'is set by the connection itself: remove it';
  const option = SET_BY_OPTION.get(name.toLowerCase());
  return option === undefined ? undefined : `use ${option}`;
}

/** Schema of additional headers of requests to a provider. */
export const requestHeaders: z.ZodType<Record<string, string>> = z.record(
  headerName,
  z.string().regex(/^[\t\x20-\x7e]{1,8192}$/, 'expected 1 to 8192 visible ASCII characters'),
);
