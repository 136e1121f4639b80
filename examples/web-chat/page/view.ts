// The visible parts of the page. All text is set as text, never as HTML.

import type { FollowedEvent } from '@tidemark/client';

type EventOf<Type extends FollowedEvent['type']> = Extract<FollowedEvent, { type: Type }>;

type WaitingOne = EventOf<'state'>['state']['questions'][number];

/** Actions of the person. */
export interface ViewActions {
  send(text: string): void;
  stop(): void;
  answer(question: string, decision: 'allowed' | 'denied'): void;
}

/** The visible parts of the page. */
export interface ChatView {
  showRecord(record: EventOf<'record'>['record']): void;
  showPassing(event: EventOf<'passing'>['event']): void;
  /** Replaces the text that is arriving. */
  showArriving(text: string): void;
  /** Replaces the questions that wait. */
  showQuestions(questions: EventOf<'state'>['state']['questions']): void;
  /** Shows the prompt that is on its way. */
  showPending(text: string | undefined): void;
  /** Puts a prompt that was not sent back into its field. */
  returnText(text: string, reason?: string): void;
  showConnection(text: string): void;
  showNotice(text: string): void;
}

/** Creates the view. */
export function createView({ send, stop, answer }: ViewActions): ChatView {
  const messages = find('messages', HTMLElement);
  const questions = find('questions', HTMLElement);
  const connection = find('connection', HTMLElement);
  const prompt = find('prompt', HTMLTextAreaElement);
  const sendButton = find('send', HTMLButtonElement);
  const stopButton = find('stop', HTMLButtonElement);
  const arriving = element('div', 'message assistant', '');
  const pending = element('div', 'message user pending', '');
  const add = (kind: string, text: string): void => {
    // Text that is not stored yet stays below the records.
    messages.append(element('div', kind, text));
    for (const last of [arriving, pending]) if (last.textContent !== '') messages.append(last);
  };
  const setText = (box: HTMLElement, text: string): void => {
    box.textContent = text;
    if (text === '') box.remove();
    else if (!box.isConnected) messages.append(box);
  };
  const showRunning = (running: boolean): void => {
    sendButton.hidden = running;
    stopButton.hidden = !running;
  };
  find('form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    const text = prompt.value;
    prompt.value = '';
    send(text);
  });
  stopButton.addEventListener('click', stop);
  return {
    showRecord(record) {
      const { kind } = record;
      // The record contains the text that was arriving.
      if (ENDS_ARRIVING.has(kind)) setText(arriving, '');
      if (kind === 'turn.started' || kind === 'turn.resumed') showRunning(true);
      if (kind === 'turn.ended') showRunning(false);
      for (const [name, text] of linesOf(record)) if (text !== '') add(name, text);
    },
    showPassing(event) {
      if (event.type === 'text.delta') setText(arriving, `${arriving.textContent}${event.text}`);
      if (event.type === 'question.asked') questions.append(questionCard(event.waiting, answer));
      if (event.type === 'question.closed') document.getElementById(`question-${event.id}`)?.remove();
    },
    showArriving: (text) => setText(arriving, text),
    showQuestions(waiting) {
      questions.replaceChildren(...waiting.map((one) => questionCard(one, answer)));
    },
    showPending: (text) => setText(pending, text ?? ''),
    returnText(text, reason) {
      prompt.value = text;
      if (reason !== undefined) add('notice', reason);
    },
    showConnection: (text) => void (connection.textContent = text),
    showNotice: (text) => add('notice', text),
  };
}

const ENDS_ARRIVING: ReadonlySet<string> = new Set([
  'request.prepared',
  'answer.received',
  'answer.interrupted',
  'answer.failed',
  'turn.ended',
]);

/** Returns the visible parts of a record: the class and the text of each. */
function linesOf({ kind, data }: EventOf<'record'>['record']): readonly (readonly [string, string])[] {
  switch (kind) {
    case 'prompt.given':
      return [['message user', textOf(data.parts)]];
    case 'answer.received':
    case 'answer.interrupted':
      return [
        ['message assistant', textOf(data.parts)],
        ...data.parts.flatMap((part) =>
          part.type === 'call' ? [['tool', `${part.name} ${part.arguments}`] as const] : [],
        ),
      ];
    case 'tool.returned':
    case 'tool.failed':
      return [['tool', textOf(data.parts)]];
    case 'turn.ended':
      return data.outcome === 'completed'
        ? []
        : [['notice', data.error?.message ?? `The answer ended as ${data.outcome}.`]];
    default:
      return [];
  }
}

/** Returns a question with its two buttons. */
function questionCard({ id, question }: WaitingOne, answer: ViewActions['answer']): HTMLElement {
  const card = element('div', 'question', '');
  card.id = `question-${id}`;
  const buttons = (['allowed', 'denied'] as const).map((decision) => {
    const button = element('button', '', decision === 'allowed' ? 'Allow' : 'Deny');
    button.addEventListener('click', () => answer(id, decision));
    return button;
  });
  const preview = 'preview' in question ? question.preview.text : '';
  card.append(element('p', '', question.title), element('pre', '', preview), ...buttons);
  return card;
}

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
}

function element(name: 'div' | 'p' | 'pre' | 'button', kind: string, text: string): HTMLElement {
  const made = document.createElement(name);
  made.className = kind;
  made.textContent = text;
  return made;
}

function find<Element extends HTMLElement>(id: string, type: new () => Element): Element {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`the page has no ${id}`);
}
