/** Errors of manually recorded deployments. Each message says what the caller can do next. */
import type { Condition } from '../../../domain/facts/condition.js';
import { MAX_LISTED_BLOCKERS } from '../../../domain/release/outcome.js';
import { DomainError } from '../../../http/errors/domain-error.js';

export const gateClosed = (version: string, reasons: readonly Condition[]): DomainError => {
  const details = reasons.slice(0, MAX_LISTED_BLOCKERS).map(({ detail }) => detail);
  return new DomainError('conflict', [`The gate of ${version} is closed.`, ...details].join(' '));
};

export const gateWasClosed = (): DomainError =>
  new DomainError(
    'conflict',
    'The gate was not open at deployedAt: what was deployed then went past it, and ships nothing.',
  );

export const freezeWasActive = (): DomainError =>
  new DomainError('conflict', 'Deployments were frozen at deployedAt: what was deployed then ships nothing.');

export const deploymentReportedByGitHub = (): DomainError =>
  new DomainError(
    'conflict',
    'GitHub has told of the deployment at deployedAt: the history says what it was, and nobody records it otherwise.',
  );

export const candidateWasDifferent = (candidateSha: string): DomainError =>
  new DomainError('conflict', `At deployedAt the candidate was not ${candidateSha}, which the gate is open for now.`);

export const wrongEnvironment = (target: string): DomainError =>
  new DomainError('unprocessable', `A release is shipped by its deployment to ${target}, which its policy names.`);

export const deployedAtInFuture = (): DomainError =>
  new DomainError('invalid', 'deployedAt must be a moment that has passed.');
