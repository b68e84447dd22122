import { AlertIcon } from '@primer/octicons-react';
import { Button } from '@primer/react';
import { createContext, use, useEffect, useEffectEvent, useState, type ReactNode } from 'react';
import { ApiError } from '../api/client.js';
import { common } from '../texts/en/common.js';
import classes from './states.module.css';

interface ErrorStateProps {
  /** Names what could not be done. */
  readonly title: string;
  readonly error: Error;
  readonly onRetry: () => void;
}

const FORBIDDEN = 403;

/**
 * Shows in the region that failed: the sentence of the service, the id of the request, and a button that tries again, unless the user is not
 * allowed to read it. If the service has named a time, it tries again by itself at that time.
 */
export function ErrorState({ title, error, onRetry }: ErrorStateProps) {
  return (
    <ErrorBox title={title} error={error} onRetry={onRetry}>
      {!(error instanceof ApiError && error.status === FORBIDDEN) && (
        <Button onClick={onRetry}>{common.tryAgain}</Button>
      )}
    </ErrorBox>
  );
}

const NO_SESSION = 401;

/** Shows why an action failed, next to its button or in its dialog. The user may have signed in again since. */
export function ActionError({ error }: { readonly error: Error }) {
  const hadNoSession = error instanceof ApiError && error.status === NO_SESSION;
  return <ErrorBox error={hadNoSession ? new ApiError(common.hadNoSession, NO_SESSION) : error} />;
}

interface ErrorBoxProps extends Pick<ErrorStateProps, 'error'>, Partial<Pick<ErrorStateProps, 'title' | 'onRetry'>> {
  readonly children?: ReactNode;
}

function ErrorBox({ title, error, onRetry, children }: ErrorBoxProps) {
  const { requestId, retryAt } = error instanceof ApiError ? error : { requestId: null, retryAt: null };
  return (
    <div role="alert" className={classes['error']}>
      <AlertIcon />
      <div>
        {title !== undefined && <strong>{title}</strong>}
        <p lang="en">{error.message}</p>
        {retryAt !== null && <Countdown key={retryAt} until={retryAt} onEnd={onRetry} />}
        {requestId !== null && <p className={classes['quiet']}>{common.requestId(requestId)}</p>}
        {children}
      </div>
    </div>
  );
}

const SECOND_MS = 1_000;

interface CountdownProps {
  /** In milliseconds, on the clock of this computer. */
  readonly until: number;
  /** Tries again. Actions are never repeated, so they have none. */
  readonly onEnd: (() => void) | undefined;
}

/** Counts down to the time from which the service accepts the request again. */
function Countdown({ until, onEnd }: CountdownProps) {
  const [now, setNow] = useState(Date.now);
  const left = Math.ceil((until - now) / SECOND_MS);
  const isOver = left <= 0;
  const end = useEffectEvent(() => onEnd?.());
  useEffect(() => {
    if (isOver) {
      end();
      return undefined;
    }
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, [isOver]);
  // Without the role a screen reader would read the alert again each second.
  return isOver ? null : <p role="timer">{onEnd ? common.retriesIn(left) : common.retryIn(left)}</p>;
}

/** Whether the content around belongs to other filters than those that the user has set. */
export const OtherFiltersContext = createContext(false);

/** Shows that there is no content, and the next step. Shows nothing for filters whose result is not loaded yet. */
export function EmptyState({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  const isOfOtherFilters = use(OtherFiltersContext);
  if (isOfOtherFilters) return <Placeholder />;
  return (
    <div className={classes['empty']}>
      <p className={classes['title']}>{title}</p>
      {children}
    </div>
  );
}

/** Content that is dimmed and cannot be used while it is stale. Tables do this by themselves. */
export function StalePart({ isStale, children }: { readonly isStale: boolean; readonly children: ReactNode }) {
  return (
    <div className={classes['part']} aria-busy={isStale} inert={isStale}>
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
