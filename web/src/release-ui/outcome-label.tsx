import type { Schema } from '../api/client.js';
import { common } from '../words/en/common.js';
import classes from './outcome-label.module.css';
import { StatusLabel, type StatusLook } from './status-label.js';

type Release = Schema<'Release'>;
type Outcome = NonNullable<Release['outcome']>;

const LOOKS: Readonly<Record<Outcome, StatusLook>> = {
  blocked: 'blocked',
  needs_approval: 'needsApproval',
  ready_to_deploy: 'good',
  in_progress: 'running',
};

/**
 * The outcome of a release as icon and word. A release whose facts are unknown, too old or being evaluated says so instead: only facts
 * that are confirmed and fresh look good. Some outcomes come without `readiness`: the service has already checked that they are fresh.
 */
export function OutcomeLabel({ outcome, readiness }: Pick<Release, 'outcome'> & Partial<Pick<Release, 'readiness'>>) {
  if (outcome === null) return null;
  const note = readiness && common.notVerified[readiness.status];
  if (readiness === undefined || note === undefined)
    return <StatusLabel look={LOOKS[outcome]}>{common.outcomes[outcome]}</StatusLabel>;
  return (
    <span className={classes['pair']}>
      <StatusLabel look={readiness.status === 'unknown' ? 'unknown' : 'stale'}>{note}</StatusLabel>
      <span className={classes['before']}>{common.outcomes[outcome]}</span>
    </span>
  );
}
