import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppCredentialsSource } from '../../../config/app-credentials.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { Policy } from '../../../domain/policy/policy.js';
import { type FoundProtection, wantedRulesets } from '../../../domain/repository/ruleset.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { PersonalToken, type RepositoryRef } from '../../../github/transport/token-scope.js';
import { JobHandlers } from '../../../jobs/job-handlers.js';
import type { GovernedRepository } from '../../../workspaces/repositories.repository.js';
import { ReleaseRefresh } from '../../releases/evaluation/release-refresh.service.js';
import { HostTokens } from '../tokens/repository-tokens.service.js';
import { type ProtectionWork, ProtectionWorkReader } from './branch-protection.repository.js';
import { ProtectionOutcomes } from './protection-state.service.js';
import {
  failed,
  NEEDS_TOKEN,
  NO_CHECKS,
  NO_POLICY,
  NOT_REACHED,
  refusedByHost,
  RulesetHost,
  type RulesetsOfRepository,
  TOKEN_REFUSED,
} from './rulesets-github.service.js';

/** Has GitHub itself hold the branches of repositories to their policy, and looks whether it still does. */
@Injectable()
export class BranchProtection implements OnModuleInit {
  constructor(
    private readonly work: ProtectionWorkReader,
    private readonly outcomes: ProtectionOutcomes,
    private readonly host: RulesetHost,
    private readonly tokens: HostTokens,
    private readonly refresh: ReleaseRefresh,
    private readonly credentials: AppCredentialsSource,
    private readonly database: Database,
    private readonly handlers: JobHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register('protect-repository', ({ orgId, repositoryId }, { lastTry }) =>
      this.establish(orgId, repositoryId, lastTry),
    );
    this.handlers.register('check-protection', ({ orgId, repositoryId }) => this.check(orgId, repositoryId));
  }

  /** Does what was asked for last, if it is not done yet, and writes down what came of it. */
  async establish(orgId: OrgId, repositoryId: string, lastTry: boolean): Promise<void> {
    const work = await this.findWork(orgId, repositoryId);
    if (work?.record.status !== 'pending') return;
    let found: FoundProtection;
    try {
      found = await this.attempt(orgId, work);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      if (error.isPassing && !lastTry) {
        await this.database.inTenant(orgId, (tx) =>
          this.outcomes.explain(tx, work, `GitHub did not answer as it should; it is tried again. ${error.message}`),
        );
        throw error;
      }
      found = failed(`GitHub did not do it, nor say that it is done. ${error.message}`);
    }
    await this.database.inTenant(orgId, (tx) => this.outcomes.settle(tx, work, found));
  }

  /** Tells where rulesets that were set up are weaker now. Only a person decides that they be mended. */
  async check(orgId: OrgId, repositoryId: string): Promise<void> {
    const work = await this.findWork(orgId, repositoryId);
    if (!work || work.record.status === 'pending' || !work.repository.ref || !work.policy) return;
    let found: FoundProtection;
    try {
      found = await this.host.inspect(this.rulesetsOf(work.repository, work.repository.ref, work.policy));
    } catch (error) {
      // What GitHub does not let the app see any more is told where installations and repositories are.
      if (error instanceof GitHubError && !error.isPassing) return;
      throw error;
    }
    // What could not be set up keeps its reason for as long as nothing became of it.
    if (work.record.status === 'failed' && found.status === 'drifted') return;
    await this.database.inTenant(orgId, (tx) => this.outcomes.observe(tx, work, found));
  }

  private findWork(orgId: OrgId, repositoryId: string): Promise<ProtectionWork | null> {
    return this.database.inTenant(orgId, (tx) => this.work.find(tx, repositoryId));
  }

  private async attempt(orgId: OrgId, { repository, grants }: ProtectionWork): Promise<FoundProtection> {
    if (!repository.ref) return NOT_REACHED;
    if (!grants.publishesChecks) return NO_CHECKS;
    const policy = await this.readPolicy(orgId, repository);
    if (!policy) return NO_POLICY;
    const asApp = this.rulesetsOf(repository, repository.ref, policy);
    if (grants.administers) return this.establishUnlessRefused(asApp);
    const token = await this.tokens.open(orgId, repository.id);
    if (token !== null) {
      const ref = { ...repository.ref, as: new PersonalToken(token) };
      return this.establishUnlessRefused({ ...asApp, ref });
    }
    // Somebody may have made them by hand.
    const found = await this.host.inspect(asApp);
    return found.status === 'drifted' ? NEEDS_TOKEN : found;
  }

  /** As it is on the host now: a repository that was merged into a moment ago may be known as it was before. */
  private async readPolicy(orgId: OrgId, repository: GovernedRepository): Promise<Policy | null> {
    await this.refresh.readChanged(orgId, repository, [{ kind: 'policy', key: '' }], 'branch protection');
    return (await this.findWork(orgId, repository.id))?.policy ?? null;
  }

  private async establishUnlessRefused(of: RulesetsOfRepository): Promise<FoundProtection> {
    try {
      return await this.host.establish(of);
    } catch (error) {
      if (of.ref.as === undefined) {
        if (GitHubError.is(error, 'forbidden')) return refusedByHost(error.message);
      } else if (GitHubError.is(error, 'forbidden', 'unauthorized', 'not_found')) return TOKEN_REFUSED;
      throw error;
    }
  }

  private rulesetsOf({ defaultBranch }: GovernedRepository, ref: RepositoryRef, policy: Policy): RulesetsOfRepository {
    const appId = Number(this.credentials.current()?.appId);
    return { ref, defaultBranch, wanted: wantedRulesets(policy, appId) };
  }
}
