// The form of a body for a server that speaks Chat Completions.

import { chatForm } from './chat-form.ts';
import type { BodyForm } from '@tidemark/provider-wire';
import { OPENAI } from '../service.ts';
import { chatEnd, chatHeader } from './parameters.ts';

/** `{"model", parameters, "tools", "messages", the output limit, "stream", "stream_options", fields}`. */
export const completionsForm: BodyForm = chatForm({ service: OPENAI, header: chatHeader, end: chatEnd });
