import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { EvidencePiece } from '../../domain/evidence/evidence.js';
import { groupBy } from '../../domain/evidence/group-by.js';
import { piecesOf, type PiecesRow } from '../evidence/evidence-pieces.reader.js';

/** Pieces that are not the candidate's are read up to this many uploads, the newest: a release may have thousands. */
export const OTHERS_SHOWN = 200;

/** The evidence of a release, as far as its quality is told by it. */
interface ReleaseEvidence {
  /** All of the candidate and the newest of the others, as they were received. */
  readonly evidence: readonly EvidencePiece[];
  /** How many pieces there are in all. */
  readonly pieces: number;
}

interface EvidenceRow extends PiecesRow {
  readonly release_id: string;
  readonly sequence: string;
}

/** A release of which older uploads may be left, and where they end. */
interface Cut {
  readonly releaseId: string;
  /** The sequence of the oldest upload that was read. */
  readonly before: string;
}

const COLUMNS = `release_id, sequence, id, pipeline, environment, job, run_id, run_attempt, commit_sha, pieces, sha256,
  received_at`;

/** Reads the evidence of many releases at once: of most in one look each, since few have more uploads than are shown. */
@Injectable()
export class QualityEvidence {
  /** By the release; those without any are left out. */
  async list(tx: TenantTx, releaseIds: readonly string[]): Promise<ReadonlyMap<string, ReleaseEvidence>> {
    const newest = await this.listNewest(tx, releaseIds);
    const cuts = [...newest].flatMap(([releaseId, [oldest, ...rest]]) =>
      rest.length < OTHERS_SHOWN - 1 ? [] : [{ releaseId, before: oldest.sequence }],
    );
    const ofCandidate = await this.listOfCandidate(tx, cuts);
    const counts = await this.countPieces(tx, cuts);
    return new Map(
      [...newest].map(([id, uploads]) => {
        const pieces = uploads.flatMap(piecesOf);
        const evidence = [...(ofCandidate.get(id) ?? []).flatMap(piecesOf), ...pieces];
        return [id, { evidence, pieces: pieces.length + (counts.get(id) ?? 0) }];
      }),
    );
  }

  private async listNewest(tx: TenantTx, releaseIds: readonly string[]): Promise<Uploads> {
    const rows = await tx.prepared<EvidenceRow>(
      'list_quality_evidence',
      `select newest.* from unnest($1::uuid[]) as wanted (id)
       cross join lateral (
         select ${COLUMNS} from evidence where release_id = wanted.id order by sequence desc limit ${OTHERS_SHOWN}) newest
       order by newest.sequence`,
      [releaseIds],
    );
    return byRelease(rows);
  }

  /** Older uploads for the candidate. */
  private async listOfCandidate(tx: TenantTx, cuts: readonly Cut[]): Promise<Uploads> {
    if (cuts.length === 0) return new Map();
    const rows = await tx.prepared<EvidenceRow>(
      'list_older_quality_evidence',
      `select older.* from unnest($1::uuid[], $2::bigint[]) as cut (id, before)
       cross join lateral (select candidate_shas from release where id = cut.id offset 0) r
       cross join lateral (
         select ${COLUMNS} from evidence
         where release_id = cut.id and sequence < cut.before and commit_sha = any(r.candidate_shas)) older
       order by older.sequence`,
      boundsOf(cuts),
    );
    return byRelease(rows);
  }

  /** How many pieces all older uploads have. */
  private async countPieces(tx: TenantTx, cuts: readonly Cut[]): Promise<ReadonlyMap<string, number>> {
    if (cuts.length === 0) return new Map();
    const rows = await tx.prepared<{ readonly id: string; readonly pieces: string }>(
      'count_older_quality_pieces',
      `select cut.id, (
         select coalesce(sum(jsonb_array_length(pieces)), 0) from evidence
         where release_id = cut.id and sequence < cut.before) as pieces
       from unnest($1::uuid[], $2::bigint[]) as cut (id, before)`,
      boundsOf(cuts),
    );
    return new Map(rows.map(({ id, pieces }) => [id, Number(pieces)]));
  }
}

/** As they were received, by the release. */
type Uploads = ReadonlyMap<string, readonly [EvidenceRow, ...EvidenceRow[]]>;

const byRelease = (rows: readonly EvidenceRow[]): Uploads => groupBy(rows, ({ release_id: id }) => id);

const boundsOf = (cuts: readonly Cut[]): readonly (readonly string[])[] => [
  cuts.map(({ releaseId }) => releaseId),
  cuts.map(({ before }) => before),
];
