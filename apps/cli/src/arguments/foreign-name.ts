// Names of models as clouds and other programs write them. Such a name says where to send a request, and this program reaches
// none of these places: the request would go to the maker of the model, with another key and another bill.

import type { ProviderName } from '@tidemark/kit';
import { isProviderName, PROVIDERS } from '@tidemark/kit';
import type { Catalog } from '@tidemark/model';
import { findModel } from '@tidemark/model';

import { CliError } from '../frame/failure.ts';

/** Vendors in front of the names of Amazon Bedrock, with the regions that may stand before them. */
const BEDROCK =
  /^(?:[a-z]{2,6}(?:-[a-z]{2,4})?\.)?(?:ai21|amazon|anthropic|cohere|deepseek|meta|mistral|openai|qwen)\.[a-z]/;

const CLOUDS: readonly (readonly [cloud: string, names: readonly RegExp[]])[] = [
  ['Amazon Bedrock', [/^arn:aws/, BEDROCK, /-v\d{1,2}:\d{1,2}$/, /^(?:amazon-)?bedrock\//]],
  ['Google Vertex AI', [/^claude-[^/]*@/, /^(?:projects|publishers)\//, /^(?:google-)?vertex(?:_ai|-ai)?\//]],
  ['Microsoft Azure', [/^azure(?:_ai|-ai)?\//]],
];

/**
 * Lets a name pass that is no cloud's, and does not hold a provider in front of a colon.
 *
 * @throws CliError `cli/refused` with what to do instead.
 */
export function requireOwnName(model: string, catalog: Catalog): void {
  const name = model.trim().toLowerCase();
  const [, provider = '', rest = ''] = /^([a-z]+):(.+)$/.exec(name) ?? [];
  if (isProviderName(provider))
    throw new CliError(
      'cli/refused',
      `${JSON.stringify(model)} is a provider and a model in one name`,
      `say them apart: --provider ${provider} --model ${rest}`,
    );
  const [cloud] = CLOUDS.find(([, names]) => names.some((one) => one.test(name))) ?? [];
  if (cloud === undefined) return;
  throw new CliError(
    'cli/refused',
    `${JSON.stringify(model)} is a name of ${cloud}, which Tidemark does not reach`,
    `${atItsMaker(model, catalog)}for ${cloud}, put a server in front of it that speaks OpenAI's Chat Completions: --provider compatible --base-url <address> --window <tokens>`,
  );
}

/** The same model where it can be reached. */
function atItsMaker(model: string, catalog: Catalog): string {
  const maker = (['anthropic', 'openai'] satisfies ProviderName[]).find(
    (one) => findModel(catalog, model, one) !== undefined,
  );
  const row = maker && findModel(catalog, model, maker);
  if (maker === undefined || row === undefined) return '';
  return `ask ${PROVIDERS[maker].title} itself with --model ${row.aliases[0] ?? row.model}; `;
}
