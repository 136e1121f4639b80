// Errors of the screen: a component that throws ends the screen. Nothing is drawn for it, because the error is reported
// after the terminal was restored.

import type { ReactNode } from 'react';
import { Component } from 'react';

/** Properties of the boundary. `failed` is called with the first error of a component below it. */
export interface ScreenErrorsProperties {
  readonly children?: ReactNode;
  readonly failed: (error: unknown) => void;
}

/** Catches the errors of the components below it. React has no function component for this. */
export class ScreenErrors extends Component<ScreenErrorsProperties, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown): void {
    this.props.failed(error);
  }

  override render(): ReactNode {
    return this.state.hasFailed ? undefined : this.props.children;
  }
}
