import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import { normalizeForSearch } from '../../database/normalize-for-search.js';
import { countOutcomes, worstOutcome, readinessValidUntil, releaseOutcome } from '../../domain/release/outcome.js';
import type { Stage } from '../../domain/facts/condition.js';
import { type FilterOf, pageOffset, type PageRequest } from '../../http/pagination/pagination.dto.js';
import type { ActiveFreezes } from '../releases/lists/release-summaries.queries.js';
import type { ProjectDto, ProjectListQuery, ProjectReleaseDto, ProjectRepositoryDto } from './projects.dto.js';

/** The details of a project that members write. */
export type ProjectDetails = Pick<ProjectDto, 'name' | 'description' | 'targetDate'>;

/** The search ignores case. */
export type ProjectFilter = FilterOf<ProjectListQuery>;

/** The inputs that decide the outcomes of releases. */
export interface OutcomeContext {
  readonly freezes: ActiveFreezes;
  readonly now: Date;
}

/** A project without its repositories. */
type StoredProject = Omit<ProjectDto, 'repos' | 'outcome' | 'counts'>;

interface LinkedRelease {
  readonly releaseId: string;
  readonly version: string;
  readonly stage: Stage;
  readonly blocked: boolean;
  readonly active: boolean;
  readonly readyUntil: Date | number | null;
  readonly validUntil: Date | number;
}

/** A repository of a project, with its release if there is one. */
type ProjectLink = {
  readonly projectId: string;
  readonly repositoryId: string;
  readonly repo: string;
  /** The position of its release among the releases with stale facts, from 1; null for all others. */
  readonly stalePosition: number | null;
} & ({ readonly releaseId: null } | LinkedRelease);

/** Projects with their releases that need a refresh. */
interface DatedProjects {
  readonly projects: readonly ProjectDto[];
  /** Their active releases with stale facts, oldest verdict first, at most one page. */
  readonly staleReleaseIds: readonly string[];
}

/**
 * Row-level security restricts the linked rows to those that the viewer can read. Releases are read by id, so that no others are
 * read. Both conditions are in one `or`, which Postgres answers from two hash tables; a join would compare every link with every
 * matching release.
 */
const SEARCHED = `and (strpos(p.lower_name, $4) > 0 or strpos(p.lower_description, $4) > 0 or p.id in (
  select l.project_id from linked l
  where l.repository_id in (
      select r.id from repository r
      where strpos(case when strpos($4, '/') > 0 then (select lower(login) from organization) || '/' || r.lower_name
        else r.lower_name end, $4) > 0)
    or l.release_id in (
      select v.id from release v
      where v.id = any(array(select k.release_id from linked k)) and v.deleted_at is null
        and strpos(v.lower_version, $4) > 0)))`;

/** The size of the largest page of a list of releases. */
const MAX_STALE = 50;

