import { inspect } from 'node:util';
import { sha256 } from '../../crypto/digests.js';

const INSPECT_SECRET = '[a personal access token]';

/** A user's token for GitHub. Neither logs nor JSON show its secret. */
export class PersonalToken {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Returns the secret, for a request's header and for encryption. */
  reveal(): string {
    return this.#secret;
  }

  toString(): string {
    return INSPECT_SECRET;
  }

  toJSON(): string {
    return INSPECT_SECRET;
  }

  [inspect.custom](): string {
    return INSPECT_SECRET;
  }
}

/**
 * A repository of one installation of the app. `id` identifies it. Owner and name are the last known ones, so another
 * repository that now has this name is never read instead.
 */
export interface RepositoryRef {
  readonly installationId: number;
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  /** A user's token to use instead of the installation's. The user's permissions apply then. */
  readonly as?: PersonalToken;
}

/**
 * The identity of a call: the app, an installation (limited to one repository if `repositoryId` is not null), or a user by
 * the user's token.
 */
export type TokenScope =
  | { readonly kind: 'app' }
  | { readonly kind: 'user'; readonly token: string }
  | { readonly kind: 'installation'; readonly installationId: number; readonly repositoryId: number | null };

export type InstallationScope = Extract<TokenScope, { kind: 'installation' }>;

export const APP_SCOPE: TokenScope = { kind: 'app' };

export const installationScope = (installationId: number): InstallationScope => ({
  kind: 'installation',
  installationId,
  repositoryId: null,
});

/** Returns the scope for calls about a repository: the installation limited to it, or the user whose token is given. */
export const repositoryScope = (ref: Pick<RepositoryRef, 'installationId' | 'id' | 'as'>): TokenScope =>
  ref.as === undefined
    ? { kind: 'installation', installationId: ref.installationId, repositoryId: ref.id }
    : userScope(ref.as.reveal());

export const userScope = (token: string): TokenScope => ({ kind: 'user', token });

/** Returns a cache key that differs for scopes with different access. Contains no secret. */
export const scopeKey = (scope: TokenScope): string => {
  if (scope.kind === 'app') return 'app';
  return scope.kind === 'user'
    ? userKey(scope.token)
    : `installation:${scope.installationId}:${scope.repositoryId ?? 'all'}`;
};

/** Returns the rate-limit budget. GitHub counts all tokens of an installation together, the app and each user separately. */
export const budgetKey = (scope: TokenScope): string => {
  if (scope.kind === 'app') return 'app';
  return scope.kind === 'user' ? userKey(scope.token) : `installation:${scope.installationId}`;
};

const USER = 'user:';

/** Identifies a user by the digest of the token, because the owner can be read only with the token itself. */
const userKey = (token: string): string => USER + sha256(token);

/** Returns whether a budget belongs to a user. Such budgets are many, short-lived and not reported to operators. */
export const isPersonal = (budget: string): boolean => budget.startsWith(USER);
