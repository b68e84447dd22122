import type { FastifyRequest } from 'fastify';
import type { Viewer } from '../database/database.js';
import type { OrgId } from '../database/ids.js';
import type { KeyScope, PersonalKeyScope } from '../domain/keys/key-scope.js';
import { setLoggedCaller } from '../observability/request-logging.js';
import type { ApiKeyRecord } from './credentials.queries.js';
import type { IdentityClaims } from './oidc/token-claims.js';
import type { MemberRole, Membership, User } from './user.js';

/** A CI run that proved itself with a verified identity token of an organization that has a workspace. */
export interface IdentityTokenCaller extends IdentityClaims {
  readonly kind: 'identity_token';
  readonly orgId: OrgId;
}

/** A CI system that holds a live API key of the workspace. */
export interface ApiKeyCaller {
  readonly kind: 'api_key';
  readonly orgId: OrgId;
  readonly keyId: string;
  readonly scopes: readonly KeyScope[];
  /** Ids of the repositories that the key is confined to; null is every repository of the workspace. */
  readonly repositoryIds: readonly string[] | null;
}

export type CiCaller = IdentityTokenCaller | ApiKeyCaller;

/** A person who belongs to a workspace. */
export interface Member {
  readonly user: User;
  readonly orgId: OrgId;
  /** The organization's login. */
  readonly org: string;
  readonly role: MemberRole;
  /** The member's eyes: what they are shown is read through these. */
  readonly viewer: Viewer;
}

/** The tools of a member, who act in the member's name as far as their key goes. */
export interface PersonalKeyCaller extends Member {
  readonly kind: 'personal_key';
  readonly keyId: string;
  readonly scope: PersonalKeyScope;
}

/** A person who is signed in, on a route that needs no workspace. */
export interface UserCaller {
  readonly kind: 'user';
  readonly user: User;
  /** The digest of the session's id. */
  readonly session: Buffer;
  readonly platformAdmin: boolean;
}

/** A member of the workspace that their session has selected. */
export interface MemberCaller extends Member {
  readonly kind: 'member';
  readonly session: Buffer;
  readonly platformAdmin: boolean;
}

export type Caller = CiCaller | PersonalKeyCaller | UserCaller | MemberCaller;

/** What a request presented, as far as it can be judged without the tenant: a verified token, or the hash of a well-formed key. */
export type CiCredential =
  | { readonly kind: 'identity_token'; readonly claims: IdentityClaims }
  | { readonly kind: 'api_key'; readonly secretHash: Buffer };

/**
 * A credential whose tenant the handler's own statement resolves. The handler may answer only what `authorize` returns a
 * caller for: given what was found, or null where nothing was, it refuses as the guard would have.
 */
export type UnresolvedCredential =
  | (Extract<CiCredential, { kind: 'api_key' }> & { authorize(found: ApiKeyRecord | null): Promise<ApiKeyCaller> })
  | (Extract<CiCredential, { kind: 'identity_token' }> & {
      authorize(orgId: OrgId | null): Promise<IdentityTokenCaller>;
    });

const CALLER = Symbol('caller');
const CREDENTIAL = Symbol('credential');

type Identified = FastifyRequest & { [CALLER]?: Caller; [CREDENTIAL]?: UnresolvedCredential };

/** Makes the caller known to the handler, and names it in the log. */
export const setCaller = (request: FastifyRequest, caller: Caller): void => {
  (request as Identified)[CALLER] = caller;
  setLoggedCaller(request, { kind: caller.kind, orgId: caller.kind === 'user' ? null : caller.orgId });
};

export const setCredential = (request: FastifyRequest, credential: UnresolvedCredential): void => {
  (request as Identified)[CREDENTIAL] = credential;
};

/** Who calls; null before the guard has let the request in, on a public route, and where the handler resolves the tenant. */
export const findCaller = (request: FastifyRequest): Caller | null => (request as Identified)[CALLER] ?? null;

/** The credential of a route whose handler resolves the tenant; null on any other. */
export const findCredential = (request: FastifyRequest): UnresolvedCredential | null =>
  (request as Identified)[CREDENTIAL] ?? null;

/** Asks the code host again where what it said of a member has grown old: bound to a class that can. */
export abstract class MembershipRefresher {
  /**
   * The membership as the code host has it now; null where the person belongs to the organization no more, and then the
   * person is no member any more either. Rejects with `unavailable` where that cannot be known now. What the person may
   * read is asked for too; where that alone cannot be known, its time stays as old as it is.
   */
  abstract refresh(userId: number, membership: Membership): Promise<Membership | null>;
}
