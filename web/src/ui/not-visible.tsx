import { LinkButton } from '@primer/react';
import type { ReactNode } from 'react';
import { common } from '../texts/en/common.js';
import { EmptyState } from './states.js';

interface NotVisibleProps {
  /** Says that the object does not exist, or is hidden from the user. It must not say which. */
  readonly title: string;
  /** The URL to open after the sign-in of another user. */
  readonly returnTo: string;
  /** The way to the objects that the user can see. */
  readonly children?: ReactNode;
}

/** The content of a link to an object that does not exist or that is hidden from the user. */
export function NotVisible({ title, returnTo, children }: NotVisibleProps) {
  return (
    <EmptyState title={title}>
      {children}{' '}
      <LinkButton href={`/api/auth/login?returnTo=${encodeURIComponent(returnTo)}`}>{common.signInAsOther}</LinkButton>
    </EmptyState>
  );
}
