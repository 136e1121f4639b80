// What somebody says, on its way into the log: images are made to fit, and a long attachment is cut as the result of a tool
// is, with the whole kept as an artifact that `output_read` pages through (L6).

import type { ContentPart } from '@tidemark/log';
import { openOutput } from '../commit/output.ts';
import { limitsAt } from '../commit/output-limits.ts';
import type { GivenImage } from '../images/image-fitter.ts';
import { keepGivenImages } from '../images/keep-images.ts';
import type { GivenAttachment } from '../turn/live-session.ts';
import type { Runtime } from '../turn/runtime.ts';
import type { Session } from './session.ts';

/** Whose words are kept. */
interface Speaking {
  readonly session: Session;
  readonly runtime: Runtime;
}

/**
 * Returns the parts as the log holds them.
 *
 * @throws AgentError `agent/unfit-image` for an image that cannot be sent. @throws what the store throws.
 */
export async function keepGiven(
  { session, runtime }: Speaking,
  parts: readonly (ContentPart | GivenImage | GivenAttachment)[],
): Promise<readonly ContentPart[]> {
  const keeper = { ...runtime, artifacts: session.log.artifacts };
  const kept: ContentPart[] = [];
  for (const part of parts) {
    const own = part.type === 'attachment' ? keepAttachment(session, runtime, part) : keepGivenImages(keeper, [part]);
    kept.push(...(await own));
  }
  return kept;
}

async function keepAttachment(
  { log: { artifacts }, secrets, state }: Session,
  { capabilities }: Runtime,
  { name, data }: GivenAttachment,
): Promise<readonly ContentPart[]> {
  const output = openOutput({ artifacts, secrets });
  await output.write(data);
  const shaped = await output.finish({ limits: limitsAt(state, capabilities, 1), keeps: 'head' });
  const text: ContentPart = { type: 'text', text: `${name} (${data.length} bytes):\n${shaped.text}` };
  // The part names the artifact, so that tools can read it and no collector of garbage removes it.
  return shaped.output === undefined ? [text] : [{ type: 'file', path: name, artifact: shaped.output }, text];
}
