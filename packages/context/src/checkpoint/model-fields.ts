// What a model may add to a checkpoint. Files, commands and what people said come from the log alone, so it is not asked
// for them.

/** The answer of a model, read and checked. Positions are the model's own word, and are checked where they are merged. */
export interface ModelFields {
  /** What the session is about now. */
  readonly objective?: string;
  readonly decisions: readonly ModelDecision[];
  readonly work: readonly { readonly what: string; readonly position?: number }[];
  readonly tasks: readonly ModelTask[];
  readonly questions: readonly string[];
  readonly risks: readonly string[];
  /** What it says that it could not carry over. */
  readonly limitations: readonly string[];
}

/** A decision as a model has it. */
export interface ModelDecision {
  readonly what: string;
  readonly why?: string;
  readonly status: string;
  readonly position?: number;
}

/** A task as a model has it. */
export interface ModelTask {
  readonly task: string;
  readonly status: 'open' | 'active';
  readonly position?: number;
}

/** What two answers say, of one stretch of the history and of the next. */
export function joinModelFields(a: ModelFields, b: ModelFields): ModelFields {
  const objective = b.objective ?? a.objective;
  return {
    ...(objective !== undefined && { objective }),
    decisions: [...a.decisions, ...b.decisions],
    work: [...a.work, ...b.work],
    tasks: [...a.tasks, ...b.tasks],
    questions: [...a.questions, ...b.questions],
    risks: [...a.risks, ...b.risks],
    limitations: [...a.limitations, ...b.limitations],
  };
}
