import { describe, expect, it } from '@jest/globals';
import { InvalidCredentialError } from './auth.errors.js';

describe('InvalidCredentialError', () => {
  it('contains reason and cause for the log', () => {
    const cause = new Error('signature verification failed');
    const refused = new InvalidCredentialError('claim:exp', { cause });
    expect(refused).toMatchObject({ name: 'InvalidCredentialError', reason: 'claim:exp', cause });
    expect(String(refused)).toBe('InvalidCredentialError: The credential is invalid: claim:exp.');
  });
});
