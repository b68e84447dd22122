import { Injectable } from '@nestjs/common';
import { Clock } from '../config/clock.js';
import { secretHash } from '../crypto/digests.js';
import type { OrgId } from '../database/ids.js';
import type { KeyScope } from '../domain/keys/key-scope.js';
import { WorkspaceReader } from '../workspaces/workspaces.queries.js';
import { CredentialRefused, insufficientScope, noWorkspace } from './auth.errors.js';
import type { Bearer } from './bearer.js';
import type { ApiKeyCaller, CiCaller, CiCredential, IdentityTokenCaller } from './caller.js';
import { ApiKeyReader, type ApiKeyRecord, standingOf } from './credentials.queries.js';
import { KeyUseRecorder } from './key-usage.repository.js';
import { IdentityTokenVerifier } from './oidc/identity-token.service.js';
import type { IdentityClaims } from './oidc/token-claims.js';

/** Says which CI run or CI system presents a credential. Throws `CredentialRefused` where it does not hold. */
@Injectable()
export class CiAuthenticator {
  constructor(
    private readonly tokens: IdentityTokenVerifier,
    private readonly keys: ApiKeyReader,
    private readonly keyUse: KeyUseRecorder,
    private readonly workspaces: WorkspaceReader,
    private readonly clock: Clock,
  ) {}

  /** All that can be judged without knowing the tenant. */
  async judge(bearer: Exclude<Bearer, { kind: 'none' }>): Promise<CiCredential> {
    if (bearer.kind === 'malformed') throw new CredentialRefused('malformed');
    if (bearer.kind === 'personal_key') throw new CredentialRefused('other_kind');
    return bearer.kind === 'api_key'
      ? { kind: 'api_key', secretHash: secretHash(bearer.secret) }
      : { kind: 'identity_token', claims: await this.tokens.verify(bearer.token) };
  }

  /** The caller behind the credential, by a look-up of its tenant. */
  async resolve(credential: CiCredential, scope: KeyScope): Promise<CiCaller> {
    return credential.kind === 'api_key'
      ? this.admitKey(await this.keys.findByHash(credential.secretHash), scope)
      : this.admitRun(credential.claims, await this.workspaces.findByOwner(credential.claims.ownerGithubId));
  }

  /** The holder of the key that was found; `forbidden` where the key lacks the scope. */
  admitKey(key: ApiKeyRecord | null, scope: KeyScope): ApiKeyCaller {
    if (key === null) throw new CredentialRefused('unknown_key');
    const standing = standingOf(key, this.clock.now());
    if (standing !== 'live') throw new CredentialRefused(standing);
    if (!key.scopes.includes(scope)) throw insufficientScope(scope);
    this.keyUse.note('api_key', key);
    return apiKeyCaller(key);
  }

  /** The run whose organization has this workspace; `forbidden` where it has none. */
  admitRun(claims: IdentityClaims, orgId: OrgId | null): IdentityTokenCaller {
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
