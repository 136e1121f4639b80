// View of a tab without a token.

import { useSignal } from '@preact/signals';
import { refusal, useToken } from './connection.ts';

/** Asks for the token. The one-time link of the server is the usual way. */
export function EntryView() {
  const typed = useSignal('');
  return (
    <main class="entry">
      <h1>Tidemark</h1>
      {refusal.value !== '' && <p role="alert">{refusal.value}</p>}
      <p>
        Open the one-time link that <code>tidemark serve</code> printed, or enter its token.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          useToken(typed.value.trim());
        }}
      >
        <label>
          Token{' '}
          <input
            type="password"
            autocomplete="off"
            value={typed.value}
            onInput={(event) => {
              typed.value = event.currentTarget.value;
            }}
          />
        </label>{' '}
        <button type="submit" disabled={typed.value.trim() === ''}>
          Enter
        </button>
      </form>
    </main>
  );
}
