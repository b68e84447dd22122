import { detectKeyKind, type KeyKind } from '../../domain/keys/key-secret.js';
import { usageError } from '../command-result.js';
import { readSecret } from '../settings.js';
import type { HttpClient } from './http.js';
import { describeClaims, requestIdentityToken } from './identity-token.js';
import type { Env } from '../ci-environment.js';

/** A token is valid for about five minutes. A token of this age is renewed before it is used again. */
const RENEWED_AFTER_MS = 240_000;

const NAMES: Readonly<Record<KeyKind, string>> = { sgk: 'API key', sgp: 'personal key' };

const NO_CREDENTIAL =
  'There is no credential. Set SHIPGATE_API_KEY (or SHIPGATE_API_KEY_FILE) to an API key; in GitHub Actions, grant `id-token: write`.';

/** Throws a usage error for a key that no service can accept, so that it is not sent: a mistyped one, or one of another kind. */
export function checkKey(key: string, expected: KeyKind): void {
  const kind = detectKeyKind(key);
  if (kind === expected) return;
  throw usageError(
    kind === null
      ? `The ${NAMES[expected]} is incomplete or mistyped, because its checksum is wrong. Copy it again, or create another one. It was not sent.`
      : `The key begins with ${kind}_, so it is ${kind === 'sgp' ? 'a personal key. CI needs an API key' : 'an API key. Users need a personal key'}. It was not sent.`,
  );
}

/** The credential of a command. It is held in memory only, and is never printed. */
export class Credential {
  private token: { readonly value: string; readonly at: number } | null = null;

  private constructor(
    readonly kind: 'API key' | 'identity token' | 'personal key',
    private readonly read: () => Promise<string>,
    private readonly isRenewable: boolean,
  ) {}

  /** Chooses the credential: a key, a given identity token, or the identity of a run of GitHub Actions. */
  static choose(
    http: HttpClient,
    env: Env,
    report: (line: string) => void,
    maskToken: (token: string) => void = () => undefined,
  ): Credential {
    const key = readSecret('SHIPGATE_API_KEY', env);
    if (key !== null) {
      checkKey(key, 'sgk');
      return new Credential('API key', () => Promise.resolve(key), false);
    }
    const token = readSecret('SHIPGATE_ID_TOKEN', env);
    if (token !== null) return new Credential('identity token', () => Promise.resolve(token), false);
    if (env['GITHUB_ACTIONS'] !== 'true') throw usageError(NO_CREDENTIAL);
    const audience = env['SHIPGATE_AUDIENCE'] || 'shipgate';
    const read = async (): Promise<string> => {
      const value = await requestIdentityToken(http, audience, env, report);
      maskToken(value);
      return value;
    };
    return new Credential('identity token', read, true);
  }

  static ofUser(key: string): Credential {
    checkKey(key, 'sgp');
    return new Credential('personal key', () => Promise.resolve(key), false);
  }

  /** Returns the value of the `Authorization` header, renewed if the token is old. */
  async header(): Promise<string> {
    if (this.token === null || (this.isRenewable && this.isOld)) {
      this.token = { value: await this.read(), at: Date.now() };
    }
    return `Bearer ${this.token.value}`;
  }

  /**
   * Whether a rejected credential can be renewed. A new token that is rejected is invalid, and another try would only use up the failures
   * that Shipgate allows.
   */
  get canBeRenewed(): boolean {
    return this.isRenewable && this.isOld;
  }

  /** Returns why the credential may have been rejected, without its secret. */
  describe(): string {
    const claims = this.kind === 'identity token' && this.token !== null ? describeClaims(this.token.value) : null;
    return claims === null ? `The ${this.kind} was refused.` : `The ${this.kind} was refused. Its claims: ${claims}`;
  }

  private get isOld(): boolean {
    return this.token !== null && Date.now() - this.token.at > RENEWED_AFTER_MS;
  }
}
