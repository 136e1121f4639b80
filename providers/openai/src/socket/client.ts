// The HTTP client for services that speak OpenAI's wire format. The SDK itself is loaded with the first call.

import type { HttpClient, HttpClientOptions, SdkSetup } from '@tidemark/provider-wire';
import { openHttpClient } from '@tidemark/provider-wire';
import type { OpenAISdk } from './provider-connection.ts';

/** An HTTP client over OpenAI's SDK. */
export type OpenAIClient = HttpClient<OpenAISdk>;

/**
 * Opens a client. `baseURL` includes the version: `https://api.openai.com/v1`.
 *
 * @throws ProviderError `provider/authentication` for a key that no header can hold, `provider/address` for an address that is
 *   not one of HTTP or holds a password.
 */
export function openClient(options: Omit<HttpClientOptions<OpenAISdk>, 'betaHeader' | 'load'>): OpenAIClient {
  const load = async (): Promise<(setup: SdkSetup) => OpenAISdk> => (await import('./sdk.ts')).createOpenAISdk;
  return openHttpClient({ ...options, betaHeader: 'openai-beta', load });
}
