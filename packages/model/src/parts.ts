// What spans and answers are made of, as a model sees them. Bytes of images come in beside, by digest.

/** Plain text. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  /** Of an answer: what the provider says its place in it is (commentary, the final answer), to be sent back as it came. */
  readonly phase?: string;
}

/** An image; its bytes are looked up by digest when it is lowered. */
export interface ImagePart {
  readonly type: 'image';
  readonly artifact: string;
  /** IANA media type: `image/png`. */
  readonly mediaType: string;
  /** Size of the decoded bytes. */
  readonly bytes: number;
  readonly width?: number;
  readonly height?: number;
}

/** Reasoning: the provider's opaque wire item as raw JSON text, and its plain twin (may be empty). */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly opaque?: string;
  readonly text: string;
  /** The provider and model it is bound to. */
  readonly provider: string;
  readonly model: string;
  /** Something that stood before it in its answer is left out of packing: its prefix is no longer the one it came in. */
  readonly displaced?: boolean;
  /** What came right behind it in its answer is left out of packing, or goes by another id. */
  readonly torn?: boolean;
}

/** A tool call; its arguments are the raw text that was streamed. */
export interface CallPart {
  readonly type: 'call';
  readonly call: string;
  readonly name: string;
  readonly arguments: string;
}

/** Any other block of an answer, as raw JSON text, bound to its provider. */
export interface NativePart {
  readonly type: 'native';
  readonly provider: string;
  readonly item: string;
  readonly text: string;
}

/** The closing of one call. */
export interface ResultPart {
  readonly type: 'result';
  readonly call: string;
  readonly error: boolean;
  readonly content: readonly (TextPart | ImagePart)[];
}

/** How much the model reasons from here on: said inside the history, where the front says otherwise. */
export interface ReasoningChange {
  readonly type: 'change';
  readonly change: 'reasoning';
  /** The level, by the provider's own name for it. */
  readonly setting: string;
}

/** Which tools the model is offered from here on: said inside the history, where the front says otherwise. */
export interface ToolsChange {
  readonly type: 'change';
  readonly change: 'tools';
  readonly added: readonly AddedTool[];
  /** Names that are offered no longer. */
  readonly removed: readonly string[];
}

/** One tool that is offered from here on. A name that is offered already is given another definition. */
export interface AddedTool {
  readonly name: string;
  /** Digest of its canonical definition: the bytes are among the materials. */
  readonly definition: string;
  /** Set where the last definition of that name, in the front or behind it, is this one: it need not be sent again. */
  readonly known?: boolean;
}

/** The agent's own system text from here on: sent inside the history, where the front holds another one. */
export interface RoleChange {
  readonly type: 'change';
  readonly change: 'role';
  /** The words for the model. Never blank. */
  readonly text: string;
}

/** A change of what the front says, appended instead of edited. */
export type ChangePart = ReasoningChange | ToolsChange | RoleChange;

/** Everything that a span can hold. */
export type Part = TextPart | ImagePart | ReasoningPart | CallPart | NativePart | ResultPart | ChangePart;

/** What an answer decodes to, in arrival order. Reasoning is bound to the model that was asked. */
export type AnswerPart =
  | TextPart
  | { readonly type: 'reasoning'; readonly opaque?: string; readonly text: string }
  | CallPart
  | NativePart;
