import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { EnvironmentError } from '../../config/environment.js';
import { EncryptionService, DecryptionError } from '../../crypto/encryption.service.js';
import { type PublicKey, jwkThumbprint } from './public-key.js';
import { type PublishedKey, type EncryptedSigningKey, SigningKeysRepository } from './signing-keys.repository.js';

/** A public key of the service as a JSON Web Key, with the time in which it was used. */
interface PublishedJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'EdDSA';
  readonly madeAt: string;
  readonly retiredAt: string | null;
}

/** A JSON Web Key Set (RFC 7517, § 5). Members that it does not know a reader ignores. */
export interface KeySet {
  readonly keys: readonly PublishedJwk[];
}

const toKeySet = (keys: readonly PublishedKey[]): KeySet => ({
  keys: keys.map(({ keyId, x, madeAt, retiredAt }) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    x,
    kid: keyId,
    use: 'sig',
    alg: 'EdDSA',
    madeAt: madeAt.toISOString(),
    retiredAt: retiredAt?.toISOString() ?? null,
  })),
});

/** Signs in the name of the service, by the key that was in use when it was asked for. */
export interface Signer extends PublicKey {
  /** An Ed25519 signature (RFC 8032), in base64url: the same for the same bytes, always. */
  readonly sign: (content: Uint8Array) => string;
}

/** Binds the sealed text to the key that it is the private part of. */
const contextOf = (keyId: string): string => `signing-key:${keyId}`;

/**
 * The keys that the service signs with. The first start of all makes one, whatever part of the service it starts, so that
 * there is one before there is anything to sign. A private key is opened for each signature and kept by no process: once a
 * key is retired nobody signs with it any more.
 */
@Injectable()
export class SigningService implements OnModuleInit {
  constructor(
    private readonly keys: SigningKeysRepository,
    private readonly sealer: EncryptionService,
    private readonly clock: Clock,
  ) {}

  /** Refuses to start with a key that does not open: another one in its place would hide that something was lost. */
  async onModuleInit(): Promise<void> {
    if ((await this.keys.findInUse()) === null) await this.keys.add(this.make());
    try {
      await this.getSigner();
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
      throw new EnvironmentError([
        `ENCRYPTION_KEYS must hold the key that the signing key was sealed with. ${error.message} ` +
          'Where it is lost for good, the guide for self-hosters says how to replace the signing key.',
      ]);
    }
  }

  /** Signs by the key in use. Throws a `DecryptionError` where that does not open. */
  async getSigner(): Promise<Signer> {
    const key = await this.keys.findInUse();
    if (key === null) throw new Error('The service has no signing key.');
    return this.open(key);
  }

  /** The public part of every key that anything was ever signed with, the newest first. */
  async getKeySet(): Promise<KeySet> {
    return toKeySet(await this.keys.list());
  }

  /** Takes a new key into use, without opening the old one: what that signed stays valid. Null where others did so meanwhile. */
  async rotateKey(): Promise<{ readonly retired: string; readonly inUse: string } | null> {
    const old = await this.keys.findInUse();
    if (old === null) return null;
    const key = this.make();
    return (await this.keys.replace(old.keyId, key)) ? { retired: old.keyId, inUse: key.keyId } : null;
  }

  private make(): EncryptedSigningKey {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { x = '' } = publicKey.export({ format: 'jwk' });
    const keyId = jwkThumbprint(x);
    const der = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
    return { keyId, x, encryptedPrivateKey: this.sealer.encrypt(der, contextOf(keyId)), madeAt: this.clock.now() };
  }

  private open({ keyId, x, encryptedPrivateKey }: EncryptedSigningKey): Signer {
    const der = Buffer.from(this.sealer.decrypt(encryptedPrivateKey, contextOf(keyId)), 'base64');
    const key = createPrivateKey({ key: der, type: 'pkcs8', format: 'der' });
    return { keyId, x, sign: (content) => sign(null, content, key).toString('base64url') };
  }
}
