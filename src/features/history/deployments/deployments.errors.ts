import type { Condition } from '../../../domain/facts/condition.js';
import { MAX_LISTED_BLOCKERS } from '../../../domain/release/outcome.js';
import { DomainError } from '../../../http/errors/domain-error.js';

export const gateClosed = (version: string, reasons: readonly Condition[]): DomainError => {
  const details = reasons.slice(0, MAX_LISTED_BLOCKERS).map(({ detail }) => detail);
  return new DomainError('conflict', [`The gate of ${version} is closed.`, ...details].join(' '), {
    errorCode: 'gate_closed',
  });
};

export const gateWasClosed = (): DomainError =>
  new DomainError('conflict', 'The gate was closed at deployedAt. This deployment does not ship the release.', {
    errorCode: 'gate_was_closed',
  });

export const freezeWasActive = (): DomainError =>
  new DomainError('conflict', 'A freeze was active at deployedAt. This deployment does not ship the release.', {
    errorCode: 'freeze_was_active',
  });

export const deploymentReportedByGitHub = (): DomainError =>
  new DomainError('conflict', 'GitHub reported the deployment at deployedAt. It is already in the history.', {
    errorCode: 'reported_by_github',
  });

export const candidateWasDifferent = (candidateSha: string): DomainError =>
  new DomainError(
    'conflict',
    `At deployedAt the candidate was not ${candidateSha}, which is the candidate now. Only its deployment ships the release.`,
    { errorCode: 'other_candidate' },
  );

export const wrongEnvironment = (target: string): DomainError =>
  new DomainError(
    'unprocessable',
    `The policy deploys releases to ${target}. Record a deployment to that environment.`,
  );

export const deployedAtInFuture = (): DomainError => new DomainError('invalid', 'deployedAt must be in the past.');
