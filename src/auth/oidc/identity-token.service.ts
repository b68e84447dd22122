import { Injectable } from '@nestjs/common';
import { decodeProtectedHeader, errors, jwtVerify, type CryptoKey, type JWTPayload } from 'jose';
import { Clock } from '../../config/clock.js';
import { InvalidCredentialError, type InvalidCredentialReason } from '../auth.errors.js';
import { OidcSettings } from './issuer-discovery.js';
import { JwksService } from './jwks.service.js';
import { readIdentityClaims, type IdentityClaims } from './token-claims.js';

/** GitHub's tokens have about 2,000 characters. */
const MAX_TOKEN_LENGTH = 8_192;
const MAX_KEY_ID_LENGTH = 256;
const LEEWAY_SECONDS = 30;

/** Verifies the identity tokens of CI runs (RFC 7519, OpenID Connect Core 1.0 § 3.1.3.7). */
@Injectable()
export class IdentityTokenService {
  constructor(
    private readonly settings: OidcSettings,
    private readonly jwks: JwksService,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the claims of a token that the issuer signed for this service and that is valid now. Throws
   * `InvalidCredentialError` for any other token, and `unavailable` if the issuer's keys are needed and cannot be read.
   */
  async verify(token: string): Promise<IdentityClaims> {
    if (token.length > MAX_TOKEN_LENGTH) throw new InvalidCredentialError('too_long');
    const key = await this.jwks.find(readKeyId(token));
    if (key === null) throw new InvalidCredentialError('unknown_signing_key');
    const payload = await this.#payload(token, key);
    const result = readIdentityClaims(payload);
    if (!result.ok) throw new InvalidCredentialError(`claim:${result.claim}`);
    return result.claims;
  }

  async #payload(token: string, key: CryptoKey): Promise<JWTPayload> {
    const now = this.clock.now();
    const payload = await verifySignatureAndTimes(token, key, now);
    if (payload.iss !== this.settings.issuer) throw new InvalidCredentialError('issuer');
    // RFC 7519 allows a list of audiences. Such a token could be used at another service too.
    if (payload.aud !== this.settings.audience) throw new InvalidCredentialError('audience');
    // jose checks `iat` only together with a maximum age, and accepts 1e999 as a time.
    const { exp = Number.NaN, iat = exp } = payload;
    if (!Number.isFinite(exp)) throw new InvalidCredentialError('claim:exp');
    if (!(iat <= exp && (payload.iat ?? 0) <= now.getTime() / 1000 + LEEWAY_SECONDS)) {
      throw new InvalidCredentialError('issued_at');
    }
    return payload;
  }
}

async function verifySignatureAndTimes(token: string, key: CryptoKey, now: Date): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['RS256'],
      clockTolerance: LEEWAY_SECONDS,
      currentDate: now,
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new InvalidCredentialError(toReason(error), { cause: error });
    throw error;
  }
}

/** Returns the key id of the token, after the checks that need no key. */
function readKeyId(token: string): string {
  const { alg, kid, typ } = readHeader(token);
  if (alg !== 'RS256') throw new InvalidCredentialError('algorithm');
  // RFC 8725, § 3.11: a token for another purpose has another type.
  if (typ !== undefined && typ !== 'JWT') throw new InvalidCredentialError('malformed');
  if (typeof kid !== 'string' || kid === '' || kid.length > MAX_KEY_ID_LENGTH)
    throw new InvalidCredentialError('malformed');
  return kid;
}

function readHeader(token: string): Readonly<Record<string, unknown>> {
  try {
    return decodeProtectedHeader(token);
  } catch (cause) {
    throw new InvalidCredentialError('malformed', { cause });
  }
}

function toReason(error: errors.JOSEError): InvalidCredentialReason {
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed)
    return error.claim === 'nbf' ? 'not_yet_valid' : `claim:${error.claim}`;
  return 'malformed';
}
