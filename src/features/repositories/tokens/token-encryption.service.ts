import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EncryptionService } from '../../../crypto/encryption.service.js';
import type { OrgId } from '../../../database/ids.js';

/** The repository that a token is encrypted for. It cannot be decrypted for another one. */
export interface TokenPlace {
  readonly orgId: OrgId;
  readonly repositoryId: string;
}

/** A token encrypted with its own key, and that key encrypted with the key of the service. */
export interface EncryptedToken {
  readonly encryptedToken: string;
  readonly encryptedKey: string;
}

const KEY_BYTES = 32;

/** Encrypts tokens, each with its own key and bound to its repository. */
@Injectable()
export class TokenEncryptionService {
  constructor(private readonly encryption: EncryptionService) {}

  encrypt(place: TokenPlace, token: string): EncryptedToken {
    const key = randomBytes(KEY_BYTES);
    return {
      encryptedToken: createEncryption(key).encrypt(token, encryptionContext(place, 'token')),
      encryptedKey: this.encryption.encrypt(key.toString('base64'), encryptionContext(place, 'key')),
    };
  }

  /** Throws `DecryptionError` if it was encrypted for another repository, or if the key of the service is missing. */
  decrypt(place: TokenPlace, { encryptedToken, encryptedKey }: EncryptedToken): string {
    const key = Buffer.from(this.encryption.decrypt(encryptedKey, encryptionContext(place, 'key')), 'base64');
    return createEncryption(key).decrypt(encryptedToken, encryptionContext(place, 'token'));
  }
}

const createEncryption = (key: Buffer): EncryptionService =>
  new EncryptionService({ encryptionKeys: [{ kid: 'own', key }] });

const encryptionContext = ({ orgId, repositoryId }: TokenPlace, part: 'token' | 'key'): string =>
  `host-token:${orgId}:${repositoryId}:${part}`;
