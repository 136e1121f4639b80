// The form of a body for the router: Chat Completions that takes markers.

import { chatForm } from '../chat/chat-form.ts';
import type { BodyForm } from '@tidemark/provider-wire';
import { OPENROUTER } from './service.ts';
import { end, header } from './parameters.ts';

/** `{"model", parameters, "tools", "messages", "max_completion_tokens", "stream", fields}`. */
export const routerForm: BodyForm = chatForm({
  service: OPENROUTER,
  header,
  end,
  // The 5 minute lifetime is the default and has no field.
  marks: { '5m': ',"cache_control":{"type":"ephemeral"}', '1h': ',"cache_control":{"type":"ephemeral","ttl":"1h"}' },
});
