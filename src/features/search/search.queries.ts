import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import { normalizeForSearch } from '../../database/normalize-for-search.js';
import { releaseSearchCondition, toSearchTerms } from '../releases/lists/release-search.queries.js';
import {
  MAX_FOUND,
  type FoundCommitDto,
  type FoundProjectDto,
  type FoundReleaseDto,
  type FoundRepositoryDto,
} from './search.dto.js';

/** The newest deployments that a search reads. No index serves a part of a version, so an older release is found in the history only. */
const MAX_DEPLOYMENTS = 10_000;
/** The members whose names a search compares. */
const MAX_MEMBERS = 5_000;

/** Finds what the transaction can see, a few rows of each kind. */
@Injectable()
export class SearchQueries {
  /** Finds active releases, last changed first, and then shipped ones, last deployed first. */
  async findReleases(tx: TenantTransaction, term: string): Promise<readonly FoundReleaseDto[]> {
    const [, repository, version] = toSearchTerms(term);
    const inRepository = `(select id from repository where strpos(case when strpos($2, '/') > 0
      then (select lower(login) from organization) || '/' || lower_name else lower_name end, $2) > 0)`;
    return tx.queryPrepared<FoundReleaseDto>(
      'search_releases',
      `with found as (
         (select id, 0 as rank, row_number() over (order by updated_at desc, id) as at from release
          where shipped_at is null and cancelled_at is null and deleted_at is null and ${releaseSearchCondition('$1')}
          order by updated_at desc, id limit ${MAX_FOUND})
         union all
         (select release_id, 1, row_number() over (order by max(deployed_at) desc, release_id) from (
            select release_id, repository_id, version, deployed_at from deployment_record
            where release_id is not null and kind in ('release', 'hotfix') order by deployed_at desc, id limit ${MAX_DEPLOYMENTS}) recent
          where strpos(lower(version), ($1::text[])[1]) > 0
            or strpos(lower(version), $3) > 0 and repository_id in ${inRepository}
          group by release_id order by max(deployed_at) desc, release_id limit ${MAX_FOUND})
       )
       select r.id as "milestoneId", o.login as org, p.id as "repoId", p.name as repo, r.version, r.stage,
         r.shipped_at as "deployedAt"
       from found join release r on r.id = found.id and r.deleted_at is null
       join repository p on p.id = r.repository_id
       join organization o on o.org_id = r.org_id
       order by found.rank, found.at limit ${MAX_FOUND}`,
      [toSearchTerms(term), repository, version],
    );
  }

  /** Finds repositories, first those whose name begins with the term. */
  async findRepositories(tx: TenantTransaction, term: string): Promise<readonly FoundRepositoryDto[]> {
    return tx.queryPrepared<FoundRepositoryDto>(
      'search_repositories',
      `select o.login as org, r.id as "repoId", r.name as repo
       from repository r join organization o on o.org_id = r.org_id
       where r.removed_at is null
         and strpos(case when strpos($1, '/') > 0 then lower(o.login) || '/' || r.lower_name else r.lower_name end, $1) > 0
       order by strpos(r.lower_name, $1) <> 1, r.lower_name, r.id limit ${MAX_FOUND}`,
      [term.toLowerCase()],
    );
  }

  /** Finds projects, first those whose name begins with the term. */
  async findProjects(tx: TenantTransaction, term: string): Promise<readonly FoundProjectDto[]> {
    return tx.queryPrepared<FoundProjectDto>(
      'search_projects',
      `select id, name from project where strpos(lower_name, $1) > 0
       order by strpos(lower_name, $1) <> 1, lower_name, id limit ${MAX_FOUND}`,
      [normalizeForSearch(term)],
    );
  }

  /** Finds candidates and deployed commits by the start of their hash in lower case. */
  async findCommits(tx: TenantTransaction, start: string): Promise<readonly FoundCommitDto[]> {
    // Comparisons, unlike patterns, are leakproof, so row-level security lets them use the index. No digit follows "f" but "g".
    const isStarted = (column: string): string => `${column} collate "C" >= $1 and ${column} collate "C" < $1 || 'g'`;
    return tx.queryPrepared<FoundCommitDto>(
      'search_commits',
      `with found as (
         (select candidate_sha as sha, id as release_id, repository_id, version from release
          where ${isStarted('candidate_sha')} and deleted_at is null order by candidate_sha collate "C", id limit ${MAX_FOUND})
         union
         (select commit_sha, release_id, repository_id, version from deployment_record
          where ${isStarted('commit_sha')} order by commit_sha collate "C", id limit ${MAX_FOUND})
       )
       select found.sha, o.login as org, p.id as "repoId", p.name as repo, r.id as "milestoneId", found.version
       from found join repository p on p.id = found.repository_id
       left join release r on r.id = found.release_id and r.deleted_at is null
       join organization o on o.org_id = p.org_id
       order by found.sha collate "C", found.release_id limit ${MAX_FOUND}`,
      [start],
    );
  }

  /** Lists the GitHub ids of the members, the longest members first. */
  async listMemberIds(tx: TenantTransaction): Promise<readonly number[]> {
    const rows = await tx.queryPrepared<{ readonly id: number }>(
      'search_member_ids',
      `select person::float8 as id from member order by joined_at, person limit ${MAX_MEMBERS}`,
      [],
    );
    return rows.map(({ id }) => id);
  }
}
