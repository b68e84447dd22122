import { DomainError } from '../../../http/errors/domain-error.js';

export const reportNamesNoCommit = (): DomainError =>
  new DomainError('invalid', 'Send at least one of commit_sha, version and digest.');

/** How far the clock of a CI system may be ahead, in milliseconds. */
const MAX_AHEAD_MS = 5 * 60_000;

/** Throws `invalid` if a CI system states a time that is too far in the future. */
export function assertNotInFuture(statedAt: Date | null, now: Date): void {
  if (statedAt !== null && statedAt.getTime() > now.getTime() + MAX_AHEAD_MS)
    throw new DomainError('invalid', 'at must not be more than five minutes in the future.');
}

export const deploymentNotReportable = (): DomainError =>
  new DomainError(
    'not_found',
    'The workspace has no such repository, or this credential cannot report deployments for it.',
  );

export const eventCannotDeploy = (event: string): DomainError =>
  new DomainError('forbidden', `Runs of the event "${event}" cannot report deployments.`);

export const otherTokenEnvironment = (environment: string): DomainError =>
  new DomainError(
    'forbidden',
    `The identity token is not for the environment "${environment}". Name it as environment of the job.`,
  );

export const reportLimitReached = (limit: number): DomainError =>
  new DomainError(
    'rate_limited',
    `This identity token was used for ${limit} reports, which is the maximum. Request another token.`,
    { retryAfterSeconds: 1 },
  );

export const otherTokenCommit = (): DomainError =>
  new DomainError(
    'forbidden',
    'The identity token is for another commit than the deployed one. Deploy a release with a run of its own commit.',
  );

export const digestNotFound = (): DomainError =>
  new DomainError('not_found', 'No release of the repository has an artifact with this digest.');

export const releaseHasNoCandidate = (): DomainError =>
  new DomainError('unprocessable', 'The release has no candidate commit yet. Send commit_sha.');

export const commitsDisagree = (): DomainError =>
  new DomainError('conflict', 'commit_sha, version and digest do not name the same commit.', {
    errorCode: 'commits_disagree',
  });

export const otherCommitReported = (commitSha: string): DomainError =>
  new DomainError('conflict', `This deployment was reported with the commit ${commitSha}. Choose another id.`, {
    errorCode: 'other_commit',
  });

export const otherEndReported = (status: string): DomainError =>
  new DomainError('conflict', `This deployment was reported as ${status}. Choose another id for a new deployment.`, {
    errorCode: 'deployment_ended',
  });
