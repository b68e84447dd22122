import type { DeploymentFact } from '../facts/facts.js';

/** The decision that held for a release when a deployment began, and whether its gate was open by it. */
interface StandingDecision {
  readonly id: string;
  readonly open: boolean;
}

/** A release as a successful deployment finds it. */
export interface DeployedRelease {
  readonly hotfix: boolean;
  readonly shippedAt: Date | null;
  /** A release that was deployed after it had been when this deployment began. */
  readonly superseded: boolean;
  /** The last decision of the time when the deployment began; null where there was none. */
  readonly decision: StandingDecision | null;
  /** A freeze held when the deployment began. */
  readonly frozen: boolean;
}

/** `again` ships nothing new: the commit that runs already was deployed once more. */
export type DeploymentKind = 'release' | 'hotfix' | 'rollback' | 'again' | 'ungoverned';

/**
 * Classifies a successful deployment to the target. Only a commit for which the gate stood open when the deployment began
 * ships; the candidate of no release, or of one whose gate was closed, went past the service.
 */
export function deploymentKind(release: DeployedRelease | null): DeploymentKind {
  if (!release) return 'ungoverned';
  if (release.shippedAt) return release.superseded ? 'rollback' : 'again';
  if (!release.decision?.open || release.frozen) return 'ungoverned';
  return release.hotfix ? 'hotfix' : 'release';
}

/** Whether two names are of one environment: GitHub compares them without regard to case ("Managing environments for deployment"). */
export const isSameEnvironment = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** A deployment that reached what the policy calls the target. */
export const reachedTarget = ({ state, environment, succeededAt }: DeploymentFact, target: string): boolean =>
  isSameEnvironment(environment, target) && succeededAt !== null && (state === 'success' || state === 'inactive');
