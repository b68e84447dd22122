import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import type { TenantTransaction } from '../../../database/database.js';
import { type SetupState, repositorySetupState, type SetupStep } from '../../../domain/repository/bootstrap.js';
import type { ProtectionStatus } from '../../../domain/repository/ruleset.js';
import type { WorkflowUpdateStatus } from '../../../domain/repository/workflow-update.js';
import { pageOffset, type PageRequest } from '../../../http/pagination/pagination.dto.js';
import { WorkflowTemplatesService } from '../workflow-files/workflow-templates.service.js';

/** `unwatched`: no managed file was seen in the repository yet. */
export const INTEGRITY_STATUSES = ['intact', 'tampered', 'unwatched'] as const;
export type IntegrityStatus = (typeof INTEGRITY_STATUSES)[number];

/** A managed file that was changed on a branch. */
interface ChangedFile {
  readonly path: string;
  readonly branch: string;
}

/** A repository in lists, by stored data. */
export interface RepositorySummaryDto {
  readonly id: string;
  readonly org: string;
  readonly name: string;
  readonly fullName: string;
  readonly private: boolean;
  readonly defaultBranch: string;
  readonly url: string;
  readonly managed: boolean;
  readonly setupState: SetupState;
  readonly protection: { readonly status: ProtectionStatus; readonly detail: string | null };
  readonly integrity: {
    readonly status: IntegrityStatus;
    readonly files: readonly ChangedFile[];
    readonly issueUrl: string | null;
    readonly since: Date | null;
  };
  readonly workflow: {
    /** Null if the service installed none. */
    readonly status: Extract<WorkflowUpdateStatus, 'UP_TO_DATE' | 'UPDATE_AVAILABLE' | 'PR_OPEN'> | null;
    readonly installedRevision: string | null;
    readonly targetRevision: string;
    readonly prNumber: number | null;
    readonly prUrl: string | null;
  };
  readonly lastSyncedAt: Date | null;
}

interface RepositoryRow {
  readonly id: string;
  readonly org: string;
  readonly name: string;
  readonly private: boolean;
  readonly default_branch: string;
  readonly managed: boolean;
  readonly removed: boolean;
  readonly installed: boolean;
  readonly suspended: boolean;
  readonly step: SetupStep | null;
  readonly protection: ProtectionStatus | null;
  readonly protection_detail: string | null;
  readonly watched: boolean;
  readonly changed: readonly ChangedFile[] | null;
  readonly changed_since: Date | null;
  readonly issue_url: string | null;
  readonly installed_revision: string | null;
  readonly update_number: number | null;
  readonly update_url: string | null;
  readonly synced_at: Date | null;
}

/** A search matches the name, the owner, or both as `owner/name`. */
const MATCHES = `($1::text is null or strpos(r.lower_name, $1) > 0 or strpos(lower(o.login), $1) > 0
  or strpos(lower(o.login) || '/' || r.lower_name, $1) > 0)`;

/** Reads the repositories that the transaction can see, for lists. */
@Injectable()
export class RepositoriesQueries {
  readonly #githubUrl: string;

  constructor(
    private readonly workflows: WorkflowTemplatesService,
    @Inject(ENVIRONMENT) { githubUrl }: Environment,
  ) {
    this.#githubUrl = githubUrl;
  }

  /** Finds ids by name and counts all matches. Returns every id if there is no page. `search` is a part of a name, ignoring case. */
  async find(
    tx: TenantTransaction,
    search: string | null,
    page: PageRequest | null,
  ): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
    const from = `from repository r join organization o on o.org_id = r.org_id where ${MATCHES}`;
    const [row] = await tx.queryPrepared<{ readonly ids: readonly string[]; readonly total: string }>(
      'find_repositories',
      `select array(select r.id ${from} order by r.lower_name, r.id limit $2::bigint offset $3::bigint) as ids,
         (select count(*) ${from}) as total`,
      [search?.toLowerCase() ?? null, page?.pageSize ?? null, page ? pageOffset(page) : 0],
    );
    return { ids: row?.ids ?? [], total: Number(row?.total ?? 0) };
  }

  /** Lists the existing repositories in the order of the ids. */
  async list(tx: TenantTransaction, ids: readonly string[]): Promise<readonly RepositorySummaryDto[]> {
    if (ids.length === 0) return [];
    const rows = await tx.queryPrepared<RepositoryRow>(
      'list_repository_cards',
      `select r.id, o.login as org, r.name, r.private, r.default_branch, r.managed_at is not null as managed,
         r.removed_at is not null as removed, o.installation_id is not null as installed,
         o.suspended_at is not null as suspended, s.step, p.status as protection, p.detail as protection_detail,
         w.installed_revision is not null or exists (
           select from watched_file f where f.repository_id = r.id) as watched,
         t.changed, t.changed_since,
         (select i.url from tampering_issue i where i.repository_id = r.id and i.url is not null
           order by i.path limit 1) as issue_url,
         w.installed_revision, u.pull_number as update_number, u.pull_url as update_url, y.synced_at
       from unnest($1::uuid[]) with ordinality as wanted (id, at)
       join repository r on r.id = wanted.id
       join organization o on o.org_id = r.org_id
       left join repository_setup s on s.repository_id = r.id
       left join repository_protection p on p.repository_id = r.id
       left join workflow_installation w on w.repository_id = r.id
       left join workflow_update u on u.repository_id = r.id
       left join repository_sync y on y.repository_id = r.id
       left join lateral (
         select jsonb_agg(jsonb_build_object('path', f.path, 'branch', f.branch) order by f.path, f.branch) as changed,
           min(f.since) as changed_since
         from tampered_file f where f.repository_id = r.id) t on true
       order by wanted.at`,
      [ids],
    );
    return rows.map((row) => this.toSummary(row));
  }

  private toSummary(row: RepositoryRow): RepositorySummaryDto {
    const fullName = `${row.org}/${row.name}`;
    return {
      id: row.id,
      org: row.org,
      name: row.name,
      fullName,
      private: row.private,
      defaultBranch: row.default_branch,
      url: `${this.#githubUrl}/${fullName}`,
      managed: row.managed,
      setupState: repositorySetupState(row),
      protection: { status: row.protection ?? 'unknown', detail: row.protection_detail },
      integrity: {
        status: row.changed ? 'tampered' : row.watched ? 'intact' : 'unwatched',
        files: row.changed ?? [],
        issueUrl: row.changed ? row.issue_url : null,
        since: row.changed_since,
      },
      workflow: {
        status: this.workflowStatus(row),
        installedRevision: row.installed_revision,
        targetRevision: this.workflows.revision,
        prNumber: row.update_number,
        prUrl: row.update_url,
      },
      lastSyncedAt: row.synced_at,
    };
  }

  private workflowStatus(row: RepositoryRow): RepositorySummaryDto['workflow']['status'] {
    if (row.update_number !== null) return 'PR_OPEN';
    if (row.installed_revision === null) return null;
    return row.installed_revision === this.workflows.revision ? 'UP_TO_DATE' : 'UPDATE_AVAILABLE';
  }
}
