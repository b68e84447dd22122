import { describe, expect, it } from '@jest/globals';
import { DomainError, UnexpectedError } from './domain-error.js';
import { toErrorResponse } from './error.filter.js';

describe('UnexpectedError', () => {
  const failure = (cause: unknown) => toErrorResponse(new UnexpectedError('The list could not be loaded.', cause));

  it('returns its own message with status 500 and the fault defect', () => {
    expect(failure(new TypeError('secret.column is null'))).toEqual({
      status: 500,
      message: 'The list could not be loaded.',
      headers: {},
      fault: 'defect',
    });
  });

  it('returns the response of its cause if that one is expected', () => {
    expect(failure(new DomainError('not_found', 'No such thing.'))).toMatchObject({
      status: 404,
      message: 'No such thing.',
      fault: 'caller',
    });
    const lost = failure(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));
    expect(lost).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } });
  });
});
