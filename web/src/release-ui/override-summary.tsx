import type { ReactNode } from 'react';
import type { Schema } from '../api/client.js';
import { withKeys } from '../ui/list-keys.js';
import { Moment } from '../ui/relative-time.js';
import { text } from '../texts/en/release.js';
import { StatusLabel } from './status-label.js';

interface OverrideSummaryProps {
  readonly override: Schema<'Override'>;
  /** Stands before the conditions. */
  readonly lead?: ReactNode;
}

/** An override in effect: its kind, end and reason, and the conditions that it covers. */
export function OverrideSummary({ override: { kind, reason, expiresAt, conditions }, lead }: OverrideSummaryProps) {
  return (
    <>
      <StatusLabel kind="overridden">
        {text.blockers.kinds[kind]} {text.blockers.until} <Moment date={expiresAt} />
      </StatusLabel>{' '}
      {reason}
      {lead}
      <ul className="quiet">
        {withKeys(conditions, ({ code }) => code).map(([key, { detail }]) => (
          <li key={key} lang="en">
            {detail}
          </li>
        ))}
      </ul>
    </>
  );
}
