import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { EncryptionKey } from '../config/value-parsers.js';
import { EncryptionService, DecryptionError } from './encryption.service.js';

const OLD: EncryptionKey = { kid: '2025', key: randomBytes(32) };
const NEW: EncryptionKey = { kid: '2026', key: randomBytes(32) };

const serviceWith = (...encryptionKeys: [EncryptionKey, ...EncryptionKey[]]): EncryptionService =>
  new EncryptionService({ encryptionKeys });

const CONTEXT = 'person:7:access';

describe('EncryptionService', () => {
  it.each([
    ['a token', 'ghu_16C7e42F292c6912E7710c838347Ae178B4a'],
    ['an empty text', ''],
    ['text beyond ASCII', 'Schlüssel 🔑 \u0000 end'],
  ])('decrypts what it encrypted: %s', (_, secret) => {
    const service = serviceWith(NEW);
    expect(service.decrypt(service.encrypt(secret, CONTEXT), CONTEXT)).toBe(secret);
  });

  it('does not reveal the secret, and never returns the same text twice', () => {
    const service = serviceWith(NEW);
    const first = service.encrypt('correct horse', CONTEXT);
    expect(first).toMatch(/^v1\.2026\.[\w-]{16}\.[\w-]+$/);
    expect(Buffer.from(first.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain('horse');
    expect(service.encrypt('correct horse', CONTEXT)).not.toBe(first);
  });

  it('encrypts with the first key and decrypts with every key', () => {
    const before = serviceWith(OLD).encrypt('secret', CONTEXT);
    const rotated = serviceWith(NEW, OLD);
    expect(rotated.decrypt(before, CONTEXT)).toBe('secret');
    expect(rotated.encrypt('secret', CONTEXT)).toMatch(/^v1\.2026\./);
  });

  it('names the missing key', () => {
    expect(() => serviceWith(NEW).decrypt(serviceWith(OLD).encrypt('secret', CONTEXT), CONTEXT)).toThrow(
      new DecryptionError('needs the key 2025'),
    );
  });

  it('decrypts only in the context of the encryption', () => {
    const service = serviceWith(NEW);
    const encrypted = service.encrypt('secret', CONTEXT);
    for (const other of ['', 'person:8:access', 'person:7:refresh', 'person:7:acces']) {
      expect(() => service.decrypt(encrypted, other)).toThrow(DecryptionError);
    }
  });

  it('rejects another key with the same id', () => {
    const encrypted = serviceWith(NEW).encrypt('secret', CONTEXT);
    expect(() => serviceWith({ kid: NEW.kid, key: randomBytes(32) }).decrypt(encrypted, CONTEXT)).toThrow(
      DecryptionError,
    );
  });

  it('binds the key id to the secret, even if two ids have the same key', () => {
    const service = serviceWith(NEW, { kid: 'twin', key: NEW.key });
    const encrypted = service.encrypt('secret', CONTEXT);
    expect(() => service.decrypt(encrypted.replace('.2026.', '.twin.'), CONTEXT)).toThrow(DecryptionError);
  });

  it('rejects every change of a single character', () => {
    const service = serviceWith(NEW);
    const encrypted = service.encrypt('a secret of some length', CONTEXT);
    const changed = Array.from(encrypted).flatMap((character, at) =>
      ['A', 'B', '.', '_']
        .filter((other) => other !== character)
        .map((other) => encrypted.slice(0, at) + other + encrypted.slice(at + 1)),
    );
    for (const text of changed) expect(() => service.decrypt(text, CONTEXT)).toThrow(DecryptionError);
  });

  it.each([
    '',
    'v1',
    'v1.2026..',
    'v2.2026.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA',
    'plain text',
    'v1.2026.AAAAAAAAAAAAAAAA.AAAA',
  ])('rejects a text that was not encrypted: %j', (text) => {
    expect(() => serviceWith(NEW).decrypt(text, CONTEXT)).toThrow(DecryptionError);
  });

  it('rejects a text that was truncated or extended', () => {
    const service = serviceWith(NEW);
    const encrypted = service.encrypt('a secret of some length', CONTEXT);
    const changed = [
      encrypted.slice(0, -1),
      encrypted.slice(0, -4),
      `${encrypted}A`,
      `${encrypted}AAAA`,
      `${encrypted}\n`,
      `v1.${encrypted}`,
    ];
    for (const text of changed) expect(() => service.decrypt(text, CONTEXT)).toThrow(DecryptionError);
  });

  it('distinguishes a text that was not encrypted from a changed one', () => {
    const service = serviceWith(NEW);
    expect(() => service.decrypt('plain text', CONTEXT)).toThrow(new DecryptionError('is no sealed text'));
    const altered = `${service.encrypt('', CONTEXT).slice(0, -1)}_`;
    expect(() => service.decrypt(altered, CONTEXT)).toThrow(new DecryptionError('was changed'));
  });

  it('does not reveal the secret in its error', () => {
    const service = serviceWith(NEW);
    const encrypted = service.encrypt('secret', CONTEXT);
    const message = (() => {
      try {
        return service.decrypt(encrypted, 'elsewhere');
      } catch (error) {
        return String(error);
      }
    })();
    expect(message).toBe('SealError: A sealed secret cannot be opened: it was changed, or belongs elsewhere.');
  });
});
