import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { secretHash } from '../../../crypto/secret-hash.js';

const SECRET_BYTES = 32;
const SECRET = /^[\w-]{43}$/;

/**
 * What ties one sign-in to the browser that began it. The browser holds the secret in a cookie; `state` and the PKCE
 * verifier follow from it, so the answer counts in that browser alone, and the database, which knows the secret's digest
 * only, holds nothing that would finish it.
 */
export class LoginSecret {
  private constructor(
    /** For the cookie. */
    readonly text: string,
  ) {}

  static create(): LoginSecret {
    return new LoginSecret(randomBytes(SECRET_BYTES).toString('base64url'));
  }

  /** Null where the text was never a secret. */
  static read(text: string): LoginSecret | null {
    return SECRET.test(text) ? new LoginSecret(text) : null;
  }

  /** Under which the attempt is kept. */
  get hash(): Buffer {
    return secretHash(this.text);
  }

  get state(): string {
    return this.derive('state');
  }

  /** 43 characters, as RFC 7636, § 4.1 asks for. */
  get verifier(): string {
    return this.derive('verifier');
  }

  /** S256 of the verifier (RFC 7636, § 4.2). */
  get challenge(): string {
    return createHash('sha256').update(this.verifier).digest('base64url');
  }

  hasState(text: string): boolean {
    const [expected, given] = [Buffer.from(this.state), Buffer.from(text)];
    return expected.length === given.length && timingSafeEqual(expected, given);
  }

  private derive(use: string): string {
    return createHmac('sha256', this.text).update(use).digest('base64url');
  }
}
