import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT } from '../../../config/environment.js';
import type { TenantTransaction } from '../../../database/database.js';
import { repositorySetupState, type SetupCircumstances, type SetupStep } from '../../../domain/repository/bootstrap.js';
import type { ProtectionStatus } from '../../../domain/repository/ruleset.js';
import { pageOffset, type PageRequest } from '../../../http/pagination/pagination.dto.js';
import { type GitHubServer, repositoryUrl } from '../../../workspaces/repository-url.js';
import { WorkflowTemplatesService } from '../workflow-files/workflow-templates.service.js';
import type { RepositoryDto } from './repositories.dto.js';

/** The stored data of a repository. */
interface ListedRepository
  extends
    Pick<RepositoryDto, 'id' | 'org' | 'name' | 'private' | 'defaultBranch' | 'managed' | 'lastSyncedAt'>,
    Pick<RepositoryDto['workflow'], 'installedRevision' | 'prNumber' | 'prUrl'> {
  readonly removed: boolean;
  readonly installed: boolean;
  readonly suspended: boolean;
  readonly step: SetupStep | null;
  /** Null if there is none, or if it was closed. */
  readonly setupPull: { readonly number: number; readonly url: string } | null;
  readonly protection: ProtectionStatus | null;
  readonly protectionDetail: string | null;
  readonly watched: boolean;
  readonly changed: RepositoryDto['integrity']['files'] | null;
  readonly changedSince: Date | null;
  readonly issueUrl: string | null;
}

/** The actions that need a user's token. */
export interface NeededTokens {
  /** Writing workflow files. */
  readonly setup: boolean;
  /** Protecting the branches of the repository with this id. */
  readonly protection: (repositoryId: string) => boolean;
}

/** A search matches the name, the owner, or both as `owner/name`. */
const MATCHES = `($1::text is null or strpos(r.lower_name, $1) > 0 or strpos(lower(o.login), $1) > 0
  or strpos(lower(o.login) || '/' || r.lower_name, $1) > 0)`;

/** Checks the circumstances that differ between the repositories of a workspace. */
const HAS_CIRCUMSTANCES = `($4::boolean[] is null or (r.removed_at is not null, r.managed_at is not null, coalesce(s.step, ''))
  in (select * from unnest($4::boolean[], $5::boolean[], $6::text[])))`;

type CountedCircumstances = SetupCircumstances & { readonly count: number };

/** A filter of the repositories. */
interface RepositoryFilter {
  /** A part of a name, ignoring case; null means all. */
  readonly search: string | null;
  /** Only with one of these circumstances; null means all. */
  readonly circumstances: readonly SetupCircumstances[] | null;
  /** Only these ids; null means all. */
  readonly among: readonly string[] | null;
}

/** Reads the repositories that the transaction can see, for lists. */
@Injectable()
export class RepositoriesQueries {
  constructor(
    private readonly workflows: WorkflowTemplatesService,
    @Inject(ENVIRONMENT) private readonly server: GitHubServer,
  ) {}

  /** Counts the repositories that match the search in each set of circumstances of their set-ups. */
  async countByCircumstances(tx: TenantTransaction, search: string | null): Promise<readonly CountedCircumstances[]> {
    return tx.queryPrepared<CountedCircumstances>(
      'count_repositories_by_setup',
      `select r.removed_at is not null as removed, o.installation_id is not null as installed,
         o.suspended_at is not null as suspended, r.managed_at is not null as managed, s.step, count(*)::float8 as count
       from repository r join organization o on o.org_id = r.org_id left join repository_setup s on s.repository_id = r.id
       where ${MATCHES} group by 1, 2, 3, 4, 5`,
      [search?.toLowerCase() ?? null],
    );
  }

