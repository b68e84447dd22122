import { inspect } from 'node:util';
import { sha256 } from '../../crypto/digests.js';

const INSPECT_SECRET = '[a personal access token]';

/** A person's token for GitHub, which shows itself in no log and no JSON: only the gateway takes it out. */
export class PersonalToken {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** For a request's header, and for whoever seals it. */
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
 * A repository through one installation of the app. `id` says which one it is; owner and name only say where it was
 * last seen, so a repository recreated under the same name is never read in its place.
 */
export interface RepositoryRef {
  readonly installationId: number;
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  /** Whose token the calls are made with, where it is not the installation's; what the person may do decides then. */
  readonly as?: PersonalToken;
}

/**
 * As whom a call is made: the app itself, one installation of it, with its reach cut down to one repository where given,
 * or a person by a token of theirs.
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

/** As whom a repository is asked: the installation, confined to it, or the person whose token is to be used. */
export const repositoryScope = (ref: Pick<RepositoryRef, 'installationId' | 'id' | 'as'>): TokenScope =>
  ref.as === undefined
    ? { kind: 'installation', installationId: ref.installationId, repositoryId: ref.id }
    : userScope(ref.as.reveal());

export const userScope = (token: string): TokenScope => ({ kind: 'user', token });

/** A key under which what one scope may see is never mistaken for what another may. It names no secret. */
export const scopeKey = (scope: TokenScope): string => {
  if (scope.kind === 'app') return 'app';
  return scope.kind === 'user'
    ? userKey(scope.token)
    : `installation:${scope.installationId}:${scope.repositoryId ?? 'all'}`;
};

/** GitHub counts the calls of an installation together, whatever its tokens; those of the app and of people apart. */
export const budgetKey = (scope: TokenScope): string => {
  if (scope.kind === 'app') return 'app';
  return scope.kind === 'user' ? userKey(scope.token) : `installation:${scope.installationId}`;
};

const USER = 'user:';

/** Who a token is of is asked with it, so the token itself, by its digest, stands for the person. */
const userKey = (token: string): string => USER + sha256(token);

/** Whether a budget is one person's: there are many, they pass with the token, and no operator can do a thing about them. */
export const isPersonal = (budget: string): boolean => budget.startsWith(USER);
