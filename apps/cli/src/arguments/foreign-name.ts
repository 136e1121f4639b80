// Refuses model names that belong to a cloud or to another program. Such a name includes the service that serves the
// model, and Tidemark cannot send requests to these services. Without this check, the request would go to the maker of
// the model, with another key and another bill.

import type { ProviderName } from '@tidemark/kit';
import { isProviderName, PROVIDERS } from '@tidemark/kit';
import type { Catalog } from '@tidemark/model';
import { findModel } from '@tidemark/model';

import { CliError } from '../frame/failure.ts';

/** Matches model names of Amazon Bedrock: a vendor prefix, with an optional region before it. */
const BEDROCK =
  /^(?:[a-z]{2,6}(?:-[a-z]{2,4})?\.)?(?:ai21|amazon|anthropic|cohere|deepseek|meta|mistral|openai|qwen)\.[a-z]/;

const CLOUDS: readonly (readonly [cloud: string, names: readonly RegExp[]])[] = [
  ['Amazon Bedrock', [/^arn:aws/, BEDROCK, /-v\d{1,2}:\d{1,2}$/, /^(?:amazon-)?bedrock\//]],
  ['Google Vertex AI', [/^claude-[^/]*@/, /^(?:projects|publishers)\//, /^(?:google-)?vertex(?:_ai|-ai)?\//]],
  ['Microsoft Azure', [/^azure(?:_ai|-ai)?\//]],
];

/**
 * Accepts a model name that is not a cloud's name and has no `provider:` prefix.
 *
 * @throws CliError `cli/refused` for any other name. The error contains the next step.
 */
export function requireOwnName(model: string, catalog: Catalog): void {
  const name = model.trim().toLowerCase();
  const [, provider = '', rest = ''] = /^([a-z]+):(.+)$/.exec(name) ?? [];
  if (isProviderName(provider))
    throw new CliError(
      'cli/refused',
      `${JSON.stringify(model)} combines a provider and a model in one name`,
      `use --provider ${provider} --model ${rest}`,
    );
  const [cloud] = CLOUDS.find(([, names]) => names.some((one) => one.test(name))) ?? [];
  if (cloud === undefined) return;
  throw new CliError(
    'cli/refused',
    `${JSON.stringify(model)} is a model name of ${cloud}, which Tidemark does not support`,
    `${atItsMaker(model, catalog)}for ${cloud}, use a server that offers OpenAI's Chat Completions API: --provider compatible --base-url <address> --window <tokens>`,
  );
}

/**
 * Returns the advice to use the same model directly from its maker, with the `--model` option to type. If the catalog
 * does not have the model, returns an empty string.
 */
function atItsMaker(model: string, catalog: Catalog): string {
  const maker = (['anthropic', 'openai'] satisfies ProviderName[]).find(
    (one) => findModel(catalog, model, one) !== undefined,
  );
  const row = maker && findModel(catalog, model, maker);
  if (maker === undefined || row === undefined) return '';
  return `use ${PROVIDERS[maker].title} directly with --model ${row.aliases[0] ?? row.model}; `;
}