  /** Finds ids by name and counts all matches. Returns every id if there is no page. */
  async find(
    tx: TenantTransaction,
    { search, circumstances, among }: RepositoryFilter,
    page: PageRequest | null,
  ): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
    // Without a filter the page comes in order from the index of the names.
    const isFiltered = circumstances !== null || among !== null;
    const from = `from repository r join organization o on o.org_id = r.org_id
      ${isFiltered ? 'left join repository_setup s on s.repository_id = r.id' : ''}
      where ${MATCHES} ${isFiltered ? `and ${HAS_CIRCUMSTANCES} and ($7::uuid[] is null or r.id = any($7))` : ''}`;
    const [row] = await tx.queryPrepared<{ readonly ids: readonly string[]; readonly total: string }>(
      `find_repositories${isFiltered ? '_filtered' : ''}`,
      `select array(select r.id ${from} order by r.lower_name, r.id limit $2::bigint offset $3::bigint) as ids,
         (select count(*) ${from}) as total`,
      [
        search?.toLowerCase() ?? null,
        page?.pageSize ?? null,
        page ? pageOffset(page) : 0,
        ...(isFiltered
          ? [
              circumstances?.map(({ removed }) => removed) ?? null,
              circumstances?.map(({ managed }) => managed) ?? null,
              circumstances?.map(({ step }) => step ?? '') ?? null,
              among,
            ]
          : []),
      ],
    );
    return { ids: row?.ids ?? [], total: Number(row?.total ?? 0) };
  }

  /** Returns the installation of the workspace; null if it is suspended or a sync was started since then. */
  async findInstallationToSync(tx: TenantTransaction, since: Date): Promise<number | null> {
    const [row] = await tx.query<{ readonly installation_id: string }>(
      `select installation_id from organization
       where installation_id is not null and suspended_at is null and not exists (select from sync_run where begun_at > $1)`,
      [since],
    );
    return row ? Number(row.installation_id) : null;
  }

  /** Lists the existing repositories in the order of the ids. */
  async list(tx: TenantTransaction, ids: readonly string[], needed: NeededTokens): Promise<readonly RepositoryDto[]> {
    if (ids.length === 0) return [];
    const rows = await tx.queryPrepared<ListedRepository>(
      'list_repositories',
      `select r.id, o.login as org, r.name, r.private, r.default_branch as "defaultBranch", r.managed_at is not null as managed,
         r.removed_at is not null as removed, o.installation_id is not null as installed,
         o.suspended_at is not null as suspended, s.step,
         case when s.step <> 'closed' and s.pull_number is not null then
           jsonb_build_object('number', s.pull_number, 'url', s.pull_url) end as "setupPull",
         p.status as protection, p.detail as "protectionDetail",
         w.installed_revision is not null or exists (
           select from watched_file f where f.repository_id = r.id) as watched,
         t.changed, t.changed_since as "changedSince",
         (select i.url from tampering_issue i where i.repository_id = r.id and i.url is not null
           order by i.path limit 1) as "issueUrl",
         w.installed_revision as "installedRevision", u.pull_number as "prNumber", u.pull_url as "prUrl",
         y.synced_at as "lastSyncedAt"
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
    return rows.map((row) => this.toSummary(row, needed));
  }

  private toSummary(row: ListedRepository, needed: NeededTokens): RepositoryDto {
    return {
      id: row.id,
      org: row.org,
      name: row.name,
      fullName: `${row.org}/${row.name}`,
      private: row.private,
      defaultBranch: row.defaultBranch,
      url: repositoryUrl(this.server, row),
      managed: row.managed,
      setupState: repositorySetupState(row),
      setup: {
        prNumber: row.setupPull?.number ?? null,
        prUrl: row.setupPull?.url ?? null,
        tokenNeeded: needed.setup,
      },
      protection: {
        status: row.protection ?? 'unknown',
        detail: row.protectionDetail,
        tokenNeeded: needed.protection(row.id),
      },
      integrity: {
        status: row.changed ? 'tampered' : row.watched ? 'intact' : 'unwatched',
        files: row.changed ?? [],
        issueUrl: row.changed ? row.issueUrl : null,
        since: row.changedSince,
      },
      workflow: {
        status: this.workflowStatus(row),
        installedRevision: row.installedRevision,
        targetRevision: this.workflows.revision,
        prNumber: row.prNumber,
        prUrl: row.prUrl,
      },
      lastSyncedAt: row.lastSyncedAt,
    };
  }

  private workflowStatus(row: ListedRepository): RepositoryDto['workflow']['status'] {
    if (row.prNumber !== null) return 'PR_OPEN';
    if (row.installedRevision === null) return null;
    return row.installedRevision === this.workflows.revision ? 'UP_TO_DATE' : 'UPDATE_AVAILABLE';
  }
}
