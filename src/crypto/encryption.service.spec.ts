import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { EncryptionKey } from '../config/value-parsers.js';
import { EncryptionService, DecryptionError } from './encryption.service.js';

const OLD: EncryptionKey = { kid: '2025', key: randomBytes(32) };
const NEW: EncryptionKey = { kid: '2026', key: randomBytes(32) };

const sealerOf = (...encryptionKeys: [EncryptionKey, ...EncryptionKey[]]): EncryptionService =>
  new EncryptionService({ encryptionKeys });

const CONTEXT = 'person:7:access';

describe('Sealer', () => {
  it.each([
    ['a token', 'ghu_16C7e42F292c6912E7710c838347Ae178B4a'],
    ['an empty text', ''],
    ['text beyond ASCII', 'Schlüssel 🔑 \u0000 end'],
  ])('opens what it sealed: %s', (_, secret) => {
    const sealer = sealerOf(NEW);
    expect(sealer.decrypt(sealer.encrypt(secret, CONTEXT), CONTEXT)).toBe(secret);
  });

  it('shows nothing of the secret, and never the same text twice', () => {
    const sealer = sealerOf(NEW);
    const first = sealer.encrypt('correct horse', CONTEXT);
    expect(first).toMatch(/^v1\.2026\.[\w-]{16}\.[\w-]+$/);
    expect(Buffer.from(first.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain('horse');
    expect(sealer.encrypt('correct horse', CONTEXT)).not.toBe(first);
  });

  it('seals with the first key and opens with all', () => {
    const before = sealerOf(OLD).encrypt('secret', CONTEXT);
    const rotated = sealerOf(NEW, OLD);
    expect(rotated.decrypt(before, CONTEXT)).toBe('secret');
    expect(rotated.encrypt('secret', CONTEXT)).toMatch(/^v1\.2026\./);
  });

  it('says which key is missing', () => {
    expect(() => sealerOf(NEW).decrypt(sealerOf(OLD).encrypt('secret', CONTEXT), CONTEXT)).toThrow(
      new DecryptionError('needs the key 2025'),
    );
  });

  it('opens in the context alone that the secret was sealed for', () => {
    const sealer = sealerOf(NEW);
    const sealed = sealer.encrypt('secret', CONTEXT);
    for (const other of ['', 'person:8:access', 'person:7:refresh', 'person:7:acces']) {
      expect(() => sealer.decrypt(sealed, other)).toThrow(DecryptionError);
    }
  });

  it('opens nothing under another key of the same id', () => {
    const sealed = sealerOf(NEW).encrypt('secret', CONTEXT);
    expect(() => sealerOf({ kid: NEW.kid, key: randomBytes(32) }).decrypt(sealed, CONTEXT)).toThrow(DecryptionError);
  });

  it('holds the key id to the secret, even where two ids name one key', () => {
    const sealer = sealerOf(NEW, { kid: 'twin', key: NEW.key });
    const sealed = sealer.encrypt('secret', CONTEXT);
    expect(() => sealer.decrypt(sealed.replace('.2026.', '.twin.'), CONTEXT)).toThrow(DecryptionError);
  });

  it('refuses every change of a single character', () => {
    const sealer = sealerOf(NEW);
    const sealed = sealer.encrypt('a secret of some length', CONTEXT);
    const changed = Array.from(sealed).flatMap((character, at) =>
      ['A', 'B', '.', '_']
        .filter((other) => other !== character)
        .map((other) => sealed.slice(0, at) + other + sealed.slice(at + 1)),
    );
    for (const text of changed) expect(() => sealer.decrypt(text, CONTEXT)).toThrow(DecryptionError);
  });

  it.each([
    '',
    'v1',
    'v1.2026..',
    'v2.2026.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA',
    'plain text',
    'v1.2026.AAAAAAAAAAAAAAAA.AAAA',
  ])('refuses what is no sealed text: %j', (text) => {
    expect(() => sealerOf(NEW).decrypt(text, CONTEXT)).toThrow(DecryptionError);
  });

  it('refuses a text that was cut or prolonged', () => {
    const sealer = sealerOf(NEW);
    const sealed = sealer.encrypt('a secret of some length', CONTEXT);
    const changed = [
      sealed.slice(0, -1),
      sealed.slice(0, -4),
      `${sealed}A`,
      `${sealed}AAAA`,
      `${sealed}\n`,
      `v1.${sealed}`,
    ];
    for (const text of changed) expect(() => sealer.decrypt(text, CONTEXT)).toThrow(DecryptionError);
  });

  it('says whether the text was ever sealed', () => {
    const sealer = sealerOf(NEW);
    expect(() => sealer.decrypt('plain text', CONTEXT)).toThrow(new DecryptionError('is no sealed text'));
    const respelt = `${sealer.encrypt('', CONTEXT).slice(0, -1)}_`;
    expect(() => sealer.decrypt(respelt, CONTEXT)).toThrow(new DecryptionError('was changed'));
  });

  it('tells nothing of the secret when it refuses', () => {
    const sealer = sealerOf(NEW);
    const sealed = sealer.encrypt('secret', CONTEXT);
    const message = (() => {
      try {
        return sealer.decrypt(sealed, 'elsewhere');
      } catch (error) {
        return String(error);
      }
    })();
    expect(message).toBe('SealError: A sealed secret cannot be opened: it was changed, or belongs elsewhere.');
  });
});
