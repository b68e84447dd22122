/** What somebody is told whose project cannot be so: each sentence says what to do next, where there is something to do. */
import { DomainError } from '../../http/errors/domain-error.js';

export const noSuchProject = (): DomainError => new DomainError('not_found', 'The workspace has no such project.');

export const noSuchRelease = (): DomainError =>
  new DomainError('not_found', 'The repository has no such release, or it was deleted.');

export const notLinked = (): DomainError =>
  new DomainError('not_found', 'The project has no such repository, or the person may not read it.');

export const holdsHiddenRepository = (): DomainError =>
  new DomainError(
    'forbidden',
    'The project also has repositories that you may not read on GitHub: only somebody who may read all of them deletes it.',
  );

export const nameTaken = (): DomainError =>
  new DomainError('conflict', 'Another project of the workspace has this name: choose another one.');

export const tooManyProjects = (most: number): DomainError =>
  new DomainError('conflict', `The workspace has ${most} projects and may have no more: delete one first.`);

export const tooManyRepositories = (most: number): DomainError =>
  new DomainError(
    'conflict',
    `The project has ${most} repositories, those included that you may not read, and may have no more.`,
  );

export const noSuchDay = (): DomainError =>
  new DomainError('invalid', 'targetDate must be a day of the calendar, as YYYY-MM-DD.');
