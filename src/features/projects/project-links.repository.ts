import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';

/** A repository of a project, and which release of it the project awaits; null where nobody has said which. */
export interface ProjectLink {
  readonly projectId: string;
  readonly repositoryId: string;
  readonly releaseId: string | null;
}

/** Which repositories belong to which project. */
@Injectable()
export class ProjectLinksRepository {
  /** What of the link there is, and whoever opened the transaction may see. */
  async findTarget(
    tx: TenantTx,
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

  /** Answers whether it changed anything. */
  async put(tx: TenantTx, { projectId, repositoryId, releaseId }: ProjectLink): Promise<boolean> {
    const changed = await tx.query(
      `insert into project_repository (org_id, project_id, repository_id, release_id) values ($1, $2, $3, $4)
       on conflict (org_id, project_id, repository_id) do update set release_id = excluded.release_id
         where project_repository.release_id is distinct from excluded.release_id
       returning project_id`,
      [tx.orgId, projectId, repositoryId, releaseId],
    );
    return changed.length > 0;
  }

  async count(tx: TenantTx, projectId: string): Promise<number> {
    const [row] = await tx.query<{ readonly repositories: string }>(
      'select count(*) as repositories from project_repository where project_id = $1',
      [projectId],
    );
    return Number(row?.repositories);
  }

  /** The ids of its repositories that whoever opened the transaction may see, without those that the app reaches no more. */
  async listRepositories(tx: TenantTx, projectId: string): Promise<readonly string[]> {
    const rows = await tx.query<{ readonly id: string }>(
      `select r.id from project_repository l join repository r on r.id = l.repository_id
       where l.project_id = $1 and r.removed_at is null`,
      [projectId],
    );
    return rows.map(({ id }) => id);
  }

  /** Answers whether there was one that whoever opened the transaction may see. */
  async remove(tx: TenantTx, projectId: string, repositoryId: string): Promise<boolean> {
    const removed = await tx.query(
      'delete from project_repository where project_id = $1 and repository_id = $2 returning project_id',
      [projectId, repositoryId],
    );
    return removed.length > 0;
  }
}
