import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { NamedDigest } from '../../../domain/artifact/required-artifacts.js';
import type { TenantTransaction } from '../../../database/database.js';

/** What runs in an environment of a repository. Environments are compared ignoring case. */
export interface RunningStatement {
  readonly repositoryId: string;
  readonly environment: string;
  readonly artifacts: readonly NamedDigest[];
  /** The time that the caller stated. It is only shown. */
  readonly statedAt: Date | null;
}

/** What a statement changed. */
export interface RunningChange {
  readonly added: readonly NamedDigest[];
  readonly removed: readonly NamedDigest[];
}

/** Stores the last statement of each environment. An artifact that is gone leaves no row. */
@Injectable()
export class RunningArtifactsRepository {
  /** Replaces the statement before. Statements of one repository wait for each other, so the last one counts as a whole. */
  async replace(tx: TenantTransaction, statement: RunningStatement, now: Date): Promise<RunningChange> {
    const { repositoryId, environment, artifacts, statedAt } = statement;
    await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${tx.orgId} running ${repositoryId}`]);
    const [stated] = await tx.query<{ readonly id: string }>(
      `insert into running_statement as known (org_id, id, repository_id, environment, received_at, stated_at)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (org_id, repository_id, lower(environment)) do update
       set environment = excluded.environment, received_at = greatest(known.received_at, excluded.received_at),
         stated_at = excluded.stated_at
       returning id`,
      [tx.orgId, randomUUID(), repositoryId, environment, now, statedAt],
    );
    const id = stated?.id;
    const wanted = [artifacts.map(({ name }) => name), artifacts.map(({ digest }) => digest)];
    const removed = await tx.query<NamedDigest>(
      `delete from running_artifact where statement_id = $1 and (name, digest) not in (
         select * from unnest($2::text[], $3::text[])) returning name, digest`,
      [id, ...wanted],
    );
    const added = await tx.query<NamedDigest>(
      `insert into running_artifact (org_id, statement_id, repository_id, name, digest, first_seen)
       select $1, $2, $3, name, digest, $4 from unnest($5::text[], $6::text[]) as stated (name, digest)
       on conflict do nothing returning name, digest`,
      [tx.orgId, id, repositoryId, now, ...wanted],
    );
    if (artifacts.length === 0) await tx.query('delete from running_statement where id = $1', [id]);
    return { added, removed };
  }

  /** Counts the environments of the repository in which something runs. */
  async countEnvironments(tx: TenantTransaction, repositoryId: string): Promise<number> {
    const [row] = await tx.query<{ readonly count: number }>(
      'select count(*)::int as count from running_statement where repository_id = $1',
      [repositoryId],
    );
    return row?.count ?? 0;
  }

  /** Whether something runs in the environment. */
  async isStated(tx: TenantTransaction, repositoryId: string, environment: string): Promise<boolean> {
    const rows = await tx.query(
      'select from running_statement where repository_id = $1 and lower(environment) = lower($2)',
      [repositoryId, environment],
    );
    return rows.length > 0;
  }
}
