import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { EvidencePiece } from '../../domain/evidence/evidence.js';
import { OTHERS_SHOWN } from '../../domain/evidence/shown-pieces.js';
import { piecesOf, type PiecesRow } from '../evidence/evidence-pieces.reader.js';

/**
 * The evidence of a release as text. Of many releases that wait for their turn it takes a tenth of what their pieces would,
 * which would outlive many a collection of garbage.
 */
export interface PackedEvidence {
  /** How many uploads it is of. */
  readonly uploads: number;
  readonly texts: readonly string[];
  /** How many pieces the older uploads have that are not among them. */
  readonly olderPieces: number;
}

/** The evidence of a release, as far as its quality is told by it. */
export interface ReleaseEvidence {
  /** All of the candidate and the newest of the others, as they were received. */
  readonly evidence: readonly EvidencePiece[];
  /** How many pieces there are in all. */
  readonly pieces: number;
}

/** A row as Postgres writes it as JSON. */
interface WrittenRow extends Omit<PiecesRow, 'received_at'> {
  readonly sequence: number;
  readonly received_at: string;
}

interface NewestRow {
  readonly id: string;
  readonly uploads: number;
  readonly text: string;
  /** The sequence of the oldest of them. */
  readonly oldest: string;
}

interface OlderRow {
  readonly id: string;
  readonly uploads: number;
  /** Of the candidate's. */
  readonly text: string | null;
  /** Of all others'. */
  readonly pieces: string;
}

/** No more uploads than these hold pieces that are shown, but for the candidate's: a release may have thousands. */
const NEWEST = OTHERS_SHOWN;

const COLUMNS =
  'sequence, id, pipeline, environment, job, run_id, run_attempt, commit_sha, pieces, sha256, received_at';

/** Of a release without any. */
export const NO_EVIDENCE: PackedEvidence = { uploads: 0, texts: [], olderPieces: 0 };

/** Reads the evidence of many releases at once: of most in one look each, since few have more uploads than are shown. */
@Injectable()
export class QualityEvidence {
  /** By the release; those without any are left out. */
  async list(tx: TenantTx, releaseIds: readonly string[]): Promise<ReadonlyMap<string, PackedEvidence>> {
    const rows = await tx.prepared<NewestRow>(
      'list_quality_evidence',
      `select wanted.id, kept.* from unnest($1::uuid[]) as wanted (id)
       cross join lateral (
         select count(*)::int as uploads, json_agg(newest)::text as text, min(newest.sequence) as oldest
         from (
           select ${COLUMNS} from evidence where release_id = wanted.id
           order by sequence desc limit ${NEWEST}) newest) kept
       where kept.uploads > 0`,
      [releaseIds],
    );
    const newest = new Map<string, PackedEvidence>(
      rows.map(({ id, uploads, text }) => [id, { uploads, texts: [text], olderPieces: 0 }]),
    );
    const older = await this.listOlder(
      tx,
      rows.filter(({ uploads }) => uploads === NEWEST),
    );
    return new Map([
      ...newest,
      ...older.map((row) => [row.id, joined(newest.get(row.id) ?? NO_EVIDENCE, row)] as const),
    ]);
  }

  /** What is older than the newest, where there may be such. */
  private async listOlder(tx: TenantTx, cuts: readonly NewestRow[]): Promise<readonly OlderRow[]> {
    if (cuts.length === 0) return [];
    return tx.prepared<OlderRow>(
      'list_older_quality_evidence',
      `select cut.id, kept.* from unnest($1::uuid[], $2::bigint[]) as cut (id, oldest)
       cross join lateral (select candidate_shas from release where id = cut.id offset 0) r
       cross join lateral (
         select count(*) filter (where decides)::int as uploads, json_agg(older) filter (where decides)::text as text,
           coalesce(sum(jsonb_array_length(older.pieces)) filter (where not decides), 0) as pieces
         from (
           select ${COLUMNS} from evidence where release_id = cut.id and sequence < cut.oldest) older
         cross join lateral (select older.commit_sha = any(r.candidate_shas) as decides) of_candidate) kept`,
      [cuts.map(({ id }) => id), cuts.map(({ oldest }) => oldest)],
    );
  }
}

/** The evidence itself. */
export function unpackedEvidence({ texts, olderPieces }: PackedEvidence): ReleaseEvidence {
  const evidence = texts
    .flatMap((text) => JSON.parse(text) as readonly WrittenRow[])
    .sort((one, other) => one.sequence - other.sequence)
    .flatMap((row) => piecesOf({ ...row, received_at: new Date(row.received_at) }));
  return { evidence, pieces: evidence.length + olderPieces };
}

const joined = ({ uploads, texts }: PackedEvidence, older: OlderRow): PackedEvidence => ({
  uploads: uploads + older.uploads,
  texts: [...(older.text === null ? [] : [older.text]), ...texts],
  olderPieces: Number(older.pieces),
});
