// Headers that the user adds to requests to a provider. A header belongs to one address, so it is never sent to another
// provider. If a header contains a credential, its value must be in an environment variable.

import { isSecretName } from '@tidemark/agent';
import { isConnectionHeader } from '@tidemark/core';
import { z } from 'zod';

/** Value of a header: a text, or the environment variable that contains it. */
export type HeaderSetting = string | { readonly variable: string };

/** Headers by the origin of the address that receives them, such as `https://gateway.example`. */
export type HeaderSettings = Readonly<Record<string, Readonly<Record<string, HeaderSetting>>>>;

/** Names of headers that contain credentials, although their last word does not show it. */
const CARRIES = /^(?:proxy-)?authori[sz]ation$|^(?:set-)?cookie2?$|^x-amz-security-token$/i;

/** Returns true if a header with this name contains a credential. */
export function isCredentialHeader(name: string): boolean {
  return CARRIES.test(name) || isSecretName(name);
}

/** Matches a value that a header can have. */
const VALUE = /^[\t\x20-\x7e]{1,8192}$/;
const VISIBLE = 'expected visible ASCII characters, or { "variable": "NAME" }';

const variable = z.string().regex(/^[A-Za-z_]\w{0,199}$/, 'expected the name of an environment variable');
const value = z.union([z.string().regex(VALUE, VISIBLE), z.strictObject({ variable })], VISIBLE);

const ofAddress = z.record(z.string(), value).check(({ value: headers, issues }) => {
  for (const [name, one] of Object.entries(headers)) {
    const message = problemOf(name, one);
    if (message !== undefined) issues.push({ code: 'custom', message, input: headers });
  }
});

function problemOf(name: string, one: HeaderSetting): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]{1,200}$/.test(name)) return 'expected the name of a header';
  if (/^authorization$/i.test(name)) return 'Authorization is set from the API key of the provider';
  if (isConnectionHeader(name)) return `${name} is set by the connection itself: remove it`;
  if (typeof one === 'string' && isCredentialHeader(name))
    return `${name} carries a credential: put it into an environment variable, and write { "variable": "NAME" }`;
  return undefined;
}

const origin = z.string().refine((text) => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text;
}, 'expected the address without its path, such as https://gateway.example');

/** Schema of the headers. */
export const headerSettings: z.ZodType<HeaderSettings> = z.record(origin, ofAddress);
