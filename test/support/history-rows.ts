import { randomUUID } from 'node:crypto';
import type { WorkspaceRows } from './workspace-rows.js';

/** The fields of a deployment record that lists use. */
export interface GivenRecord {
  readonly repositoryId: string;
  readonly deployedAt: string;
  readonly kind?: 'release' | 'hotfix' | 'rollback' | 'ungoverned';
  readonly version?: string | null;
  readonly releaseId?: string | null;
  readonly environment?: string;
  readonly note?: string | null;
}

/** Inserts a record of a deployment. Returns its id. */
export async function givenRecord(rows: WorkspaceRows, record: GivenRecord): Promise<string> {
  const id = randomUUID();
  await rows.write(
    `insert into deployment_record (org_id, id, repository_id, release_id, version, kind, commit_sha, environment,
       deployed_at, deployed_by, approvers, recorded_at, note)
     values ($1, $2, $3, $4, $5, $6, $7, $9, $8, 'ada', '[]', $8, $10)`,
    [
      rows.orgId,
      id,
      record.repositoryId,
      record.releaseId ?? null,
      record.version === undefined ? 'v1.0.0' : record.version,
      record.kind ?? 'release',
      'c'.repeat(40),
      record.deployedAt,
      record.environment ?? 'production',
      record.note ?? null,
    ],
  );
  return id;
}
