import type { FastifyRequest } from 'fastify';
import type { Viewer } from '../database/database.js';
import type { OrgId } from '../database/ids.js';
import type { KeyScope, PersonalKeyScope } from '../domain/keys/key-scope.js';
import { setLoggedCaller } from '../observability/request-logging.js';
import type { ApiKeyRecord } from './credentials.queries.js';
import type { IdentityClaims } from './oidc/token-claims.js';
import type { MemberRole, Membership, User } from './user.js';
import type { Repository } from '../workspaces/repositories.repository.js';

/** A CI run with a verified identity token of an organization that has a workspace. */
export interface IdentityTokenCaller extends IdentityClaims {
  readonly kind: 'identity_token';
  readonly orgId: OrgId;
}

/** A CI system with an active API key of the workspace. */
export interface ApiKeyCaller {
  readonly kind: 'api_key';
  readonly orgId: OrgId;
  readonly keyId: string;
  readonly scopes: readonly KeyScope[];
  /** The ids of the repositories that the key is restricted to. Null means every repository of the workspace. */
  readonly repositoryIds: readonly string[] | null;
}

export type CiCaller = IdentityTokenCaller | ApiKeyCaller;

/** A user who belongs to a workspace. */
export interface Member {
  readonly user: User;
  readonly orgId: OrgId;
  /** The organization's login. */
  readonly org: string;
  readonly role: MemberRole;
  /** The viewer for every read in the name of the member. */
  readonly viewer: Viewer;
}

/** A remote tool that acts in the name of a member, with the scope of a personal key. */
export interface PersonalKeyCaller extends Member {
  readonly kind: 'personal_key';
  readonly keyId: string;
  readonly scope: PersonalKeyScope;
}

/** A signed-in user on a route that needs no workspace. */
export interface UserCaller {
  readonly kind: 'user';
  readonly user: User;
  /** The hash of the session id. */
  readonly session: Buffer;
  readonly platformAdmin: boolean;
}

/** A member of the workspace that the session has selected. */
export interface MemberCaller extends Member {
  readonly kind: 'member';
  readonly session: Buffer;
  readonly platformAdmin: boolean;
}

export type Caller = CiCaller | PersonalKeyCaller | UserCaller | MemberCaller;

/** A credential that was verified as far as possible without the tenant: a verified token, or the hash of a well-formed key. */
export type CiCredential =
  | { readonly kind: 'identity_token'; readonly claims: IdentityClaims }
  | { readonly kind: 'api_key'; readonly secretHash: Buffer };

/**
 * A credential whose tenant the handler's own statement resolves. The handler passes the result of the statement, or null, to
 * `authorize`, and may respond only to the caller that it returns. `authorize` throws the same errors as the guard.
 */
export type UnresolvedCredential =
  | (Extract<CiCredential, { kind: 'api_key' }> & { authorize(found: ApiKeyRecord | null): Promise<ApiKeyCaller> })
  | (Extract<CiCredential, { kind: 'identity_token' }> & {
      authorize(orgId: OrgId | null): Promise<IdentityTokenCaller>;
    });

const CALLER = Symbol('caller');
const CREDENTIAL = Symbol('credential');

type Identified = FastifyRequest & { [CALLER]?: Caller; [CREDENTIAL]?: UnresolvedCredential };

/** Sets the caller for the handler and for the log. */
export const setCaller = (request: FastifyRequest, caller: Caller): void => {
  (request as Identified)[CALLER] = caller;
  setLoggedCaller(request, { kind: caller.kind, orgId: caller.kind === 'user' ? null : caller.orgId });
};

export const setCredential = (request: FastifyRequest, credential: UnresolvedCredential): void => {
  (request as Identified)[CREDENTIAL] = credential;
};

/** Releases the memory of the caller and of the request's head for a response that lasts for hours. The log keeps what it needs. */
export const releaseRequest = (request: FastifyRequest): void => {
  delete (request as Identified)[CALLER];
  request.raw.headers = {};
  request.raw.rawHeaders = [];
};

/** Returns null before the guard has authorized the request, on a public route, and if the handler resolves the tenant. */
export const findCaller = (request: FastifyRequest): Caller | null => (request as Identified)[CALLER] ?? null;

/** Returns the credential on a route whose handler resolves the tenant. Null on any other route. */
export const findCredential = (request: FastifyRequest): UnresolvedCredential | null =>
  (request as Identified)[CREDENTIAL] ?? null;

/** Refreshes a stale membership from GitHub. Bound to a class of the accounts feature. */
export abstract class MembershipRefresher {
  /**
   * Returns the refreshed membership. Returns null and removes the member if the user left the organization. Throws
   * `unavailable` if GitHub does not answer. Also refreshes the repository access; if only that fails, its old time remains.
   */
  abstract refresh(userId: number, membership: Membership): Promise<Membership | null>;
}

/** A repository of the caller's workspace. */
export type RepositoryIds = Pick<Repository, 'id' | 'githubId'>;

/** A run may upload for its own repository. A key may upload for the repositories that it is restricted to, or for all. */
export const canUploadTo = (caller: CiCaller, { id, githubId }: RepositoryIds): boolean =>
  caller.kind === 'identity_token' ? caller.repositoryGithubId === githubId : isWithin(caller.repositoryIds, id);

/** A run may read the gate of every repository of its workspace, because a deploy workflow often has its own repository. */
export const canReadGate = (caller: CiCaller, { id }: Pick<Repository, 'id'>): boolean =>
  caller.kind === 'identity_token' || isWithin(caller.repositoryIds, id);

/**
 * Returns whether the caller may read the messages of the conditions of a private repository: its own runs, and keys that are
 * restricted to repositories that include it. Other credentials of the workspace see only who must act.
 */
export const canReadDetails = (caller: CiCaller, { id, githubId }: RepositoryIds): boolean =>
  caller.kind === 'identity_token'
    ? caller.repositoryGithubId === githubId
    : caller.repositoryIds !== null && caller.repositoryIds.includes(id);

const isWithin = (repositoryIds: readonly string[] | null, id: string): boolean =>
  repositoryIds === null || repositoryIds.includes(id);
