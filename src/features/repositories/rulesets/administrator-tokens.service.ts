import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { PersonalToken } from '../../../github/transport/personal-token.js';
import type { RepositoryRef } from '../../../github/transport/repository-ref.js';
import { InstallationTiers } from '../../../workspaces/installation-tiers.reader.js';
import type { ReachedRepository } from '../../../workspaces/readable-repositories.service.js';
import { HostTokens } from '../tokens/repository-tokens.service.js';
import { hostIsAway, tokenMayNot, tokenReachesNot, tokenRefused, tokenRequired } from './ruleset-order-refusal.js';

/** How long an admin waits for GitHub's word. */
const ANSWER_MS = 5_000;

/** Takes personal access tokens of those who administer a repository, where the app itself may not. */
@Injectable()
export class AdministratorTokens {
  constructor(
    private readonly database: Database,
    private readonly tiers: InstallationTiers,
    private readonly tokens: HostTokens,
    private readonly github: GitHubGateway,
  ) {}

  /** Null where none is needed, or where the one in custody is to be used; refuses with `unprocessable` what does not do. */
  async take(orgId: OrgId, { id, ref }: ReachedRepository, pat: string | null): Promise<string | null> {
    const { administers } = await this.database.inTenant(orgId, (tx) => this.tiers.of(tx));
    if (administers) return null;
    if (pat !== null) {
      await this.prove(ref, new PersonalToken(pat));
      return pat;
    }
    if ((await this.tokens.open(orgId, id)) === null) throw tokenRequired();
    return null;
  }

  /** As far as GitHub tells before it is used; `unavailable` where it does not answer. */
  private async prove(ref: RepositoryRef, token: PersonalToken): Promise<void> {
    const { rights } = await this.describe({ ...ref, as: token });
    // A fine-grained token may still lack the permission: nothing but its use tells.
    if (rights !== null && !rights.administer) throw tokenMayNot();
  }

  private async describe(ref: RepositoryRef) {
    try {
      const { value } = await this.github.repositories.find(ref, AbortSignal.timeout(ANSWER_MS));
      if (value) return value;
    } catch (error) {
      if (GitHubError.is(error, 'unauthorized', 'forbidden')) throw tokenRefused();
      if (error instanceof GitHubError) throw hostIsAway(error);
      throw error;
    }
    throw tokenReachesNot();
  }
}
