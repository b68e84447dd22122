import type { Schema } from '../api/client.js';
import { useIsPast } from '../ui/use-is-past.js';
import { common } from '../texts/en/common.js';
import classes from './outcome-label.module.css';
import { StatusLabel, type StatusKind } from './status-label.js';

type Release = Schema<'Release'>;
type Outcome = NonNullable<Release['outcome']>;
type Readiness = Release['readiness'];

type OutcomeLabelProps = Pick<Release, 'outcome'> & { readonly readiness?: Readiness };

const VARIANTS: Readonly<Record<Outcome, StatusKind>> = {
  blocked: 'blocked',
  needs_approval: 'needsApproval',
  ready_to_deploy: 'good',
  in_progress: 'running',
};

const VERIFIED: Readiness = { status: 'ready', observedAt: null, validUntil: null };

/** Returns the present readiness. It becomes `expired` when its time has passed, without another response of the service. */
export function useReadinessStatus({ status, validUntil }: Readiness): Readiness['status'] {
  return useIsPast(validUntil) ? 'expired' : status;
}

/**
 * The outcome of a release as icon and word. A release whose facts are unknown, too old or being evaluated says so instead: only facts
 * that are confirmed and fresh look good. Some outcomes come without `readiness`: the service has already checked that they are fresh.
 */
export function OutcomeLabel({ outcome, readiness = VERIFIED }: OutcomeLabelProps) {
  const status = useReadinessStatus(readiness);
  if (outcome === null) return null;
  const note = common.notVerified[status];
  if (note === undefined) return <StatusLabel kind={VARIANTS[outcome]}>{common.outcomes[outcome]}</StatusLabel>;
  return (
    <span className={classes['pair']}>
      <StatusLabel kind={status === 'unknown' ? 'unknown' : 'stale'}>{note}</StatusLabel>
      <span className={classes['before']}>{common.outcomes[outcome]}</span>
    </span>
  );
}
