import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { comparableText } from '../../domain/project/comparable-text.js';
import type { ProjectDetails } from './project.js';

interface DetailsRow {
  readonly name: string;
  readonly description: string | null;
  readonly target_date: string | null;
}

/** The projects of a workspace, as people made them. */
@Injectable()
export class ProjectsRepository {
  /** Whoever names a project waits for whoever does so before, so that what is asked about names and numbers holds. */
  async holdNames(tx: TenantTx): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${tx.orgId} projects`]);
  }

  async count(tx: TenantTx): Promise<number> {
    const [row] = await tx.query<{ readonly projects: string }>('select count(*) as projects from project');
    return Number(row?.projects);
  }

  /** Whether another project than the given one has the name, whatever its case. */
  async isTaken(tx: TenantTx, name: string, id: string): Promise<boolean> {
    const taken = await tx.query('select from project where lower_name = $1 and id <> $2', [comparableText(name), id]);
    return taken.length > 0;
  }

  async add(tx: TenantTx, id: string, { name, description, targetDate }: ProjectDetails, at: Date): Promise<void> {
    await tx.query(
      `insert into project (org_id, id, name, lower_name, description, lower_description, target_date, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
      [tx.orgId, id, name, comparableText(name), description, comparableOrNull(description), targetDate, at],
    );
  }

  /** What is said of the project, which stays as it is until the transaction ends; null where there is none. */
  async hold(tx: TenantTx, id: string): Promise<ProjectDetails | null> {
    const [row] = await tx.query<DetailsRow>(
      'select name, description, target_date::text from project where id = $1 for update',
      [id],
    );
    return row ? { name: row.name, description: row.description, targetDate: row.target_date } : null;
  }

  async update(tx: TenantTx, id: string, { name, description, targetDate }: ProjectDetails, at: Date): Promise<void> {
    await tx.query(
      `update project set name = $2, lower_name = $3, description = $4, lower_description = $5, target_date = $6,
         updated_at = $7
       where id = $1`,
      [id, name, comparableText(name), description, comparableOrNull(description), targetDate, at],
    );
  }

  /** Notes that its repositories changed. */
  async touch(tx: TenantTx, id: string, at: Date): Promise<void> {
    await tx.query('update project set updated_at = $2 where id = $1', [id, at]);
  }

  /** With its links, also to repositories that the viewer may not read; answers whether there was one. */
  async remove(tx: TenantTx, id: string): Promise<boolean> {
    return (await tx.query('delete from project where id = $1 returning id', [id])).length > 0;
  }
}

const comparableOrNull = (text: string | null): string | null => (text === null ? null : comparableText(text));
