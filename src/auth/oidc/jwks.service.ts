import type { webcrypto } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { createLocalJWKSet, type CryptoKey, type JWK } from 'jose';
import { TokenBucket } from '../../concurrency/token-bucket.js';
import { Clock } from '../../config/clock.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { discoverJwksUri, issuerUnavailable, OidcSettings, readIssuerDocument } from './issuer-discovery.js';

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

/** How long keys verify without being asked for again: a withdrawn key dies within it. */
const KEY_LIFE_MS = 10 * 60_000;
/** An issuer that just failed is not asked again at once by each of the requests that wait for its keys. */
const FAILURE_PAUSE_MS = 1_000;
const LOOK_UP_BURST = 20;
const LOOK_UPS_PER_SECOND = 1;

interface KeySet {
  /** Which reading it came from. */
  readonly reading: number;
  readonly readAt: number;
  readonly keys: ReadonlyMap<string, CryptoKey>;
}

/**
 * The issuer's signing keys. They are kept for 10 minutes and not a moment longer: while the issuer is out of reach,
 * tokens of known keys pass until then, and all others are answered 503. A key id that is not among them is looked up at
 * once, because the issuer may have begun to use it a second ago.
 */
@Injectable()
export class JwksService {
  #held: KeySet | null = null;
  #jwksUri: { readonly value: string; readonly readAt: number } | null = null;
  #underWay: Promise<KeySet> | null = null;
  #readingsBegun = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  readonly #lookUps: TokenBucket;

  constructor(
    private readonly settings: OidcSettings,
    private readonly clock: Clock,
  ) {
    this.#lookUps = new TokenBucket(LOOK_UP_BURST, LOOK_UPS_PER_SECOND, clock);
  }

  /**
   * The key of this id; null where the issuer, asked after this call began, has none. Refuses with `unavailable` where the
   * issuer cannot be asked, or too many unknown ids were looked up lately.
   */
  async find(kid: string): Promise<CryptoKey | null> {
    const asked = this.#readingsBegun;
    const known = this.#live()?.keys.get(kid);
    if (known) return known;

    const current = this.#underWay ? await this.#underWay : (this.#live() ?? (await this.#renew()));
    const found = current.keys.get(kid);
    if (found) return found;
    // A reading that began before this call may be older than the key.
    if (current.reading > asked) return null;
    return (await this.#lookUp()).keys.get(kid) ?? null;
  }

  #live(): KeySet | null {
    return this.#held && this.#isLive(this.#held.readAt) ? this.#held : null;
  }

  #isLive(readAt: number): boolean {
    const age = this.#now() - readAt;
    return age >= 0 && age < KEY_LIFE_MS;
  }

  /** Not bounded by the look-ups' bucket, so that tokens of unknown keys cannot keep the known ones from being renewed. */
  #renew(): Promise<KeySet> {
    const pause = this.#now() - this.#failedAt;
    if (pause >= 0 && pause < FAILURE_PAUSE_MS) throw issuerUnavailable(new Error('The issuer failed a moment ago.'));
    return this.#read();
  }

  #lookUp(): Promise<KeySet> {
    // Any older one has been waited for: what is under way now began after the call was made, and serves it as its own.
    if (this.#underWay) return this.#underWay;
    if (!this.#lookUps.consume()) {
      throw new DomainError('unavailable', 'Too many unknown signing keys were asked for.', { retryAfterSeconds: 1 });
    }
    return this.#read();
  }

  #read(): Promise<KeySet> {
    const reading = ++this.#readingsBegun;
    this.#underWay = this.#readKeys(reading).finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  async #readKeys(reading: number): Promise<KeySet> {
    const readAt = this.#now();
    try {
      if (this.#jwksUri === null || !this.#isLive(this.#jwksUri.readAt)) {
        this.#jwksUri = { value: await discoverJwksUri(this.settings.issuer), readAt };
      }
      const keys = await readSigningKeys(await readIssuerDocument(this.#jwksUri.value));
      if (keys === null) throw issuerUnavailable(new Error('The issuer published no JWK set.'));
      this.#held = { reading, readAt, keys };
      return this.#held;
    } catch (failure) {
      // The keys may have moved.
      this.#jwksUri = null;
      this.#failedAt = this.#now();
      throw failure;
    }
  }

  #now(): number {
    return this.clock.now().getTime();
  }
}
