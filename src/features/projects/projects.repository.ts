import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import type { TenantTransaction } from '../../database/database.js';
import { ProjectEntity, ProjectRepositoryEntity } from '../../database/entities.js';
import { normalizeForSearch } from '../../database/normalize-for-search.js';
import type { ProjectDetails } from './projects.queries.js';

/** A repository of a project, and its release that belongs to the project; null if none is chosen. */
export type ProjectLink = Omit<ProjectRepositoryEntity, 'orgId'>;

/** Stores the projects of a workspace and which repositories belong to them. */
@Injectable()
export class ProjectsRepository {
  /** Blocks other transactions that name a project, so that checks of names and numbers stay valid until the transaction ends. */
  async lockNames(tx: TenantTransaction): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${tx.orgId} projects`]);
  }

  async count(tx: TenantTransaction): Promise<number> {
    return tx.manager.countBy(ProjectEntity, {});
  }

  /** Returns whether a project other than the given one has the name, ignoring case. */
  async isTaken(tx: TenantTransaction, name: string, id: string): Promise<boolean> {
    return tx.manager.existsBy(ProjectEntity, { lowerName: normalizeForSearch(name), id: Not(id) });
  }

  async create(tx: TenantTransaction, id: string, details: ProjectDetails, at: Date): Promise<void> {
    await tx.manager.insert(ProjectEntity, {
      ...toColumns(details),
      orgId: tx.orgId,
      id,
      createdAt: at,
      updatedAt: at,
    });
  }

  /** Locks the project until the transaction ends and returns its details; null if there is none. */
  async lock(tx: TenantTransaction, id: string): Promise<ProjectDetails | null> {
    const [details] = await tx.query<ProjectDetails>(
      'select name, description, target_date::text as "targetDate" from project where id = $1 for update',
      [id],
    );
    return details ?? null;
  }

  async update(tx: TenantTransaction, id: string, details: ProjectDetails, at: Date): Promise<void> {
    await tx.manager.update(ProjectEntity, { id }, { ...toColumns(details), updatedAt: at });
  }

  /** Records that the repositories of the project changed. */
  async touch(tx: TenantTransaction, id: string, at: Date): Promise<void> {
    await tx.manager.update(ProjectEntity, { id }, { updatedAt: at });
  }

  /** Deletes the project with all its links, also to repositories that the viewer cannot read. */
  async delete(tx: TenantTransaction, id: string): Promise<void> {
    await tx.manager.delete(ProjectEntity, { id });
  }

  /** Finds the repository and release of a link, as far as the transaction can see them. */
  async findLinkTarget(
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

  /** Creates the link or changes its release. Returns whether it changed anything. */
  async upsertLink(tx: TenantTransaction, { projectId, repositoryId, releaseId }: ProjectLink): Promise<boolean> {
    const changed = await tx.query(
      `insert into project_repository (org_id, project_id, repository_id, release_id) values ($1, $2, $3, $4)
       on conflict (org_id, project_id, repository_id) do update set release_id = excluded.release_id
         where project_repository.release_id is distinct from excluded.release_id
       returning project_id`,
      [tx.orgId, projectId, repositoryId, releaseId],
    );
    return changed.length > 0;
  }

  async countRepositories(tx: TenantTransaction, projectId: string): Promise<number> {
    return tx.manager.countBy(ProjectRepositoryEntity, { projectId });
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

  /** Deletes the link. Returns false if the transaction cannot see such a link. */
  async deleteLink(tx: TenantTransaction, projectId: string, repositoryId: string): Promise<boolean> {
    return (await tx.manager.delete(ProjectRepositoryEntity, { projectId, repositoryId })).affected === 1;
  }
}

const toColumns = ({ name, description, targetDate }: ProjectDetails) => ({
  name,
  lowerName: normalizeForSearch(name),
  description,
  lowerDescription: description === null ? null : normalizeForSearch(description),
  targetDate,
});
