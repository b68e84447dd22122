import { DomainError } from '../../http/errors/domain-error.js';

export const overrideNotFound = (): DomainError =>
  new DomainError('not_found', 'The release has no such active request. It may have expired, or it was withdrawn.');

export const noCandidate = (): DomainError =>
  new DomainError('conflict', 'The release has no candidate yet. An override applies to one commit.', {
    errorCode: 'no_candidate',
  });

export const candidateChanged = (candidateSha: string): DomainError =>
  new DomainError('conflict', `The candidate is ${candidateSha} now. Review it, and create a new request.`, {
    errorCode: 'other_candidate',
  });

export const conditionNotUnmet = (condition: string): DomainError =>
  new DomainError('conflict', `The release has no unmet condition ${condition} now.`, { errorCode: 'condition_met' });

export const unknownCondition = (): DomainError =>
  new DomainError('invalid', 'condition must be the code of a condition.');

export const conditionNotWaivable = (condition: string, why: string): DomainError =>
  new DomainError('unprocessable', `${condition} cannot be waived: ${why}`);

export const invalidExpiry = (): DomainError => new DomainError('invalid', 'expiresAt must be within the next 7 days.');

export const overrideLimitReached = (limit: number): DomainError =>
  new DomainError(
    'conflict',
    `The release has the maximum of ${limit} active requests of this kind. Withdraw one first.`,
    { errorCode: 'override_limit' },
  );

export const cannotConfirmOwnRequest = (): DomainError =>
  new DomainError('forbidden', 'You cannot confirm your own request. Ask another admin.', { errorCode: 'own_request' });

export const alreadyConfirmed = (): DomainError =>
  new DomainError('conflict', 'The request was confirmed already.', { errorCode: 'already_confirmed' });

export const requesterNotAdmin = (): DomainError =>
  new DomainError(
    'conflict',
    'The requester is not an admin any more. Create a new request, and ask another admin to confirm it.',
    { errorCode: 'requester_not_admin' },
  );

export const requestIdRequired = (): DomainError =>
  new DomainError('conflict', 'More than one request waits for a confirmation. Confirm one by its id.', {
    errorCode: 'request_id_required',
  });
