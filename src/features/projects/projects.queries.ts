import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import { normalizeForSearch, countOutcomes, worstOutcome } from '../../domain/project/project.js';
import { type Outcome, releaseOutcome } from '../../domain/release/outcome.js';
import type { Stage } from '../../domain/facts/condition.js';
import { pageOffset, type PageRequest } from '../../http/pagination/pagination.dto.js';
import type { ActiveFreezes } from '../releases/lists/release-summaries.queries.js';

/** The details of a project. */
export interface ProjectDetails {
  readonly name: string;
  readonly description: string | null;
  /** A day without a time zone, as `YYYY-MM-DD`. */
  readonly targetDate: string | null;
}

/** The release of a repository that belongs to a project. */
interface ProjectRelease {
  readonly milestoneId: string;
  readonly version: string;
  readonly stage: Stage;
  /** Null if it is shipped or cancelled. */
  readonly outcome: Outcome | null;
}

/** A repository of a project. */
interface ProjectRepository {
  readonly repoId: string;
  /** The name without the owner. */
  readonly repo: string;
  /** Null if no release is chosen or its milestone was deleted. */
  readonly release: ProjectRelease | null;
}

/** A project as one user sees it, without the repositories that the user cannot read. */
export interface Project extends ProjectDetails {
  readonly id: string;
  readonly org: string;
  /** By name. */
  readonly repos: readonly ProjectRepository[];
  /** The worst outcome of its active releases; null if none is active. */
  readonly outcome: Outcome | null;
  /** Counts of its active releases. */
  readonly counts: Readonly<Record<'all' | Outcome, number>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A filter of projects. */
export interface ProjectFilter {
  /** The login of an organization, ignoring case; null means all. */
  readonly org: string | null;
  /** A part of the details of a project or of the name of one of its repositories or releases; null means all. */
  readonly search: string | null;
}

/** The inputs that decide the outcomes of releases. */
export interface OutcomeContext {
  readonly freezes: ActiveFreezes;
  readonly now: Date;
}

interface ProjectRow {
  readonly id: string;
  readonly org: string;
  readonly name: string;
  readonly description: string | null;
  readonly target_date: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

interface ReleaseColumns {
  readonly release_id: string;
  readonly version: string;
  readonly stage: Stage;
  readonly blocked: boolean;
  readonly active: boolean;
  readonly ready_until: Date | number | null;
}

type LinkRow = {
  readonly project_id: string;
  readonly repository_id: string;
  readonly repo: string;
  /** The position of its release among the releases with stale facts, from 1; null for all others. */
  readonly aged_place: number | null;
} & ({ readonly release_id: null } | ReleaseColumns);

/** Projects with their releases that need a refresh. */
interface DatedProjects {
  readonly projects: readonly Project[];
  /** Their active releases with stale facts, oldest verdict first, at most one page. */
  readonly agedReleaseIds: readonly string[];
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
  async list(tx: TenantTransaction, ids: readonly string[], context: OutcomeContext): Promise<readonly Project[]> {
    return (await this.listDated(tx, ids, context)).projects;
  }

  /** Lists the same, with their releases that need a refresh. */
  async listDated(tx: TenantTransaction, ids: readonly string[], context: OutcomeContext): Promise<DatedProjects> {
    if (ids.length === 0) return { projects: [], agedReleaseIds: [] };
    const rows = await tx.queryPrepared<ProjectRow>(
      'list_projects',
      `select p.id, o.login as org, p.name, p.description, p.target_date::text, p.created_at, p.updated_at
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
      agedReleaseIds: listStaleReleaseIds(links),
    };
  }

  private async listLinks(
    tx: TenantTransaction,
    projectIds: readonly string[],
    now: Date,
  ): Promise<readonly LinkRow[]> {
    return tx.queryPrepared<LinkRow>(
      'list_project_links',
      // Several projects may contain one release, which has one position.
      `select project_id, repository_id, repo, release_id, version, stage, blocked, active, ready_until,
         case when aged then (dense_rank() over (partition by aged order by evaluated_at nulls first, release_id))::int end
           as aged_place
       from (
         select l.project_id, r.id as repository_id, r.name as repo, r.lower_name, v.id as release_id, v.version, v.stage,
           v.blocked, v.shipped_at is null and v.cancelled_at is null as active, v.ready_until, v.evaluated_at,
           v.shipped_at is null and v.cancelled_at is null and v.valid_until <= $2 as aged
         from project_repository l
         join repository r on r.id = l.repository_id
         left join release v on v.id = l.release_id and v.deleted_at is null
         where l.project_id = any($1::uuid[])) as linked
       order by lower_name, repository_id`,
      [projectIds, now],
    );
  }
}

function groupByProject(rows: readonly LinkRow[]): ReadonlyMap<string, readonly LinkRow[]> {
  const links = new Map<string, LinkRow[]>();
  for (const row of rows) {
    const known = links.get(row.project_id);
    if (known) known.push(row);
    else links.set(row.project_id, [row]);
  }
  return links;
}

function listStaleReleaseIds(links: readonly LinkRow[]): readonly string[] {
  const ids: string[] = [];
  for (const { aged_place: place, release_id: id } of links) {
    if (place !== null && place <= MAX_STALE && id !== null) ids[place - 1] = id;
  }
  return ids;
}

function toProject(row: ProjectRow, links: readonly LinkRow[], context: OutcomeContext): Project {
  const repos = links.map((link) => toRepository(link, context));
  const outcomes = repos.flatMap(({ release }) => release?.outcome ?? []);
  return {
    id: row.id,
    org: row.org,
    name: row.name,
    description: row.description,
    targetDate: row.target_date,
    repos,
    outcome: worstOutcome(outcomes),
    counts: countOutcomes(outcomes),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const toRepository = (link: LinkRow, context: OutcomeContext): ProjectRepository => ({
  repoId: link.repository_id,
  repo: link.repo,
  release: link.release_id === null ? null : toRelease(link, context),
});

function toRelease(
  link: ReleaseColumns & Pick<LinkRow, 'repository_id'>,
  { freezes: { ofWorkspace, byRepository }, now }: OutcomeContext,
): ProjectRelease {
  const { stage, blocked, ready_until: readyUntil } = link;
  const frozen = ofWorkspace.length > 0 || byRepository.has(link.repository_id);
  return {
    milestoneId: link.release_id,
    version: link.version,
    stage,
    outcome: link.active ? releaseOutcome({ stage, blocked, frozen, readyUntil, now }) : null,
  };
}
