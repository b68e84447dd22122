import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT } from '../../../config/environment.js';
import type { TenantTransaction } from '../../../database/database.js';
import type { Sha } from '../../../domain/facts/facts.js';
import type { DeploymentRecordKind, DeploymentSource } from '../../../domain/history/deployment.js';
import { LONGEST_DEPLOYMENT_MS } from '../../../domain/history/reported-deployment.js';
import type { Policy } from '../../../domain/policy/policy.js';
import { type Page, type PageRequest, pageOffset } from '../../../http/pagination/pagination.dto.js';
import { commitUrl, type GitHubServer } from '../../../workspaces/repository-url.js';
import { DEPLOYMENTS, deploymentRunUrl, type KnownDeploymentState } from './deployments.sql.js';
import type { EnvironmentDto } from './environments.dto.js';

/** The deployments to an environment that decide what is there. */
export interface KnownDeployments {
  /** The latest successful one; null if none is known, or if it has ended. */
  readonly deployed: Omit<EnvironmentDto, 'name' | 'role'> | null;
  /** The one that began last. */
  readonly newest: { readonly commitSha: Sha; readonly status: KnownDeploymentState; readonly startedAt: Date } | null;
}

/** A repository and its last known policy. */
interface PolicyOfRepository {
  readonly repoId: string;
  readonly org: string;
  readonly repo: string;
  readonly policy: Policy;
}

interface Row {
  readonly repositoryId: string;
  readonly environment: string;
  readonly isNewest: boolean;
  readonly org: string;
  readonly repo: string;
  readonly commitSha: Sha;
  readonly status: KnownDeploymentState;
  readonly startedAt: Date;
  readonly succeededAt: Date | null;
  readonly source: DeploymentSource;
  readonly runUrl: string | null;
  readonly milestoneId: string | null;
  readonly version: string | null;
  readonly kind: DeploymentRecordKind | null;
}

/** Builds the key of an environment of a repository, ignoring case. */
export const toEnvironmentKey = (repositoryId: string, environment: string): string =>
  `${repositoryId} ${environment.toLowerCase()}`;

/** The periods of the newest deployments that were read for a soak. They also tell which of them have ended. */
const PERIODS = `
  select o.repository_id, o.key as environment, f ->> 'sha' as commit_sha, (p ->> 'from')::timestamptz as started_at,
    case when p ->> 'to' is null then 'succeeded' else 'inactive' end as status, (p ->> 'from')::timestamptz as succeeded_at,
    'github' as source, d.run_id, null as run_url
  from observation o
  cross join lateral jsonb_array_elements(o.value) f
  cross join lateral jsonb_array_elements(f -> 'periods') p
  left join deployment d on d.repository_id = o.repository_id and d.github_id = (f ->> 'githubId')::bigint
  where o.kind = 'deployments' and o.observed_at > 'epoch' and o.repository_id = any($2) and o.key = any($3)`;

/** Reads what is deployed to environments, by stored facts. */
@Injectable()
export class EnvironmentDeploymentsQueries {
  constructor(@Inject(ENVIRONMENT) private readonly server: GitHubServer) {}

  /** Returns what is known of each environment of each repository, by `toEnvironmentKey`. */
  async find(
    tx: TenantTransaction,
    repositoryIds: readonly string[],
    environments: readonly string[],
    now: Date,
  ): Promise<ReadonlyMap<string, KnownDeployments>> {
    if (repositoryIds.length === 0) return new Map();
    const rows = await tx.queryPrepared<Row>(
      'find_environment_deployments',
      `with known as materialized (
         select repository_id, lower(environment) as environment, commit_sha, started_at, status, succeeded_at, source, run_id,
           run_url, observed_at
         from (${DEPLOYMENTS}) d where repository_id = any($2) and lower(environment) = any($3)
       ), deployed as (
         select distinct on (repository_id, environment) * from (
           select repository_id, environment, commit_sha, started_at, status, succeeded_at, source, run_id, run_url
           from known where succeeded_at is not null and not exists (
             select from observation o where o.kind = 'deployments' and o.repository_id = known.repository_id
               and o.key = known.environment and o.observed_at >= known.observed_at)
           union all ${PERIODS}
         ) successful order by repository_id, environment, succeeded_at desc, status
       ), newest as (
         select distinct on (repository_id, environment) repository_id, environment, commit_sha, started_at, status, succeeded_at,
           source, run_id, run_url
         from known order by repository_id, environment, started_at desc, status
       )
       select d.repository_id as "repositoryId", d.environment, d.is_newest as "isNewest", o.login as org, r.name as repo,
         d.commit_sha as "commitSha", d.status, d.started_at as "startedAt", d.succeeded_at as "succeededAt", d.source,
         ${deploymentRunUrl('$4')} as "runUrl",
         l.id as "milestoneId", l.version, h.kind
       from (select deployed.*, false as is_newest from deployed union all select newest.*, true from newest) d
       join repository r on r.id = d.repository_id
       join organization o on o.org_id = r.org_id
       left join lateral (
         select id, version from release where repository_id = d.repository_id and d.commit_sha = any(candidate_shas)
           and deleted_at is null and not d.is_newest
         order by shipped_at desc nulls last, updated_at desc, id limit 1) l on true
       left join lateral (
         select kind from deployment_record where repository_id = d.repository_id and commit_sha = d.commit_sha
           and lower(environment) = d.environment and not d.is_newest
         order by deployed_at desc, id limit 1) h on true`,
      [
        new Date(now.getTime() - LONGEST_DEPLOYMENT_MS),
        repositoryIds,
        environments.map((name) => name.toLowerCase()),
        this.server.githubUrl,
      ],
    );
    const found = new Map<string, KnownDeployments>();
    for (const row of rows) {
      const key = toEnvironmentKey(row.repositoryId, row.environment);
      const { deployed = null, newest = null } = found.get(key) ?? {};
      found.set(key, row.isNewest ? { deployed, newest: row } : { deployed: this.toDeployed(row), newest });
    }
    return found;
  }

  /** Reads a page of the repositories whose last known policy is valid, by name. Removed ones are left out. */
  async listRepositories(
    tx: TenantTransaction,
    search: string | null,
    page: PageRequest,
  ): Promise<Page<PolicyOfRepository>> {
    const from = `from repository r join organization o on o.org_id = r.org_id
      join observation p on p.repository_id = r.id and p.kind = 'policy' and p.key = ''
      where r.removed_at is null and p.value ->> 'status' = 'valid' and ($1::text is null or strpos(r.lower_name, $1) > 0)`;
    const term = search?.toLowerCase() ?? null;
    const [counted] = await tx.queryPrepared<{ readonly total: number }>(
      'count_repositories_with_policy',
      `select count(*)::float8 as total ${from}`,
      [term],
    );
    const items = await tx.queryPrepared<PolicyOfRepository>(
      'list_repositories_with_policy',
      `select r.id as "repoId", o.login as org, r.name as repo, p.value -> 'policy' as policy ${from}
       order by r.lower_name, r.id limit $2 offset $3`,
      [term, page.pageSize, pageOffset(page)],
    );
    return { items, total: counted?.total ?? 0 };
  }

  private toDeployed(row: Row): KnownDeployments['deployed'] {
    if (row.status !== 'succeeded') return null;
    const { commitSha, milestoneId, version, succeededAt, source, runUrl, kind } = row;
    return {
      commitSha,
      commitUrl: commitUrl(this.server, { org: row.org, name: row.repo }, commitSha),
      milestoneId,
      version,
      since: succeededAt,
      source,
      runUrl,
      kind,
    };
  }
}
