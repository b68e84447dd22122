import { Injectable } from '@nestjs/common';
import { Clock } from '../config/clock.js';
import { hashSecret } from '../crypto/digests.js';
import type { OrgId } from '../database/ids.js';
import type { RequiredScope } from '../domain/keys/key-scope.js';
import { WorkspacesQueries } from '../workspaces/workspaces.queries.js';
import { InvalidCredentialError, insufficientScope, organizationWithoutWorkspace } from './auth.errors.js';
import type { Bearer } from './bearer.js';
import type { ApiKeyCaller, CiCaller, CiCredential, IdentityTokenCaller } from './caller.js';
import { CredentialsQueries, type ApiKeyRecord, keyStatus } from './credentials.queries.js';
import { KeyUsageRepository } from './key-usage.repository.js';
import { IdentityTokenService } from './oidc/identity-token.service.js';
import type { IdentityClaims } from './oidc/token-claims.js';

/** Authorizes CI runs and CI systems. Throws `InvalidCredentialError` for an invalid credential. */
@Injectable()
export class CiAuthService {
  constructor(
    private readonly tokens: IdentityTokenService,
    private readonly credentials: CredentialsQueries,
    private readonly keyUsage: KeyUsageRepository,
    private readonly workspaces: WorkspacesQueries,
    private readonly clock: Clock,
  ) {}

  /** Does every check that needs no tenant. */
  async verifyCredential(bearer: Bearer): Promise<CiCredential> {
    if (bearer.kind === 'malformed') throw new InvalidCredentialError('malformed');
    if (bearer.kind === 'personal_key') throw new InvalidCredentialError('other_kind');
    return bearer.kind === 'api_key'
      ? { kind: 'api_key', secretHash: hashSecret(bearer.secret) }
      : { kind: 'identity_token', claims: await this.tokens.verify(bearer.token) };
  }

  /** Finds the tenant of the credential and returns the caller. */
  async resolve(credential: CiCredential, scope: RequiredScope): Promise<CiCaller> {
    return credential.kind === 'api_key'
      ? this.authorizeKey(await this.credentials.findApiKeyByHash(credential.secretHash), scope)
      : this.authorizeRun(credential.claims, await this.workspaces.findByOwner(credential.claims.ownerGithubId));
  }

  /** Returns the caller of a key. Throws `forbidden` if the key lacks the scope. */
  authorizeKey(key: ApiKeyRecord | null, scope: RequiredScope): ApiKeyCaller {
    if (key === null) throw new InvalidCredentialError('unknown_key');
    const status = keyStatus(key, this.clock.now());
    if (status !== 'live') throw new InvalidCredentialError(status);
    if (scope !== 'any' && !key.scopes.includes(scope)) throw insufficientScope(scope);
    this.keyUsage.recordUse('api_key', key);
    return apiKeyCaller(key);
  }

  /** Returns the caller of a run. Throws `forbidden` if its organization has no workspace. */
  authorizeRun(claims: IdentityClaims, orgId: OrgId | null): IdentityTokenCaller {
    if (orgId === null) throw organizationWithoutWorkspace();
    return { kind: 'identity_token', orgId, ...claims };
  }
}

const apiKeyCaller = ({ orgId, keyId, scopes, repositoryIds }: ApiKeyRecord): ApiKeyCaller => ({
  kind: 'api_key',
  orgId,
  keyId,
  scopes,
  repositoryIds,
});
