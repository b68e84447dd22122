import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT } from '../../config/environment.js';
import type { TenantTransaction } from '../../database/database.js';
import type { DayRange, DeploymentRecordKind } from '../../domain/history/deployment.js';
import type { AppliedOverride } from '../../domain/override/override.js';
import type { Stored } from '../../domain/release/replay.js';
import { pageOffset, type PageRequest } from '../../http/pagination/pagination.dto.js';
import { commitUrl, type GitHubServer, repositoryUrl } from '../../workspaces/repository-url.js';
import { type DeploymentRecordDto, toRecordedOverride } from './history.dto.js';

/** A repository with records. */
export interface RecordedRepository {
  readonly id: string;
  /** As `owner/name`. */
  readonly name: string;
}

/** A filter of records; null means all. */
export interface RecordFilter extends DayRange {
  readonly repositoryIds: readonly string[] | null;
  readonly kind: DeploymentRecordKind | null;
  /** Ignoring case. */
  readonly environment: string | null;
  readonly search: RecordSearch | null;
}

/** Selects the records whose version contains `term`, and the records of the repositories whose version contains `version`. */
export interface RecordSearch {
  /** In lower case, like `version`. */
  readonly term: string;
  /** Empty for all versions and for records without one. */
  readonly version: string;
  readonly repositoryIds: readonly string[];
}

/** Ids of records, latest deployment first, and their total number, both read in one statement. */
export interface FoundRecords {
  readonly ids: readonly string[];
  readonly total: number;
}

/** Selects the repositories that have records, with their number. */
const RECORDED = `
  select repository_id, sum(recorded) as total from repository_count_change group by repository_id having sum(recorded) > 0`;

// A missing start or end is an infinite day.
const ON_DAYS = `deployed_at >= $3::date::timestamp at time zone 'UTC'
  and deployed_at < ($4::date + 1)::timestamp at time zone 'UTC'`;
/** The parameters before those of the conditions: size and start of the page. */
const PAGE_PARAMS = 2;
const toDayParams = ({ from, to }: DayRange): readonly string[] => [from ?? '-infinity', to ?? 'infinity'];

/** Reads the history records that the transaction can see. */
@Injectable()
export class HistoryQueries {
  constructor(@Inject(ENVIRONMENT) private readonly server: GitHubServer) {}

  /** Lists every repository that has a record, by name. */
  async listRepositories(tx: TenantTransaction): Promise<readonly RecordedRepository[]> {
    return tx.queryPrepared<RecordedRepository>(
      'list_repositories_with_deployments',
      `select r.id, o.login || '/' || r.name as name
       from (${RECORDED}) recorded
       join repository r on r.id = recorded.repository_id
       join organization o on o.org_id = r.org_id
       order by r.lower_name, r.id`,
      [],
    );
  }

  /**
   * Lists the environments that have a record, at most 100, each once in any letter case. Each step of the recursion is one look into
   * the index, so the number of records does not matter.
   */
  async listEnvironments(tx: TenantTransaction): Promise<readonly string[]> {
    const environments = await tx.queryPrepared<{ readonly name: string }>(
      'list_environments_with_deployments',
      `with recursive environment (name) as (
         select min(environment) from deployment_record
         union all
         select (select min(environment) from deployment_record where environment > name) from environment
         where name is not null
       )
       select distinct on (lower(name)) name from (select name from environment limit 1000) as listed
       where name is not null order by lower(name), name limit 100`,
      [],
    );
    return environments.map(({ name }) => name);
  }

  /**
   * Finds records of all repositories, or every id without a page, and the names of all repositories with records regardless of
   * the days. Sub-selects supply the page, so that the statement is planned once and not for each page.
   */
  async findOfAny(
    tx: TenantTransaction,
    days: DayRange,
    page: PageRequest | null,
  ): Promise<FoundRecords & { readonly repositories: readonly string[] }> {
    const anyDay = days.from === null && days.to === null;
    const [row] = await tx.queryPrepared<{
      readonly ids: readonly string[];
      readonly total: string;
      readonly repositories: readonly string[];
    }>(
      `find_deployment_records_of_any${anyDay ? '' : '_on_days'}`,
      `select counted.*, array(
         select id from deployment_record ${anyDay ? '' : `where ${ON_DAYS}`}
         order by deployed_at desc, id limit (select $1::bigint) offset (select $2::bigint)) as ids
       from (
         select ${anyDay ? 'coalesce(sum(recorded.total), 0)' : `(select count(*) from deployment_record where ${ON_DAYS})`} as total,
           coalesce(json_agg(o.login || '/' || r.name order by r.lower_name, r.id), '[]') as repositories
         from (${RECORDED}) as recorded
         join repository r on r.id = recorded.repository_id
         join organization o on o.org_id = r.org_id) as counted`,
      [page?.pageSize ?? null, page ? pageOffset(page) : 0, ...(anyDay ? [] : toDayParams(days))],
    );
    if (!row) throw new TypeError('The query for the count returned no row.');
    return { ids: row.ids, total: Number(row.total), repositories: row.repositories };
  }