/** Reads projects with the parts that the transaction can see. */
@Injectable()
export class ProjectsQueries {
  /** Finds the ids of matching projects, last changed first, and their total number. Returns every id if there is no page. */
  async find(
    tx: TenantTransaction,
    { org, search }: ProjectFilter,
    page: PageRequest | null,
  ): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
    const searched = search !== null;
    const [row] = await tx.queryPrepared<{ readonly ids: readonly string[]; readonly total: string }>(
      `find_projects_${searched ? 'searched' : 'any'}`,
      `with ${searched ? 'linked as materialized (select project_id, repository_id, release_id from project_repository),' : ''}
       found as (
         select p.id, p.updated_at from project p join organization o on o.org_id = p.org_id
         where ($1::text is null or lower(o.login) = $1) ${searched ? SEARCHED : ''})
       select array(select id from found order by updated_at desc, id limit $2::bigint offset $3::bigint) as ids,
         (select count(*) from found) as total`,
      [
        org?.toLowerCase() ?? null,
        page?.pageSize ?? null,
        page ? pageOffset(page) : 0,
        ...(searched ? [normalizeForSearch(search)] : []),
      ],
    );
    return { ids: row?.ids ?? [], total: Number(row?.total ?? 0) };
  }

  /** Lists the existing projects, in the order of the ids. */
  async list(tx: TenantTransaction, ids: readonly string[], context: OutcomeContext): Promise<readonly ProjectDto[]> {
    return (await this.listDated(tx, ids, context)).projects;
  }

  /** Lists the existing projects in the order of the ids, with their releases that need a refresh. */
  async listDated(tx: TenantTransaction, ids: readonly string[], context: OutcomeContext): Promise<DatedProjects> {
    if (ids.length === 0) return { projects: [], staleReleaseIds: [] };
    const rows = await tx.queryPrepared<StoredProject>(
      'list_projects',
      `select p.id, o.login as org, p.name, p.description, p.target_date::text as "targetDate", p.created_at as "createdAt",
         p.updated_at as "updatedAt"
       from unnest($1::uuid[]) with ordinality as wanted (id, at)
       join project p on p.id = wanted.id
       join organization o on o.org_id = p.org_id
       order by wanted.at`,
      [ids],
    );
    const links = await this.listLinks(tx, ids, context.now);
    const ofProject = groupByProject(links);
    return {
      projects: rows.map((row) => toProject(row, ofProject.get(row.id) ?? [], context)),
      staleReleaseIds: listStaleReleaseIds(links),
    };
  }

  private async listLinks(
    tx: TenantTransaction,
    projectIds: readonly string[],
    now: Date,
  ): Promise<readonly ProjectLink[]> {
    return tx.queryPrepared<ProjectLink>(
      'list_project_links',
      // Several projects may contain one release, which has one position.
      `select project_id as "projectId", repository_id as "repositoryId", repo, release_id as "releaseId", version, stage, blocked,
         active, ready_until as "readyUntil", valid_until as "validUntil",
         case when stale then (dense_rank() over (partition by stale order by evaluated_at nulls first, release_id))::int end
           as "stalePosition"
       from (
         select l.project_id, r.id as repository_id, r.name as repo, r.lower_name, v.id as release_id, v.version, v.stage,
           v.blocked, v.shipped_at is null and v.cancelled_at is null as active, v.ready_until, v.valid_until, v.evaluated_at,
           v.shipped_at is null and v.cancelled_at is null and v.valid_until <= $2 as stale
         from project_repository l
         join repository r on r.id = l.repository_id
         left join release v on v.id = l.release_id and v.deleted_at is null
         where l.project_id = any($1::uuid[])) as linked
       order by lower_name, repository_id`,
      [projectIds, now],
    );
  }
}

function groupByProject(rows: readonly ProjectLink[]): ReadonlyMap<string, readonly ProjectLink[]> {
  const links = new Map<string, ProjectLink[]>();
  for (const row of rows) {
    const known = links.get(row.projectId);
    if (known) known.push(row);
    else links.set(row.projectId, [row]);
  }
  return links;
}

function listStaleReleaseIds(links: readonly ProjectLink[]): readonly string[] {
  const ids: string[] = [];
  for (const { stalePosition, releaseId } of links) {
    if (stalePosition !== null && stalePosition <= MAX_STALE && releaseId !== null) ids[stalePosition - 1] = releaseId;
  }
  return ids;
}

function toProject(row: StoredProject, links: readonly ProjectLink[], context: OutcomeContext): ProjectDto {
  const repos = links.map((link) => toRepository(link, context));
  const outcomes = repos.flatMap(({ release }) => release?.outcome ?? []);
  return {
    id: row.id,
    org: row.org,
    name: row.name,
    description: row.description,
    targetDate: row.targetDate,
    repos,
    outcome: worstOutcome(outcomes),
    counts: countOutcomes(outcomes),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

const toRepository = (link: ProjectLink, context: OutcomeContext): ProjectRepositoryDto => ({
  repoId: link.repositoryId,
  repo: link.repo,
  release: link.releaseId === null ? null : toRelease(link, context),
});

function toRelease(
  link: LinkedRelease & Pick<ProjectLink, 'repositoryId'>,
  { freezes: { ofWorkspace, byRepository }, now }: OutcomeContext,
): ProjectReleaseDto {
  const { stage, blocked, readyUntil, validUntil, active } = link;
  const frozen = ofWorkspace.length > 0 || byRepository.has(link.repositoryId);
  return {
    milestoneId: link.releaseId,
    version: link.version,
    stage,
    outcome: active ? releaseOutcome({ stage, blocked, frozen, readyUntil, now }) : null,
    validUntil: active ? readinessValidUntil({ validUntil, readyUntil }) : null,
  };
}
