import { DomainError } from '../../http/errors/domain-error.js';

export const projectNotFound = (): DomainError => new DomainError('not_found', 'The workspace has no such project.');
export const noSuchRelease = (): DomainError =>
  new DomainError('not_found', 'The repository has no such release, or it was deleted.', {
    errorCode: 'release_not_found',
  });

export const notLinked = (): DomainError =>
  new DomainError('not_found', 'The project has no such repository, or you cannot read it.');
export const projectHasHiddenRepository = (): DomainError =>
  new DomainError(
    'forbidden',
    'The project has repositories that you cannot read on GitHub. Only a member who can read all of them can delete it.',
    { errorCode: 'hidden_repositories' },
  );

export const nameTaken = (): DomainError =>
  new DomainError('conflict', 'Another project of the workspace has this name. Choose another name.', {
    errorCode: 'name_taken',
  });

export const projectLimitReached = (limit: number): DomainError =>
  new DomainError('conflict', `The workspace has the maximum of ${limit} projects. Delete a project first.`, {
    errorCode: 'project_limit',
  });

export const repositoryLimitReached = (limit: number): DomainError =>
  new DomainError(
    'conflict',
    `The project has the maximum of ${limit} repositories, including those that you cannot read. Remove a repository first.`,
    { errorCode: 'repository_limit' },
  );

export const invalidTargetDate = (): DomainError =>
  new DomainError('invalid', 'targetDate must be a day of the calendar, as YYYY-MM-DD.');
