import { Injectable } from '@nestjs/common';
import { sha256 } from '../../crypto/digests.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { DEFAULT_POLICY_REPOSITORY, POLICY_FILE } from '../../domain/repository/managed-files.js';
import { EventsRepository } from '../../events/events.repository.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import { GitHubError } from '../../github/transport/github-error.js';
import { JobHandler } from '../../jobs/job-handlers.js';
import type { JobPayload } from '../../jobs/job.js';
import { type Repository, RepositoriesRepository } from '../../workspaces/repositories.repository.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { AuditRepository } from '../audit/audit.repository.js';

/** The default of an organization as GitHub has it. */
interface PolicyDefault {
  readonly repository: Repository | null;
  /** The SHA-256 of the file. Null if there is none. */
  readonly digest: string | null;
}

/** Records changes of the organization default in the audit log. */
@Injectable()
export class PolicyDefaultService {
  constructor(
    private readonly database: Database,
    private readonly repositories: RepositoriesRepository,
    private readonly github: GitHubGateway,
    private readonly audit: AuditLogService,
    private readonly auditEntries: AuditRepository,
    private readonly events: EventsRepository,
  ) {}

  /**
   * Appends an entry if the file differs from that of the last entry: its digests before and after, and the last commit of the
   * file with its committer. Does nothing while GitHub does not show the file.
   */
  @JobHandler('record-policy-default')
  async record({ orgId }: JobPayload<'record-policy-default'>): Promise<void> {
    const current = await this.read(orgId);
    if (current === null) return;
    const { repository, digest } = current;
    const known = await this.database.inTenant(orgId, (tx) => this.auditEntries.findLast(tx, 'policy_default.changed'));
    const before = known && 'after' in known.data && typeof known.data.after === 'string' ? known.data.after : null;
    if (before === digest) return;
    const change =
      repository?.ref &&
      (await this.github.commits.findLastChange(repository.ref, repository.defaultBranch, POLICY_FILE));
    await this.database.inTenant(orgId, async (tx) => {
      if (repository) await this.events.append(tx, { type: 'repo.updated', repositoryId: repository.id });
      await this.audit.append(tx, {
        actor: { type: 'service' },
        action: 'policy_default.changed',
        subject: repository ? `${repository.org}/${repository.name}` : (known?.subject ?? DEFAULT_POLICY_REPOSITORY),
        data: { before, after: digest, commit: change?.sha ?? null, committer: change?.committer ?? null },
        repositoryIds: repository ? [repository.id] : [],
      });
    });
  }

  /** Returns null if it is not known now, for example while the app is suspended. */
  private async read(orgId: OrgId): Promise<PolicyDefault | null> {
    const find = (tx: TenantTransaction) => this.repositories.findByName(tx, DEFAULT_POLICY_REPOSITORY);
    const repository = await this.database.inTenant(orgId, find);
    if (!repository) return { repository: null, digest: null };
    const { ref, defaultBranch } = repository;
    if (!ref) return null;
    try {
      const { value: file } = await this.github.repositories.file(ref, POLICY_FILE, defaultBranch);
      return { repository, digest: file && sha256(file.text) };
    } catch (error) {
      // The file is too large for any policy, or the repository is gone. The next sync shows which.
      if (GitHubError.is(error, 'invalid') || GitHubError.is(error, 'not_found')) return null;
      throw error;
    }
  }
}
