// Another model for a session: how it is named, found and described.

import type { NotificationReceived, RenderParameters } from '@tidemark/log';
import type { Capabilities, Provider } from '@tidemark/model';
import type { Mode } from './permissions.ts';

/**
 * Provider, address and window of a model. Needed if the name of the model is not enough to find them. API keys come
 * from the options of the agent.
 */
export interface ModelReach {
  /**
   * Name of a provider, or a provider object that the author made. Default: the provider that serves a model of this
   * name.
   */
  readonly provider?: string | Provider;
  readonly baseURL?: string;
  /** Tokens of input and output together, for a model that the catalog does not list. */
  readonly contextWindow?: number;
}

/** Another model for a session: its provider, its capabilities and its parameters. */
export interface OtherModel {
  readonly provider: Provider;
  readonly capabilities: Capabilities;
  /**
   * Render parameters for the model. Default: the parameters of the previous model. Parameters that the new model does
   * not know are not sent.
   */
  readonly parameters?: RenderParameters;
}

/** Settings of a forecast instead of those of the session: another model, other reasoning, another mode, and what comes with
 * the prompt. */
export interface ForecastOptions extends ModelReach {
  readonly model?: string | OtherModel;
  readonly reasoning?: RenderParameters;
  /** Names of skills that are loaded with the prompt. */
  readonly skills?: readonly string[];
  /** Notifications that will be recorded before the prompt. */
  readonly notifications?: readonly NotificationReceived[];
  /** Permission mode that will be set before the prompt. */
  readonly mode?: Mode;
}
