import { Injectable } from '@nestjs/common';
import { AppCredentialsProvider } from '../../../config/app-credentials.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { Policy } from '../../../domain/policy/policy.js';
import { type ProtectionCheckResult, desiredRulesets } from '../../../domain/repository/ruleset.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { PersonalToken, type RepositoryRef } from '../../../github/transport/token-scope.js';
import { JobHandler, type JobRun } from '../../../jobs/job-handlers.js';
import type { JobPayload } from '../../../jobs/job.js';
import type { Repository } from '../../../workspaces/repositories.repository.js';
import { ReleaseRefreshService } from '../../releases/evaluation/release-refresh.service.js';
import { RepositoryTokensService } from '../tokens/repository-tokens.service.js';
import { type ProtectionTask, BranchProtectionRepository } from './branch-protection.repository.js';
import { ProtectionStateService } from './protection-state.service.js';
import {
  failed,
  NEEDS_TOKEN,
  NO_CHECKS,
  NO_POLICY,
  NOT_REACHED,
  rulesetsRejected,
  RulesetsGitHubService,
  type RulesetsOfRepository,
  TOKEN_REFUSED,
} from './rulesets-github.service.js';

/** Applies the rulesets of the policy to repositories and checks them later. */
@Injectable()
export class BranchProtectionService {
  constructor(
    private readonly protections: BranchProtectionRepository,
    private readonly states: ProtectionStateService,
    private readonly rulesets: RulesetsGitHubService,
    private readonly tokens: RepositoryTokensService,
    private readonly refresh: ReleaseRefreshService,
    private readonly credentials: AppCredentialsProvider,
    private readonly database: Database,
  ) {}

  /** Runs the current attempt, if there is one, and saves its result. */
  @JobHandler('apply-rulesets')
  async apply({ orgId, repositoryId }: JobPayload<'apply-rulesets'>, { isLastAttempt }: JobRun): Promise<void> {
    const work = await this.findWork(orgId, repositoryId);
    if (work?.record.status !== 'pending') return;
    let found: ProtectionCheckResult;
    try {
      found = await this.attempt(orgId, work);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      if (error.isTransient && !isLastAttempt) {
        await this.database.inTenant(orgId, (tx) =>
          this.states.setDetail(
            tx,
            work,
            `GitHub did not answer as expected. The service tries again. ${error.message}`,
          ),
        );
        throw error;
      }
      found = failed(`GitHub did not confirm the rulesets. ${error.message}`);
    }
    await this.database.inTenant(orgId, (tx) => this.states.complete(tx, work, found));
  }

  /** Detects rulesets that became weaker. Only a user repairs them. */
  @JobHandler('check-rulesets')
  async check({ orgId, repositoryId }: JobPayload<'check-rulesets'>): Promise<void> {
    const work = await this.findWork(orgId, repositoryId);
    if (!work || work.record.status === 'pending' || !work.repository.ref || !work.policy) return;
    let found: ProtectionCheckResult;
    try {
      found = await this.rulesets.inspect(this.toRulesets(work.repository, work.repository.ref, work.policy));
    } catch (error) {
      // The sync reports repositories and installations that the app cannot access any more.
      if (error instanceof GitHubError && !error.isTransient) return;
      throw error;
    }
    // A failed attempt keeps its reason until the rulesets exist.
    if (work.record.status === 'failed' && found.status === 'drifted') return;
    await this.database.inTenant(orgId, (tx) => this.states.observe(tx, work, found));
  }

  private findWork(orgId: OrgId, repositoryId: string): Promise<ProtectionTask | null> {
    return this.database.inTenant(orgId, (tx) => this.protections.findTask(tx, repositoryId));
  }

  private async attempt(orgId: OrgId, { repository, grants }: ProtectionTask): Promise<ProtectionCheckResult> {
    if (!repository.ref) return NOT_REACHED;
    if (!grants.publishesChecks) return NO_CHECKS;
    const policy = await this.readPolicy(orgId, repository);
    if (!policy) return NO_POLICY;
    const asApp = this.toRulesets(repository, repository.ref, policy);
    if (grants.administers) return this.applyUnlessRejected(asApp);
    const token = await this.tokens.findDecrypted(orgId, repository.id);
    if (token !== null) {
      const ref = { ...repository.ref, as: new PersonalToken(token) };
      return this.applyUnlessRejected({ ...asApp, ref });
    }
    // An administrator may have created them manually.
    const found = await this.rulesets.inspect(asApp);
    return found.status === 'drifted' ? NEEDS_TOKEN : found;
  }

  /** Reads the policy from GitHub, because the stored one may be from before the merge. */
  private async readPolicy(orgId: OrgId, repository: Repository): Promise<Policy | null> {
    await this.refresh.refreshFacts(orgId, repository, [{ kind: 'policy', key: '' }], 'branch protection');
    return (await this.findWork(orgId, repository.id))?.policy ?? null;
  }

  private async applyUnlessRejected(of: RulesetsOfRepository): Promise<ProtectionCheckResult> {
    try {
      return await this.rulesets.apply(of);
    } catch (error) {
      if (of.ref.as === undefined) {
        if (GitHubError.is(error, 'forbidden')) return rulesetsRejected(error.message);
      } else if (GitHubError.is(error, 'forbidden', 'unauthorized', 'not_found')) return TOKEN_REFUSED;
      throw error;
    }
  }

  private toRulesets({ defaultBranch }: Repository, ref: RepositoryRef, policy: Policy): RulesetsOfRepository {
    const appId = Number(this.credentials.current()?.appId);
    return { ref, defaultBranch, desired: desiredRulesets(policy, appId) };
  }
}
