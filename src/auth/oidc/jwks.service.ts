import type { webcrypto } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { createLocalJWKSet, type CryptoKey, type JWK } from 'jose';
import { TokenBucket } from '../../concurrency/token-bucket.js';
import { Clock } from '../../config/clock.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { issuerUnavailable } from '../auth.errors.js';
import { discoverJwksUri, OidcSettings, readIssuerDocument } from './issuer-discovery.js';

/** More than any issuer publishes: GitHub has four. */
const MAX_KEYS = 100;
const MIN_MODULUS_BITS = 2048;

/**
 * The keys of a JWK set that may verify an RS256 signature, by key id: RSA of 2,048 bits or more, for signing, with an id.
 * Skips every other key. Returns null if the document is not a JWK set.
 */
export async function readSigningKeys(document: unknown): Promise<ReadonlyMap<string, CryptoKey> | null> {
  const { keys } = (document ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys)) return null;
  // Only the public members: a private key that was published by mistake must not become a key that can sign.
  const published = (keys as (JWK | null)[])
    .slice(0, MAX_KEYS)
    .flatMap((jwk) =>
      jwk?.use === 'sig' ? [{ kid: jwk.kid, kty: jwk.kty, alg: jwk.alg, n: jwk.n, e: jwk.e } as JWK] : [],
    );
  const findKey = createLocalJWKSet({ keys: published });
  const signing = new Map<string, CryptoKey>();
  for (const { kid } of published) {
    if (typeof kid !== 'string' || kid === '') continue;
    // The library rejects keys of another type or algorithm, and keys that it cannot import.
    const key = await findKey({ alg: 'RS256', kid }).catch(() => null);
    const { modulusLength = 0 } = (key?.algorithm ?? {}) as Partial<webcrypto.RsaHashedKeyAlgorithm>;
    if (key !== null && modulusLength >= MIN_MODULUS_BITS) signing.set(kid, key);
  }
  return signing;
}

/** How long keys are used before they are read again. A withdrawn key is accepted at most this long. */
const KEY_LIFETIME_MS = 10 * 60_000;
/** After a failure, requests do not call the issuer again before this time. */
const FAILURE_PAUSE_MS = 1_000;
const UNKNOWN_KEY_READ_BURST = 20;
const UNKNOWN_KEY_READS_PER_SECOND = 1;

interface KeySet {
  /** The number of the read that returned these keys. */
  readonly readNumber: number;
  readonly readAt: number;
  readonly keys: ReadonlyMap<string, CryptoKey>;
}

/**
 * Reads the signing keys of the issuer and caches them for 10 minutes. While the issuer does not answer, tokens with cached
 * keys are valid until then, and other tokens get 503. An unknown key id causes a new read, because the issuer may have just
 * published that key.
 */
@Injectable()
export class JwksService {
  #keySet: KeySet | null = null;
  #jwksUri: { readonly value: string; readonly readAt: number } | null = null;
  #currentRead: Promise<KeySet> | null = null;
  #readCount = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  readonly #unknownKeyReads: TokenBucket;

  constructor(
    private readonly settings: OidcSettings,
    private readonly clock: Clock,
  ) {
    this.#unknownKeyReads = new TokenBucket(UNKNOWN_KEY_READ_BURST, UNKNOWN_KEY_READS_PER_SECOND, clock);
  }

  /**
   * Returns the key with this id. Returns null if a read that started after this call has no such key. Throws `unavailable` if
   * the issuer does not answer, or if too many unknown ids were read recently.
   */
  async find(kid: string): Promise<CryptoKey | null> {
    const readsBefore = this.#readCount;
    const known = this.#findFreshKeySet()?.keys.get(kid);
    if (known) return known;

    const current = this.#currentRead ? await this.#currentRead : (this.#findFreshKeySet() ?? (await this.#refresh()));
    const found = current.keys.get(kid);
    if (found) return found;
    // A read that started before this call may be older than the key.
    if (current.readNumber > readsBefore) return null;
    return (await this.#readForUnknownKey()).keys.get(kid) ?? null;
  }

  #findFreshKeySet(): KeySet | null {
    return this.#keySet && this.#isFresh(this.#keySet.readAt) ? this.#keySet : null;
  }

  #isFresh(readAt: number): boolean {
    const age = this.#now() - readAt;
    return age >= 0 && age < KEY_LIFETIME_MS;
  }

  /** Does not use the bucket of unknown keys, so that tokens with unknown keys cannot prevent a refresh of the known ones. */
  #refresh(): Promise<KeySet> {
    const pause = this.#now() - this.#failedAt;
    if (pause >= 0 && pause < FAILURE_PAUSE_MS) throw issuerUnavailable(new Error('The issuer has just failed.'));
    return this.#read();
  }

  #readForUnknownKey(): Promise<KeySet> {
    // The caller has waited for any older read, so this one started after the call.
    if (this.#currentRead) return this.#currentRead;
    if (!this.#unknownKeyReads.consume()) {
      throw new DomainError('unavailable', 'Too many identity tokens with unknown signing keys. Try again soon.', {
        retryAfterSeconds: 1,
      });
    }
    return this.#read();
  }

  #read(): Promise<KeySet> {
    const readNumber = ++this.#readCount;
    this.#currentRead = this.#readKeys(readNumber).finally(() => {
      this.#currentRead = null;
    });
    return this.#currentRead;
  }

  async #readKeys(readNumber: number): Promise<KeySet> {
    const readAt = this.#now();
    try {
      if (this.#jwksUri === null || !this.#isFresh(this.#jwksUri.readAt)) {
        this.#jwksUri = { value: await discoverJwksUri(this.settings.issuer), readAt };
      }
      const keys = await readSigningKeys(await readIssuerDocument(this.#jwksUri.value));
      if (keys === null) throw issuerUnavailable(new Error('The issuer published no JWK set.'));
      this.#keySet = { readNumber, readAt, keys };
      return this.#keySet;
    } catch (failure) {
      // The address of the keys may have changed.
      this.#jwksUri = null;
      this.#failedAt = this.#now();
      throw failure;
    }
  }

  #now(): number {
    return this.clock.now().getTime();
  }
}