  /** Finds the records that match every part of the filter, or every id without a page. */
  async find(tx: TenantTransaction, filter: RecordFilter, page: PageRequest | null): Promise<FoundRecords> {
    const { name, matches, params } = toConditions(filter);
    const [row] = await tx.queryPrepared<{ readonly ids: readonly string[]; readonly total: string }>(
      `find_deployment_records_${name}`,
      `select array(
         select id from deployment_record where ${matches}
         order by deployed_at desc, id limit $1::bigint offset $2::bigint) as ids,
         (select count(*) from deployment_record where ${matches}) as total`,
      [page?.pageSize ?? null, page ? pageOffset(page) : 0, ...params],
    );
    return { ids: row?.ids ?? [], total: Number(row?.total ?? 0) };
  }

  /** Lists the existing records, in the order of the ids. */
  async list(tx: TenantTransaction, ids: readonly string[]): Promise<readonly DeploymentRecordDto[]> {
    if (ids.length === 0) return [];
    const items = await tx.queryPrepared<
      Omit<DeploymentRecordDto, 'repoUrl' | 'candidateUrl' | 'overrides'> & {
        readonly overrides: readonly Stored<AppliedOverride>[];
      }
    >(
      'list_deployment_records_with_source',
      `select h.id, h.release_id as "milestoneId", o.login as org, h.repository_id as "repoId",
         r.name as repo, h.version, h.kind,
         h.commit_sha as "candidateSha", h.environment, h.deployed_at as "deployedAt", h.deployed_by as "deployedBy",
         h.approvers, h.decision_id as "decisionId", h.score::float8 as score,
         h.lead_time_seconds::float8 as "leadTimeSeconds", h.overrides, h.note,
         case when h.recorded_by is not null then 'manual' when k.by is null or h.deployment_github_id is not null then 'github'
           when k.by ->> 'kind' = 'api_key' then 'api_key' else 'run' end as source,
         case when h.deployment_github_id is null then
           (select a.name from api_key a where a.id = (k.by ->> 'keyId')::uuid) end as "keyName",
         coalesce($2 || '/' || o.login || '/' || r.name || '/actions/runs/' || (k.by ->> 'runId'), k.url) as "runUrl"
       from unnest($1::uuid[]) with ordinality as wanted (id, at)
       join deployment_record h on h.id = wanted.id
       join repository r on r.id = h.repository_id
       join organization o on o.org_id = h.org_id
       left join lateral (
         select (array_agg(c.reported_by order by c.id))[1] as by, (array_agg(c.run_url order by c.id)
           filter (where c.run_url is not null))[1] as url
         from deployment_report c where c.deployment_id = h.reported_deployment_id and c.reported_by is not null) k on true
       order by wanted.at`,
      [ids, this.server.githubUrl],
    );
    return items.map((item) => {
      const repository = { org: item.org, name: item.repo };
      return {
        ...item,
        repoUrl: repositoryUrl(this.server, repository),
        candidateUrl: commitUrl(this.server, repository, item.candidateSha),
        overrides: item.overrides.map(toRecordedOverride),
      };
    });
  }
}

/**
 * Returns the conditions behind the page, their parameters from `$3`, and a name for this combination. A single repository and a
 * kind have statements of their own, so that their records come in order from an index.
 */
function toConditions({ repositoryIds, kind, environment, search, ...days }: RecordFilter): {
  readonly name: string;
  readonly matches: string;
  readonly params: readonly unknown[];
} {
  const params: unknown[] = [...toDayParams(days)];
  const given = (value: unknown, type: string): string => `$${params.push(value) + PAGE_PARAMS}::${type}`;
  const parts: (readonly [name: string, condition: string])[] = [];
  if (repositoryIds?.length === 1) parts.push(['of_one', `repository_id = ${given(repositoryIds[0], 'uuid')}`]);
  else if (repositoryIds) parts.push(['of_some', `repository_id = any(${given(repositoryIds, 'uuid[]')})`]);
  if (kind !== null) parts.push(['of_kind', `kind = ${given(kind, 'text')}`]);
  if (environment !== null) parts.push(['to', `lower(environment) = lower(${given(environment, 'text')})`]);
  if (search !== null) {
    const contains = (text: string): string => `strpos(lower(coalesce(version, '')), ${given(text, 'text')}) > 0`;
    const inRepository = `repository_id = any(${given(search.repositoryIds, 'uuid[]')}) and ${contains(search.version)}`;
    parts.push(['searched', `(${contains(search.term)} or ${inRepository})`]);
  }
  return {
    name: parts.map(([name]) => name).join('_'),
    matches: [ON_DAYS, ...parts.map(([, condition]) => condition)].join(' and '),
    params,
  };
}
