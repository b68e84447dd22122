import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { EncryptionKey } from '../config/value-parsers.js';

/** A secret that cannot be decrypted. The message never contains a part of it. */
export class DecryptionError extends Error {
  override readonly name = 'SealError';

  constructor(reason: string) {
    super(`A sealed secret cannot be opened: it ${reason}.`);
  }
}

const CIPHER = 'aes-256-gcm';
const VERSION = 'v1';
/** 96 random bits: safe for 2^32 secrets under one key (NIST SP 800-38D, § 8.3). */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SEALED = /^v1\.([\w-]{1,32})\.([\w-]{16})\.([\w-]{22,})$/;

/**
 * Encrypts secrets for the database. A ciphertext is bound to its context, which names its owner and purpose: in
 * another row or column it does not decrypt. The format is `v1.<key id>.<nonce>.<ciphertext and tag>`.
 */
@Injectable()
export class EncryptionService {
  readonly #keys: readonly [EncryptionKey, ...EncryptionKey[]];

  constructor(@Inject(ENVIRONMENT) { encryptionKeys }: Pick<Environment, 'encryptionKeys'>) {
    this.#keys = encryptionKeys;
  }

  /** Encrypts with the first key. The result differs for each call. */
  encrypt(plaintext: string, context: string): string {
    const [{ kid, key }] = this.#keys;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(boundTo(kid, context));
    const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [VERSION, kid, nonce.toString('base64url'), body.toString('base64url')].join('.');
  }

  /**
   * Throws a `DecryptionError` if the text was changed, belongs to another context, or its key is not configured any
   * more.
   */
  decrypt(sealed: string, context: string): string {
    const [, kid = '', nonce = '', body = ''] = SEALED.exec(sealed) ?? [];
    const found = this.#keys.find((key) => key.kid === kid);
    if (found === undefined) throw new DecryptionError(kid === '' ? 'is no sealed text' : `needs the key ${kid}`);
    const bytes = Buffer.from(body, 'base64url');
    // Base64 has several spellings of the same last byte. Only the written one is accepted.
    if (bytes.toString('base64url') !== body) throw new DecryptionError('was changed');
    const decipher = createDecipheriv(CIPHER, found.key, Buffer.from(nonce, 'base64url'), { authTagLength: TAG_BYTES });
    decipher.setAAD(boundTo(kid, context));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      throw new DecryptionError('was changed, or belongs elsewhere');
    }
  }
}

/** The version and the key id are outside of the ciphertext, so they are authenticated together with the context. */
const boundTo = (kid: string, context: string): Buffer => Buffer.from(JSON.stringify([VERSION, kid, context]));
