import { describe, expect, it } from '@jest/globals';
import { InvalidCredentialError } from './auth.errors.js';

describe('CredentialRefused', () => {
  it('keeps reason and cause for the log', () => {
    const cause = new Error('signature verification failed');
    const refused = new InvalidCredentialError('claim:exp', { cause });
    expect(refused).toMatchObject({ name: 'CredentialRefused', reason: 'claim:exp', cause });
    expect(String(refused)).toBe('CredentialRefused: The credential was refused: claim:exp.');
  });
});
