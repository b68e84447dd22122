import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { CiRun, EvidencePiece } from '../../domain/evidence/evidence.js';
import { pieceId } from '../../domain/evidence/piece-id.js';

/** Of a row of evidence, what its pieces are told by. */
export interface PiecesRow {
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
    const rows = await tx.prepared<PiecesRow>(
      'list_evidence',
      `select id, pipeline, environment, job, run_id, run_attempt, commit_sha, pieces, sha256, received_at
       from evidence where release_id = $1 order by sequence`,
      [releaseId],
    );
    return rows.flatMap(piecesOf);
  }

  /** Where each piece's run can be looked at, by the piece's id. */
  async runUrls(tx: TenantTx, releaseId: string): Promise<ReadonlyMap<string, string>> {
    const rows = await tx.query<Pick<PiecesRow, 'id' | 'pieces'> & { readonly run_url: string }>(
      `select id, pieces, run_url from evidence where release_id = $1 and run_url is not null`,
      [releaseId],
    );
    return new Map(rows.flatMap(({ id, pieces, run_url: url }) => pieces.map(({ kind }) => [pieceId(id, kind), url])));
  }
}

/** The run that an upload came of; null where it names none. */
export const runOf = ({ run_id: id, run_attempt: attempt }: PiecesRow): CiRun | null =>
  id === null ? null : { id, attempt };

/** The pieces of one upload, as every verdict and every list has them. */
export const piecesOf = (row: PiecesRow): readonly EvidencePiece[] =>
  // By its members: an object that is spread and added to takes three times the memory, and lists hold thousands.
  row.pieces.map(({ kind, metrics, failures }) => ({
    kind,
    metrics,
    failures,
    id: pieceId(row.id, kind),
    pipeline: row.pipeline,
    environment: row.environment,
    job: row.job,
    run: runOf(row),
    commitSha: row.commit_sha,
    sha256: row.sha256,
    receivedAt: row.received_at,
  }));
