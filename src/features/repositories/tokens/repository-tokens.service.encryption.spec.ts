import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { EncryptionKey } from '../../../config/value-parsers.js';
import { EncryptionService, DecryptionError } from '../../../crypto/encryption.service.js';
import { toOrgId } from '../../../database/ids.js';
import { TokenEncryption, type TokenPlace } from './repository-tokens.service.js';

const OLD: EncryptionKey = { kid: '2025', key: randomBytes(32) };
const NEW: EncryptionKey = { kid: '2026', key: randomBytes(32) };
const TOKEN = 'github_pat_11AAAAAAA0abcdefghijklmnop';
const HERE: TokenPlace = {
  orgId: toOrgId('6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b'),
  repositoryId: '0b8f3a0e-6a3c-4b86-8a3e-1d2c3b4a5f60',
};

const envelopeOf = (...encryptionKeys: [EncryptionKey, ...EncryptionKey[]]): TokenEncryption =>
  new TokenEncryption(new EncryptionService({ encryptionKeys }));

describe('the envelope of a token', () => {
  it('can be decrypted in the context of its encryption, and the ciphertext contains no token', () => {
    const encrypted = envelopeOf(NEW).encrypt(HERE, TOKEN);
    expect(envelopeOf(NEW).decrypt(HERE, encrypted)).toBe(TOKEN);
    expect(JSON.stringify(encrypted)).not.toContain(TOKEN.slice(0, 15));
    expect(encrypted.encryptedKey).toMatch(/^v1\.2026\./);
  });

  it.each<[string, Partial<TokenPlace>]>([
    ['repository', { repositoryId: '1c9f4b1f-7b4d-4c97-9b4f-2e3d4c5b6071' }],
    ['workspace', { orgId: toOrgId('7a1e2d63-4c8b-4f90-8b62-1d3e5f709b2c') }],
  ])('cannot be decrypted for another %s', (_whose, other) => {
    const encrypted = envelopeOf(NEW).encrypt(HERE, TOKEN);
    expect(() => envelopeOf(NEW).decrypt({ ...HERE, ...other }, encrypted)).toThrow(DecryptionError);
  });

  it('gives each token its own key, so that parts of two envelopes cannot be combined', () => {
    const envelope = envelopeOf(NEW);
    const [one, other] = [envelope.encrypt(HERE, TOKEN), envelope.encrypt(HERE, TOKEN)];
    expect(() => envelope.decrypt(HERE, { ...one, encryptedKey: other.encryptedKey })).toThrow(DecryptionError);
    expect(() => envelope.decrypt(HERE, { encryptedToken: one.encryptedKey, encryptedKey: one.encryptedKey })).toThrow(
      DecryptionError,
    );
  });

  it('can be decrypted with every configured key, and names a missing one', () => {
    const encrypted = envelopeOf(OLD).encrypt(HERE, TOKEN);
    expect(envelopeOf(NEW, OLD).decrypt(HERE, encrypted)).toBe(TOKEN);
    expect(() => envelopeOf(NEW).decrypt(HERE, encrypted)).toThrow('needs the key 2025');
  });
});
