import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { EnvironmentError } from '../../config/environment.js';
import { EncryptionService, DecryptionError } from '../../crypto/encryption.service.js';
import { type PublicKey, jwkThumbprint } from '../../crypto/public-key.js';
import { type PublishedKey, type EncryptedSigningKey, SigningKeysRepository } from './signing-keys.repository.js';
import type { ServiceKeysDto } from './signing.dto.js';

const toKeySet = (keys: readonly PublishedKey[]): ServiceKeysDto => ({
  keys: keys.map(({ keyId, x, createdAt, retiredAt }) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    x,
    kid: keyId,
    use: 'sig',
    alg: 'EdDSA',
    madeAt: createdAt.toISOString(),
    retiredAt: retiredAt?.toISOString() ?? null,
  })),
});

/** Signs with the key that was current when the signer was requested. */
export interface Signer extends PublicKey {
  /** Returns the Ed25519 signature (RFC 8032) in base64url. It is deterministic. */
  readonly sign: (content: Uint8Array) => string;
}

/** Returns the encryption context, which binds the ciphertext to its key. */
export const signingKeyContext = (keyId: string): string => `signing-key:${keyId}`;

/**
 * Signs with the key of the service. The first start creates the key. The private key is decrypted for each signature and not
 * cached, so that no process signs with a retired key.
 */
@Injectable()
export class SigningService implements OnModuleInit {
  constructor(
    private readonly keys: SigningKeysRepository,
    private readonly encryption: EncryptionService,
    private readonly clock: Clock,
  ) {}

  /** Prevents the start if the key cannot be decrypted. A new key would hide the loss. */
  async onModuleInit(): Promise<void> {
    if ((await this.keys.findInUse()) === null) await this.keys.add(this.createKey());
    try {
      await this.getSigner();
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
      throw new EnvironmentError([
        `ENCRYPTION_KEYS must contain the key that the signing key was encrypted with. ${error.message} ` +
          'If it is lost, replace the signing key as described in the guide for self-hosters.',
      ]);
    }
  }

  /** Returns a signer with the current key. Throws a `DecryptionError` if the key cannot be decrypted. */
  async getSigner(): Promise<Signer> {
    const key = await this.keys.findInUse();
    if (key === null) throw new Error('The service has no signing key.');
    return this.toSigner(key);
  }

  /** Returns all public keys, newest first. */
  async getKeySet(): Promise<ServiceKeysDto> {
    return toKeySet(await this.keys.list());
  }

  /** Replaces the current key without decrypting it. Its signatures stay valid. Returns null if the key was replaced concurrently. */
  async rotateKey(): Promise<{ readonly retired: string; readonly inUse: string } | null> {
    const old = await this.keys.findInUse();
    if (old === null) return null;
    const key = this.createKey();
    return (await this.keys.replace(old.keyId, key)) ? { retired: old.keyId, inUse: key.keyId } : null;
  }

  private createKey(): EncryptedSigningKey {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { x = '' } = publicKey.export({ format: 'jwk' });
    const keyId = jwkThumbprint(x);
    const der = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
    return {
      keyId,
      x,
      encryptedPrivateKey: this.encryption.encrypt(der, signingKeyContext(keyId)),
      createdAt: this.clock.now(),
    };
  }

  private toSigner({ keyId, x, encryptedPrivateKey }: EncryptedSigningKey): Signer {
    const der = Buffer.from(this.encryption.decrypt(encryptedPrivateKey, signingKeyContext(keyId)), 'base64');
    const key = createPrivateKey({ key: der, type: 'pkcs8', format: 'der' });
    return { keyId, x, sign: (content) => sign(null, content, key).toString('base64url') };
  }
}
