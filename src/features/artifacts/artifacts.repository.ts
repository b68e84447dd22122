import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { sha256 } from '../../crypto/digests.js';
import type { TenantTransaction } from '../../database/database.js';
import type { ArtifactBinding } from '../../domain/artifact/artifact.js';
import type { Provenance } from '../../domain/artifact/provenance.js';
import type { CommitSource } from '../../domain/evidence/evidence.js';

export interface NewArtifact {
  readonly releaseId: string;
  readonly repositoryId: string;
  readonly name: string;
  readonly digest: string;
  readonly commit: { readonly sha: string; readonly source: CommitSource };
  readonly runId: string | null;
  /** The id of the identity token; null for an API key. */
  readonly tokenId: string | null;
  readonly statedBy: Readonly<Record<string, string | null>>;
  readonly receivedAt: Date;
}

export interface NewBundle {
  readonly sha256: string;
  readonly bytes: Buffer;
}

/** The bundles that a release can have, and the size of each. */
export const MAX_BUNDLES = 20;
export const MAX_BUNDLE_BYTES = 1_048_576;

/** Returns the bundle in these bytes of JSON. */
export function toNewBundle(json: string): NewBundle {
  const bytes = Buffer.from(json);
  return { sha256: sha256(bytes), bytes };
}

/** An artifact as its verification needs it. */
export interface StatedArtifact {
  readonly releaseId: string;
  readonly repositoryId: string;
  /** GitHub's id of the repository. */
  readonly repositoryGithubId: number;
  readonly name: string;
  readonly digest: string;
}

/** The result of a verification. */
export type BundleVerification =
  | { readonly status: 'verified'; readonly provenance: Provenance }
  | { readonly status: 'invalid'; readonly reason: string };

/** SQL for the binding of an artifact by its bundles, as `artifactBinding` derives it. */
const BINDING = `case
  when exists (select from artifact_bundle b where b.artifact_id = a.id and b.status = 'verified') then 'provenance'
  when exists (select from artifact_bundle b where b.artifact_id = a.id and b.status = 'pending') then 'pending'
  when a.run_id is not null then 'run' else 'none' end`;

/** Stores artifacts and their provenance bundles. */
@Injectable()
export class ArtifactsRepository {
  /** Locks the statements of an identity token until the transaction ends. Returns how many artifacts it stated. */
  async lockToken(tx: TenantTransaction, tokenId: string): Promise<number> {
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${tx.orgId} artifacts ${tokenId}`]);
    const [row] = await tx.query<{ readonly count: number }>(
      'select count(*)::int as count from artifact where token_id = $1',
      [tokenId],
    );
    return row?.count ?? 0;
  }

  /** Inserts the artifact, or finds the same statement of the same run or key. */
  async upsert(
    tx: TenantTransaction,
    artifact: NewArtifact,
  ): Promise<{ readonly id: string; readonly created: boolean }> {
    const { releaseId, name, digest, commit, runId, tokenId, statedBy } = artifact;
    const id = randomUUID();
    const inserted = await tx.query(
      `insert into artifact (org_id, id, release_id, repository_id, name, digest, commit_sha, commit_source, run_id, stated_by,
         binding, received_at, token_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict do nothing returning id`,
      [
        tx.orgId,
        id,
        releaseId,
        artifact.repositoryId,
        name,
        digest,
        commit.sha,
        commit.source,
        runId,
        JSON.stringify(statedBy),
        runId === null ? 'none' : 'run',
        artifact.receivedAt,
        tokenId,
      ],
    );
    if (inserted.length > 0) return { id, created: true };
    const [same] = await tx.query<{ readonly id: string }>(
      `select id from artifact where release_id = $1 and name = $2 and digest = $3 and commit_sha = $4
         and coalesce(run_id, stated_by ->> 'keyId') = coalesce($5, $6::jsonb ->> 'keyId')`,
      [releaseId, name, digest, commit.sha, runId, JSON.stringify(statedBy)],
    );
    if (!same) throw new TypeError('A statement that conflicts with another one has the same key.');
    return { id: same.id, created: false };
  }

  /** Adds a bundle that is to be verified. An invalid one that is sent again is to be verified again. */
  async addBundle(
    tx: TenantTransaction,
    artifactId: string,
    { sha256, bytes }: NewBundle,
    now: Date,
  ): Promise<'created' | 'again' | 'known'> {
    const inserted = await tx.query(
      `insert into artifact_bundle (org_id, artifact_id, repository_id, sha256, bytes, status, received_at)
       select org_id, id, repository_id, $2, $3, 'pending', $4 from artifact where id = $1
       on conflict do nothing returning sha256`,
      [artifactId, sha256, bytes, now],
    );
    if (inserted.length > 0) return 'created';
    const again = await tx.query(
      `select from artifact_bundle where artifact_id = $1 and sha256 = $2 and status = 'invalid' and bytes is not null`,
      [artifactId, sha256],
    );
    return again.length > 0 ? 'again' : 'known';
  }

  async countOfRelease(
    tx: TenantTransaction,
    releaseId: string,
  ): Promise<{ readonly artifacts: number; readonly bundles: number }> {
    const [row] = await tx.query<{ readonly artifacts: number; readonly bundles: number }>(
      `select count(*)::int as artifacts, (select count(*)::int from artifact_bundle b
         join artifact o on o.org_id = b.org_id and o.id = b.artifact_id where o.release_id = $1) as bundles
       from artifact where release_id = $1`,
      [releaseId],
    );
    return row ?? { artifacts: 0, bundles: 0 };
  }

  /** Writes the binding that follows from the bundles, and returns it. */
  async writeBinding(tx: TenantTransaction, artifactId: string): Promise<ArtifactBinding> {
    const [row] = await tx.query<{ readonly binding: ArtifactBinding }>(
      `update artifact a set binding = ${BINDING} where a.id = $1 returning binding`,
      [artifactId],
    );
    return row?.binding ?? 'none';
  }

  async find(tx: TenantTransaction, artifactId: string): Promise<StatedArtifact | null> {
    const [artifact] = await tx.query<StatedArtifact>(
      `select a.release_id as "releaseId", a.repository_id as "repositoryId", p.github_id::float8 as "repositoryGithubId", a.name, a.digest
       from artifact a join repository p on p.org_id = a.org_id and p.id = a.repository_id where a.id = $1`,
      [artifactId],
    );
    return artifact ?? null;
  }

  /** Lists the bundles of the artifact, except those that were deleted with the release. */
  async listBundles(tx: TenantTransaction, artifactId: string): Promise<readonly NewBundle[]> {
    return tx.query<NewBundle>(
      'select sha256, bytes from artifact_bundle where artifact_id = $1 and bytes is not null',
      [artifactId],
    );
  }

  /** Lists the bundles that are pending or invalid. */
  async listUnverified(tx: TenantTransaction, artifactId: string): Promise<readonly NewBundle[]> {
    return tx.query<NewBundle>(
      `select sha256, bytes from artifact_bundle where artifact_id = $1 and status <> 'verified' and bytes is not null`,
      [artifactId],
    );
  }

  async saveVerification(
    tx: TenantTransaction,
    artifactId: string,
    sha256: string,
    result: BundleVerification,
    now: Date,
  ): Promise<void> {
    await tx.query(
      `update artifact_bundle set status = $3, reason = $4, provenance = $5, verified_at = $6
       where artifact_id = $1 and sha256 = $2 and status <> 'verified'`,
      [
        artifactId,
        sha256,
        result.status,
        result.status === 'invalid' ? result.reason : null,
        result.status === 'verified' ? JSON.stringify(result.provenance) : null,
        now,
      ],
    );
  }
}
