import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EncryptionService } from '../../../crypto/encryption.service.js';
import type { OrgId } from '../../../database/ids.js';

/** Where a token is kept; elsewhere it does not open. */
export interface TokenPlace {
  readonly orgId: OrgId;
  readonly repositoryId: string;
}

/** A token under a key of its own, and that key under the service's. */
export interface EncryptedToken {
  readonly sealedToken: string;
  readonly sealedKey: string;
}

const KEY_BYTES = 32;

/** Seals tokens, each under a key that seals nothing else and bound to its place. */
@Injectable()
export class TokenEncryptionService {
  constructor(private readonly sealer: EncryptionService) {}

  encrypt(place: TokenPlace, token: string): EncryptedToken {
    const key = randomBytes(KEY_BYTES);
    return {
      sealedToken: createEncryption(key).encrypt(token, encryptionContext(place, 'token')),
      sealedKey: this.sealer.encrypt(key.toString('base64'), encryptionContext(place, 'key')),
    };
  }

  /** Throws a `DecryptionError` where it was sealed for another place, or the service's key is no longer given. */
  decrypt(place: TokenPlace, { sealedToken, sealedKey }: EncryptedToken): string {
    const key = Buffer.from(this.sealer.decrypt(sealedKey, encryptionContext(place, 'key')), 'base64');
    return createEncryption(key).decrypt(sealedToken, encryptionContext(place, 'token'));
  }
}

const createEncryption = (key: Buffer): EncryptionService =>
  new EncryptionService({ encryptionKeys: [{ kid: 'own', key }] });

const encryptionContext = ({ orgId, repositoryId }: TokenPlace, part: 'token' | 'key'): string =>
  `host-token:${orgId}:${repositoryId}:${part}`;
