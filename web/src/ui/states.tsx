import { Button } from '@primer/react';
import { AlertIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.js';
import { words } from '../words/en.js';
import classes from './states.module.css';

interface ErrorStateProps {
  /** Names what could not be done. */
  readonly title: string;
  readonly error: Error;
  readonly onRetry: () => void;
}

/** Shows in the region that failed: the sentence of the service, the id of the request, and a button that tries again. */
export function ErrorState({ title, error, onRetry }: ErrorStateProps) {
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <div role="alert" className={classes['error']}>
      <AlertIcon />
      <div>
        <strong>{title}</strong>
        <p lang="en">{error.message}</p>
        {requestId !== null && <p className={classes['quiet']}>{words.states.requestId(requestId)}</p>}
        <Button onClick={onRetry}>{words.states.tryAgain}</Button>
      </div>
    </div>
  );
}

/** Says that there is nothing to show, and what to do next. */
export function EmptyState({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className={classes['empty']}>
      <p className={classes['title']}>{title}</p>
      {children}
    </div>
  );
}
