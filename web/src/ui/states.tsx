import { AlertIcon } from '@primer/octicons-react';
import { Button } from '@primer/react';
import { useEffect, useState, type ReactNode } from 'react';
import { ApiError } from '../api/client.js';
import { common } from '../texts/en/common.js';
import classes from './states.module.css';

interface ErrorStateProps {
  /** Names what could not be done. */
  readonly title: string;
  readonly error: Error;
  readonly onRetry: () => void;
}

/** Shows in the region that failed: the sentence of the service, the id of the request, and a button that tries again. */
export function ErrorState({ title, error, onRetry }: ErrorStateProps) {
  return (
    <ErrorBox title={title} error={error}>
      <Button onClick={onRetry}>{common.tryAgain}</Button>
    </ErrorBox>
  );
}

/** Shows why an action failed, next to its button or in its dialog. */
export function ActionError({ error }: { readonly error: Error }) {
  return <ErrorBox error={error} />;
}

function ErrorBox({
  title,
  error,
  children,
}: {
  readonly title?: string;
  readonly error: Error;
  readonly children?: ReactNode;
}) {
  const { requestId, retryAfterSeconds } =
    error instanceof ApiError ? error : { requestId: null, retryAfterSeconds: null };
  return (
    <div role="alert" className={classes['error']}>
      <AlertIcon />
      <div>
        {title !== undefined && <strong>{title}</strong>}
        <p lang="en">{error.message}</p>
        {retryAfterSeconds !== null && <Countdown key={requestId} seconds={retryAfterSeconds} />}
        {requestId !== null && <p className={classes['quiet']}>{common.requestId(requestId)}</p>}
        {children}
      </div>
    </div>
  );
}

const SECOND_MS = 1_000;

/** Counts down to the time from which the service accepts the request again. */
function Countdown({ seconds }: { readonly seconds: number }) {
  const [left, setLeft] = useState(Math.ceil(seconds));
  useEffect(() => {
    const timer = setInterval(() => setLeft((before) => Math.max(0, before - 1)), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return left > 0 ? <p>{common.retryIn(left)}</p> : null;
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

/** Keeps the place of rows that are being loaded. It becomes visible after 150 ms. */
export function Placeholder({ rows = 6 }: { readonly rows?: number }) {
  return (
    <div className={classes['placeholder']} aria-busy="true">
      <span className="sr-only">{common.loading}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={classes['bar']} />
      ))}
    </div>
  );
}
