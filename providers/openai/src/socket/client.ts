// HTTP client for services that use OpenAI's wire format. The SDK is loaded with the first call.

import type { HttpClient, HttpClientOptions, SdkSetup } from '@tidemark/provider-wire';
import { openHttpClient } from '@tidemark/provider-wire';
import type { OpenAISdk } from './provider-connection.ts';

/** An HTTP client that uses OpenAI's SDK. */
export type OpenAIClient = HttpClient<OpenAISdk>;

/**
 * Opens a client. `baseURL` includes the version: `https://api.openai.com/v1`.
 *
 * @throws ProviderError `provider/authentication` for a key that is not valid in a header, `provider/address` for an
 *   address that does not use HTTP or HTTPS or that contains a password.
 */
export function openClient(options: Omit<HttpClientOptions<OpenAISdk>, 'betaHeader' | 'load'>): OpenAIClient {
  const load = async (): Promise<(setup: SdkSetup) => OpenAISdk> => (await import('./sdk.ts')).createOpenAISdk;
  return openHttpClient({ ...options, betaHeader: 'openai-beta', load });
}
