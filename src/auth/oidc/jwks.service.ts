import type { webcrypto } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type CryptoKey, importJWK, type JWK } from 'jose';
import { Clock } from '../../config/clock.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { discoverJwksUri, issuerUnavailable, OidcSettings, readIssuerDocument } from './issuer-discovery.js';

/** More than any issuer publishes: GitHub has four. */
const MAX_KEYS = 100;
const MIN_MODULUS_BITS = 2048;

/**
 * The keys of a JWK set that may verify an RS256 signature, by key id: RSA of 2,048 bits or more, for signing, with an id.
 * Any other key is passed over; null where this is no JWK set at all.
 */
export async function readSigningKeys(document: unknown): Promise<ReadonlyMap<string, CryptoKey> | null> {
  const { keys } = (document ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys)) return null;
  const signing = new Map<string, CryptoKey>();
  for (const jwk of (keys as unknown[]).slice(0, MAX_KEYS)) {
    if (!isSigningJwk(jwk)) continue;
    const key = await importSigningKey(jwk);
    if (key !== null) signing.set(jwk.kid, key);
  }
  return signing;
}

function isSigningJwk(value: unknown): value is JWK & { kid: string } {
  const { kid, kty, use, alg } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof kid === 'string' && kid !== '' && kty === 'RSA' && use === 'sig' && (alg === undefined || alg === 'RS256')
  );
}

async function importSigningKey({ kty, n, e }: JWK): Promise<CryptoKey | null> {
  try {
    // Only the public members: a private one published by mistake must not become a key that can sign.
    const key = (await importJWK({ kty, n, e } as JWK, 'RS256')) as CryptoKey;
    return (key.algorithm as webcrypto.RsaHashedKeyAlgorithm).modulusLength >= MIN_MODULUS_BITS ? key : null;
  } catch {
    return null;
  }
}

/** Allows a burst of `capacity`, then `perSecond`. */
export class TokenBucket {
  #tokens: number;
  #countedAt: number;

  constructor(
    private readonly capacity: number,
    private readonly perSecond: number,
    private readonly clock: Clock,
  ) {
    this.#tokens = capacity;
    this.#countedAt = clock.now().getTime();
  }

  /** Takes one, or says that there is none. */
  take(): boolean {
    const now = this.clock.now().getTime();
    // A clock that is set back gives nothing, and takes nothing away.
    const seconds = Math.max(0, now - this.#countedAt) / 1000;
    this.#tokens = Math.min(this.capacity, this.#tokens + seconds * this.perSecond);
    this.#countedAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
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
    if (!this.#lookUps.take()) {
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
