import { RelativeTime } from '../ui/relative-time.js';
import { text } from '../texts/en/release.js';
import classes from './part-status.module.css';
import { StatusLabel } from './status-label.js';

interface PartStatusProps {
  readonly part: {
    readonly status: 'current' | 'unknown';
    readonly reason: string | null;
    readonly observedAt: string | null;
  };
}

/**
 * The time of the last read of a part from GitHub. If the part is not current, also the reason, and a note that its values are
 * old.
 */
export function PartStatus({ part: { status, reason, observedAt } }: PartStatusProps) {
  const time = observedAt !== null && <RelativeTime date={observedAt} />;
  if (status === 'current') {
    return (
      <p className="quiet">
        {text.part.read} {time}
      </p>
    );
  }
  return (
    <p className={classes['unknown']}>
      <StatusLabel kind="unknown">{text.part.unknown}</StatusLabel> {reason !== null && <span lang="en">{reason}</span>}{' '}
      <span className="quiet">
        {time ? (
          <>
            {text.part.lastRead} {time}
          </>
        ) : (
          text.part.notRead
        )}
      </span>
    </p>
  );
}
