/** What an admin is told whose workflow update cannot be opened, or looked at. */
import { GitHubError } from '../../../github/transport/github-error.js';
import { DomainError } from '../../../http/errors/domain-error.js';

export const repositoryNotSetUp = (): DomainError =>
  new DomainError('conflict', 'The repository has no workflows of Shipgate: set it up first.');

export const branchConflict = (branch: string): DomainError =>
  new DomainError(
    'conflict',
    `CONFLICT: the branch ${branch} holds changes, or has a pull request, that are not of Shipgate. Close and delete what is there, and ask again.`,
  );

export const patRequired = (): DomainError =>
  new DomainError(
    'unprocessable',
    'PAT_REQUIRED: the app may not write workflow files here. Send a personal access token as "pat" that may write contents and workflows of this repository.',
  );

const patRejected = (cause: GitHubError): DomainError =>
  new DomainError(
    'unprocessable',
    'PAT_REQUIRED: GitHub does not let this personal access token write workflow files here. It must be valid, admitted to the organization, and allowed to write contents and workflows of this repository.',
    { cause },
  );

/** The same about what was written with a person's token: GitHub tells one that may not write workflows that nothing is there. */
export const asRefusalOfToken = (error: unknown): unknown =>
  GitHubError.is(error, 'unauthorized', 'forbidden', 'not_found', 'invalid') ? patRejected(error) : error;

/** The same about what the app wrote: an owner may have taken the permission back since it was last read. */
export const asRefusalOfApp = (error: unknown): unknown =>
  GitHubError.is(error, 'forbidden') && !/archived/i.test(error.message) ? patRequired() : error;
