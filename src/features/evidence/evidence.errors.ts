import { DomainError } from '../../http/errors/domain-error.js';

export const valueRefused = (path: string, expected: string): DomainError =>
  new DomainError('unprocessable', `${path} must be ${expected}.`);

export const tokenLimitReached = (limit: number): DomainError =>
  new DomainError(
    'rate_limited',
    `This identity token was used for ${limit} uploads, which is the maximum. Request another token.`,
    { retryAfterSeconds: 1 },
  );

export const idempotencyKeyUsed = (): DomainError =>
  new DomainError('conflict', 'This Idempotency-Key was used for another upload. Send another key.', {
    errorCode: 'idempotency_key_used',
  });

export const commitLimitReached = ({
  uploads,
  files,
}: {
  readonly uploads: number;
  readonly files: number;
}): DomainError =>
  new DomainError(
    'too_large',
    `The evidence of one commit can have at most ${uploads} uploads and ${files} files. ` +
      'Merge the files before the upload, or test a new commit.',
  );

export const evidenceComplete = (): DomainError =>
  new DomainError('conflict', 'The release is shipped and accepts no more evidence.', { errorCode: 'shipped' });
