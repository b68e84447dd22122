import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { AppCredentialsProvider } from '../../../config/app-credentials.js';
import { Database, type Viewer } from '../../../database/database.js';
import type { ProtectionRule } from '../../../domain/repository/ruleset.js';
import { ProtectionRulesRepository } from './protection-rules.repository.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { isUnsupportedByPlan } from '../../../github/api/rulesets.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { toCallerError } from '../../../http/errors/github-unavailable.js';
import { JobHandler } from '../../../jobs/job-handlers.js';
import type { JobPayload } from '../../../jobs/job.js';
import { ReadableRepositoriesService } from '../../../workspaces/readable-repositories.service.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { ObservationsRepository } from '../../releases/facts/observations.repository.js';
import {
  enableByHand,
  policyNotValid,
  promotionIsAutomatic,
  ruleNotAdded,
  rulesNotOffered,
  verdictsNotPermitted,
} from '../repositories.errors.js';

/** Enables the protection rule on the environment that a repository deploys to, and notices if it is taken off. */
@Injectable()
export class ProtectionRuleService {
  constructor(
    private readonly database: Database,
    private readonly readable: ReadableRepositoriesService,
    private readonly repos: RepositoriesRepository,
    private readonly rules: ProtectionRulesRepository,
    private readonly observations: ObservationsRepository,
    private readonly workspaces: WorkspacesQueries,
    private readonly audit: AuditLogService,
    private readonly events: EventsRepository,
    private readonly github: GitHubGateway,
    private readonly credentials: AppCredentialsProvider,
  ) {}

  /** Null if the rule was never enabled. */
  async find(viewer: Viewer, repositoryId: string): Promise<ProtectionRule | null> {
    const { id } = await this.readable.get(viewer, repositoryId);
    return this.database.asViewer(viewer, (tx) => this.rules.find(tx, id));
  }

  /**
   * Creates the environment if it is missing, adds the rule and reads it back. A repetition changes nothing. Throws `conflict` and
   * `unprocessable` with the reason if the rule cannot be enabled.
   */
  async enable({ orgId, viewer, user }: Member, repositoryId: string): Promise<ProtectionRule> {
    const repository = await this.readable.getInstalled(viewer, repositoryId);
    const { policy, permissions } = await this.database.inTenant(orgId, async (tx) => ({
      policy: await this.observations.find(tx, repository.id),
      permissions: await this.workspaces.getPermissions(tx),
    }));
    if (!policy) throw policyNotValid();
    const { target, promotion } = policy.deployment;
    if (promotion === 'auto') throw promotionIsAutomatic();
    if (!permissions.decidesDeployments) throw verdictsNotPermitted();
    const { ref } = repository;
    let found: ProtectionRule;
    try {
      found = await this.inspect(ref, target);
      if (found.status === 'missing') {
        if (!permissions.administers) throw enableByHand(target);
        found = await this.add(ref, target);
      }
    } catch (error) {
      throw toCallerError(error);
    }
    await this.database.inTenant(orgId, async (tx) => {
      if (!(await this.rules.save(tx, repository.id, found))) return;
      await this.events.append(tx, { type: 'repo.updated', repositoryId: repository.id });
      if (found.status !== 'active') return;
      await this.audit.append(tx, {
        actor: { type: 'person', id: user.id, login: user.login },
        action: 'protection_rule.enabled',
        subject: `${repository.org}/${repository.name}`,
        data: { environment: target },
        repositoryIds: [repository.id],
      });
    });
    if (found.status === 'advisory') throw rulesNotOffered();
    if (found.status === 'missing') throw ruleNotAdded(target);
    return found;
  }

  /** Notices a rule that was enabled or taken off on GitHub. */
  @JobHandler('check-protection-rule')
  async check({ orgId, repositoryId }: JobPayload<'check-protection-rule'>): Promise<void> {
    const { repository, policy, known } = await this.database.inTenant(orgId, async (tx) => ({
      repository: await this.repos.find(tx, repositoryId),
      policy: await this.observations.find(tx, repositoryId),
      known: await this.rules.find(tx, repositoryId),
    }));
    if (!repository?.ref || !policy) return;
    let found: ProtectionRule;
    try {
      found = await this.inspect(repository.ref, policy.deployment.target);
    } catch (error) {
      // The sync reports repositories and installations that the app cannot access any more.
      if (error instanceof GitHubError && !error.isTransient) return;
      throw error;
    }
    // A rule that was never enabled is not missing.
    if (known === null && found.status !== 'active') return;
    await this.database.inTenant(orgId, async (tx) => {
      if (!(await this.rules.save(tx, repositoryId, found))) return;
      await this.events.append(tx, { type: 'repo.updated', repositoryId });
    });
  }

  private async inspect(ref: RepositoryRef, environment: string): Promise<ProtectionRule> {
    const appId = Number(this.credentials.current()?.appId);
    const { value: existing } = await this.github.environments.find(ref, environment);
    const { value: rules } = await this.github.environments.listRules(ref, environment);
    const isActive = rules?.some((rule) => rule.appId === appId && rule.enabled);
    return {
      // An environment that does not exist has no rules, regardless of the plan.
      status: existing !== null && rules === null ? 'advisory' : isActive === true ? 'active' : 'missing',
      environment: existing?.name ?? environment,
      adminsMayBypass: existing?.canAdminsBypass ?? null,
    };
  }

  private async add(ref: RepositoryRef, environment: string): Promise<ProtectionRule> {
    const appId = Number(this.credentials.current()?.appId);
    const { value: existing } = await this.github.environments.find(ref, environment);
    if (!existing) await this.github.environments.create(ref, environment);
    try {
      await this.github.environments.enableRule(ref, environment, appId);
    } catch (error) {
      if (!isUnsupportedByPlan(error)) throw error;
    }
    // Only the state that GitHub shows counts.
    return this.inspect(ref, environment);
  }
}
