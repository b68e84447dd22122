import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import { normalizeForSearch, countOutcomes, worstOutcome } from '../../domain/project/project.js';
import { type Outcome, releaseOutcome } from '../../domain/release/outcome.js';
import type { Stage } from '../../domain/release/stage.js';
import { pageOffset, type PageRequest } from '../../http/pagination/pagination.dto.js';
import type { ActiveFreezes } from '../releases/lists/release-summaries.queries.js';

/** What people say of a project. */
export interface ProjectDetails {
  readonly name: string;
  readonly description: string | null;
  /** A day of no particular time zone, as `YYYY-MM-DD`. */
  readonly targetDate: string | null;
}

/** The release that a project awaits of a repository. */
interface ProjectRelease {
  readonly milestoneId: string;
  readonly version: string;
  readonly stage: Stage;
  /** Null where it is not active: shipped or cancelled. */
  readonly outcome: Outcome | null;
}

/** A repository of a project. */
interface ProjectRepository {
  readonly repoId: string;
  /** Without its organization. */
  readonly repo: string;
  /** Null as long as nobody has said which, and where its milestone was deleted. */
  readonly release: ProjectRelease | null;
}

/** A project as one person sees it: without what belongs to repositories that they may not read. */
export interface Project extends ProjectDetails {
  readonly id: string;
  readonly org: string;
  /** By name. */
  readonly repos: readonly ProjectRepository[];
  /** The worst of its active releases; null where none is active. */
  readonly outcome: Outcome | null;
  /** Of its active releases. */
  readonly counts: Readonly<Record<'all' | Outcome, number>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Which projects are asked for. */
export interface ProjectFilter {
  /** The login of an organization, in any case; null is any. */
  readonly org: string | null;
  /** A part of what is said of a project, or of the name of a repository or release of it; null is any. */
  readonly search: string | null;
}

/** By what the outcomes of releases are told. */
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
  /** Which of the releases that rest on facts which are too old its release is, from 1 on; null for every other one. */
  readonly aged_place: number | null;
} & ({ readonly release_id: null } | ReleaseColumns);

/** Projects with what is to be read again of what they show. */
interface DatedProjects {
  readonly projects: readonly Project[];
  /**
   * Their active releases that rest on facts which are too old: whose verdict is the oldest first, and no more than a page of
   * them.
   */
  readonly agedReleaseIds: readonly string[];
}

/**
 * Of what is linked only what the viewer may read is found: row-level security hides the rest. The releases are looked up by
 * their ids, so that no others are read, however many there are; and the two ways to be found stand in one condition, which
 * Postgres then answers from two hash tables: as a join it would compare every link with every release that matches.
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

/** As many as the largest page of a list of releases. */
const MOST_AGED = 50;

/** Reads projects as they are shown, with what whoever opened the transaction may see of them. */
@Injectable()
export class ProjectsQueries {
  /** Ids, what changed last first, and how many match in all; every id without a page. */
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

  /** Those of the projects that there are, in the order of the ids. */
  async list(tx: TenantTransaction, ids: readonly string[], surroundings: OutcomeContext): Promise<readonly Project[]> {
    return (await this.listDated(tx, ids, surroundings)).projects;
  }

  /** The same, and what of them is too old. */
  async listDated(tx: TenantTransaction, ids: readonly string[], surroundings: OutcomeContext): Promise<DatedProjects> {
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
    const links = await this.listLinks(tx, ids, surroundings.now);
    const ofProject = byProject(links);
    return {
      projects: rows.map((row) => projectOf(row, ofProject.get(row.id) ?? [], surroundings)),
      agedReleaseIds: agedAmong(links),
    };
  }

  private async listLinks(
    tx: TenantTransaction,
    projectIds: readonly string[],
    now: Date,
  ): Promise<readonly LinkRow[]> {
    return tx.queryPrepared<LinkRow>(
      'list_project_links',
      // Several projects may await one release, which has one place.
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

function byProject(rows: readonly LinkRow[]): ReadonlyMap<string, readonly LinkRow[]> {
  const links = new Map<string, LinkRow[]>();
  for (const row of rows) {
    const known = links.get(row.project_id);
    if (known) known.push(row);
    else links.set(row.project_id, [row]);
  }
  return links;
}

function agedAmong(links: readonly LinkRow[]): readonly string[] {
  const ids: string[] = [];
  for (const { aged_place: place, release_id: id } of links) {
    if (place !== null && place <= MOST_AGED && id !== null) ids[place - 1] = id;
  }
  return ids;
}

function projectOf(row: ProjectRow, links: readonly LinkRow[], surroundings: OutcomeContext): Project {
  const repos = links.map((link) => repositoryOf(link, surroundings));
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

const repositoryOf = (link: LinkRow, surroundings: OutcomeContext): ProjectRepository => ({
  repoId: link.repository_id,
  repo: link.repo,
  release: link.release_id === null ? null : releaseOf(link, surroundings),
});

function releaseOf(
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
