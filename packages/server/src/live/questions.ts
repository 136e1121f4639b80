// Questions of one session that wait for an answer. Any client can answer, and the first answer counts.

import { randomUUID } from 'node:crypto';
import type { Asker, PermissionAnswer, Question } from '@tidemark/agent';
import { ServerError } from '../errors.ts';

/** A question that waits, with the id under which a client answers it. */
export interface WaitingQuestion {
  readonly id: string;
  readonly question: Question;
}

/** Change of the waiting questions. */
export type QuestionEvent =
  | { readonly type: 'question.asked'; readonly waiting: WaitingQuestion }
  | { readonly type: 'question.closed'; readonly id: string; readonly answered: boolean };

/** Waiting questions of one session. */
export interface Questions {
  /** Callback for the agent. Its promise resolves with the answer of a client, and rejects if the turn is interrupted. */
  readonly ask: Asker;
  waiting(): readonly WaitingQuestion[];
  /** @throws ServerError `server/no-such-question`; `server/answered` if another client was faster. */
  answer(id: string, answer: PermissionAnswer): void;
}

/** Number of answered questions whose ids are remembered, for the error of a late client. */
const REMEMBERED = 100;

/** Creates the questions of one session. `tell` receives each change. */
export function createQuestions(tell: (event: QuestionEvent) => void): Questions {
  const open = new Map<string, WaitingQuestion & { settle(answer: PermissionAnswer): void }>();
  const answered: string[] = [];
  const close = (id: string, byAnswer: boolean): void => {
    if (!open.delete(id)) return;
    if (byAnswer) answered.push(id);
    if (answered.length > REMEMBERED) answered.shift();
    tell({ type: 'question.closed', id, answered: byAnswer });
  };
  return {
    ask: (question, signal) =>
      new Promise((resolve, reject) => {
        const id = randomUUID();
        const withdraw = (): void => {
          close(id, false);
          reject(signal.reason);
        };
        if (signal.aborted) return withdraw();
        signal.addEventListener('abort', withdraw, { once: true });
        const settle = (answer: PermissionAnswer): void => {
          signal.removeEventListener('abort', withdraw);
          close(id, true);
          resolve(answer);
        };
        open.set(id, { id, question, settle });
        tell({ type: 'question.asked', waiting: { id, question } });
      }),
    waiting: () => [...open.values()].map(({ id, question }) => ({ id, question })),
    answer(id, answer) {
      const waiting = open.get(id);
      if (waiting !== undefined) return waiting.settle(answer);
      if (answered.includes(id))
        throw new ServerError(
          'server/answered',
          `question ${id} was already answered`,
          'read the events of the session',
        );
      throw new ServerError(
        'server/no-such-question',
        `no question ${id} waits in this session`,
        'read the session: its field `questions` lists the waiting ones',
      );
    },
  };
}
