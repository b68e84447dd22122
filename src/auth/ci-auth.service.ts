import { Injectable } from '@nestjs/common';
import { Clock } from '../config/clock.js';
import { hashSecret } from '../crypto/digests.js';
import type { OrgId } from '../database/ids.js';
import type { KeyScope } from '../domain/keys/key-scope.js';
import { WorkspacesQueries } from '../workspaces/workspaces.queries.js';
import { InvalidCredentialError, insufficientScope, noWorkspace } from './auth.errors.js';
import type { Bearer } from './bearer.js';
import type { ApiKeyCaller, CiCaller, CiCredential, IdentityTokenCaller } from './caller.js';
import { CredentialsQueries, type ApiKeyRecord, keyStatus } from './credentials.queries.js';
import { KeyUsageRepository } from './key-usage.repository.js';
import { IdentityTokenService } from './oidc/identity-token.service.js';
import type { IdentityClaims } from './oidc/token-claims.js';

/** Says which CI run or CI system presents a credential. Throws `InvalidCredentialError` where it does not hold. */
@Injectable()
export class CiAuthService {
  constructor(
    private readonly tokens: IdentityTokenService,
    private readonly keys: CredentialsQueries,
    private readonly keyUse: KeyUsageRepository,
    private readonly workspaces: WorkspacesQueries,
    private readonly clock: Clock,
  ) {}

  /** All that can be judged without knowing the tenant. */
  async verifyCredential(bearer: Exclude<Bearer, { kind: 'none' }>): Promise<CiCredential> {
    if (bearer.kind === 'malformed') throw new InvalidCredentialError('malformed');
    if (bearer.kind === 'personal_key') throw new InvalidCredentialError('other_kind');
    return bearer.kind === 'api_key'
      ? { kind: 'api_key', secretHash: hashSecret(bearer.secret) }
      : { kind: 'identity_token', claims: await this.tokens.verify(bearer.token) };
  }

  /** The caller behind the credential, by a look-up of its tenant. */
  async resolve(credential: CiCredential, scope: KeyScope): Promise<CiCaller> {
    return credential.kind === 'api_key'
      ? this.authorizeKey(await this.keys.findApiKeyByHash(credential.secretHash), scope)
      : this.authorizeRun(credential.claims, await this.workspaces.findByOwner(credential.claims.ownerGithubId));
  }

  /** The holder of the key that was found; `forbidden` where the key lacks the scope. */
  authorizeKey(key: ApiKeyRecord | null, scope: KeyScope): ApiKeyCaller {
    if (key === null) throw new InvalidCredentialError('unknown_key');
    const standing = keyStatus(key, this.clock.now());
    if (standing !== 'live') throw new InvalidCredentialError(standing);
    if (!key.scopes.includes(scope)) throw insufficientScope(scope);
    this.keyUse.recordUse('api_key', key);
    return apiKeyCaller(key);
  }

  /** The run whose organization has this workspace; `forbidden` where it has none. */
  authorizeRun(claims: IdentityClaims, orgId: OrgId | null): IdentityTokenCaller {
    if (orgId === null) throw noWorkspace();
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
