import { DomainError } from '../../../http/errors/domain-error.js';

export const tooManyEnvironments = (limit: number): DomainError =>
  new DomainError(
    'unprocessable',
    `Artifacts run in ${limit} environments of this repository, which is the maximum. State that nothing runs in one of them.`,
  );
