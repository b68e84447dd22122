import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import { normalizeForSearch } from '../../domain/project/project.js';
import type { ProjectDetails } from './projects.queries.js';

interface DetailsRow {
  readonly name: string;
  readonly description: string | null;
  readonly target_date: string | null;
}

/** Stores the projects of a workspace. */
@Injectable()
export class ProjectsRepository {
  /** Blocks other transactions that name a project, so that checks of names and numbers stay valid until the transaction ends. */
  async lockNames(tx: TenantTransaction): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${tx.orgId} projects`]);
  }

  async count(tx: TenantTransaction): Promise<number> {
    const [row] = await tx.query<{ readonly projects: string }>('select count(*) as projects from project');
    return Number(row?.projects);
  }

  /** Whether a project other than the given one has the name, ignoring case. */
  async isTaken(tx: TenantTransaction, name: string, id: string): Promise<boolean> {
    const taken = await tx.query('select from project where lower_name = $1 and id <> $2', [
      normalizeForSearch(name),
      id,
    ]);
    return taken.length > 0;
  }

  async add(
    tx: TenantTransaction,
    id: string,
    { name, description, targetDate }: ProjectDetails,
    at: Date,
  ): Promise<void> {
    await tx.query(
      `insert into project (org_id, id, name, lower_name, description, lower_description, target_date, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
      [tx.orgId, id, name, normalizeForSearch(name), description, comparableOrNull(description), targetDate, at],
    );
  }

  /** Locks the project until the transaction ends and returns its details; null if there is none. */
  async lock(tx: TenantTransaction, id: string): Promise<ProjectDetails | null> {
    const [row] = await tx.query<DetailsRow>(
      'select name, description, target_date::text from project where id = $1 for update',
      [id],
    );
    return row ? { name: row.name, description: row.description, targetDate: row.target_date } : null;
  }

  async update(
    tx: TenantTransaction,
    id: string,
    { name, description, targetDate }: ProjectDetails,
    at: Date,
  ): Promise<void> {
    await tx.query(
      `update project set name = $2, lower_name = $3, description = $4, lower_description = $5, target_date = $6,
         updated_at = $7
       where id = $1`,
      [id, name, normalizeForSearch(name), description, comparableOrNull(description), targetDate, at],
    );
  }

  /** Records that the repositories of the project changed. */
  async touch(tx: TenantTransaction, id: string, at: Date): Promise<void> {
    await tx.query('update project set updated_at = $2 where id = $1', [id, at]);
  }

  /**
   * Deletes the project with all its links, also to repositories that the viewer cannot read. Returns false if there was none.
   */
  async remove(tx: TenantTransaction, id: string): Promise<boolean> {
    return (await tx.query('delete from project where id = $1 returning id', [id])).length > 0;
  }
}

const comparableOrNull = (text: string | null): string | null => (text === null ? null : normalizeForSearch(text));

/** A repository of a project, and its release that belongs to the project; null if none is chosen. */
export interface ProjectLink {
  readonly projectId: string;
  readonly repositoryId: string;
  readonly releaseId: string | null;
}

/** Stores which repositories belong to which project. */
@Injectable()
export class ProjectLinksRepository {
  /** Finds the repository and release of a link, as far as the transaction can see them. */
  async findTarget(
    tx: TenantTransaction,
    { repositoryId, releaseId }: ProjectLink,
  ): Promise<{ readonly hasRelease: boolean } | null> {
    const [row] = await tx.query<{ readonly release_id: string | null }>(
      `select v.id as release_id from repository r
       left join release v on v.repository_id = r.id and v.id = $2 and v.deleted_at is null
       where r.id = $1 and r.removed_at is null`,
      [repositoryId, releaseId],
    );
    return row ? { hasRelease: row.release_id !== null } : null;
  }

  /** Returns whether it changed anything. */
  async put(tx: TenantTransaction, { projectId, repositoryId, releaseId }: ProjectLink): Promise<boolean> {
    const changed = await tx.query(
      `insert into project_repository (org_id, project_id, repository_id, release_id) values ($1, $2, $3, $4)
       on conflict (org_id, project_id, repository_id) do update set release_id = excluded.release_id
         where project_repository.release_id is distinct from excluded.release_id
       returning project_id`,
      [tx.orgId, projectId, repositoryId, releaseId],
    );
    return changed.length > 0;
  }

  async count(tx: TenantTransaction, projectId: string): Promise<number> {
    const [row] = await tx.query<{ readonly repositories: string }>(
      'select count(*) as repositories from project_repository where project_id = $1',
      [projectId],
    );
    return Number(row?.repositories);
  }

  /** Lists the ids of its repositories that the transaction can see, without those that the app cannot reach any more. */
  async listRepositories(tx: TenantTransaction, projectId: string): Promise<readonly string[]> {
    const rows = await tx.query<{ readonly id: string }>(
      `select r.id from project_repository l join repository r on r.id = l.repository_id
       where l.project_id = $1 and r.removed_at is null`,
      [projectId],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns whether the transaction could see such a link. */
  async remove(tx: TenantTransaction, projectId: string, repositoryId: string): Promise<boolean> {
    const removed = await tx.query(
      'delete from project_repository where project_id = $1 and repository_id = $2 returning project_id',
      [projectId, repositoryId],
    );
    return removed.length > 0;
  }
}
