import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { EvidencePiece } from '../../domain/evidence/evidence.js';

interface EvidenceRow {
  readonly id: string;
  readonly pipeline: string;
  readonly environment: string;
  readonly job: string;
  readonly run_id: string | null;
  readonly run_attempt: number;
  readonly commit_sha: string;
  readonly pieces: readonly Pick<EvidencePiece, 'kind' | 'metrics' | 'failures'>[];
  readonly sha256: string;
  readonly received_at: Date;
}

/** Which evidence a release has. */
@Injectable()
export class EvidencePiecesReader {
  /** All of it, in the order in which it was received. */
  async list(tx: TenantTx, releaseId: string): Promise<readonly EvidencePiece[]> {
    const rows = await tx.query<EvidenceRow>(
      `select id, pipeline, environment, job, run_id, run_attempt, commit_sha, pieces, sha256, received_at
       from evidence where release_id = $1 order by sequence`,
      [releaseId],
    );
    return rows.flatMap((row) =>
      row.pieces.map((piece) => ({
        ...piece,
        id: `${row.id}/${piece.kind}`,
        pipeline: row.pipeline,
        environment: row.environment,
        job: row.job,
        run: row.run_id === null ? null : { id: row.run_id, attempt: row.run_attempt },
        commitSha: row.commit_sha,
        sha256: row.sha256,
        receivedAt: row.received_at,
      })),
    );
  }

  /** Where each piece's run can be looked at, by the piece's id. */
  async runUrls(tx: TenantTx, releaseId: string): Promise<ReadonlyMap<string, string>> {
    const rows = await tx.query<Pick<EvidenceRow, 'id' | 'pieces'> & { readonly run_url: string }>(
      `select id, pieces, run_url from evidence where release_id = $1 and run_url is not null`,
      [releaseId],
    );
    return new Map(rows.flatMap(({ id, pieces, run_url: url }) => pieces.map(({ kind }) => [`${id}/${kind}`, url])));
  }
}
