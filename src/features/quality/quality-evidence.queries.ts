import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import { MAX_OTHER_ITEMS } from '../../domain/evidence/effective-evidence-set.js';
import type { EvidenceItem } from '../../domain/evidence/evidence.js';
import {
  EVIDENCE_COLUMNS,
  toEvidenceItems,
  type UploadWithItems,
} from '../releases/evaluation/verdict-inputs.queries.js';

/** An upload with its evidence items as JSON text. They are parsed late: the objects of many waiting uploads would survive garbage collections. */
export interface PackedUpload extends Omit<UploadWithItems, 'items' | 'receivedAt'> {
  /** The order of receipt; an integer as text. */
  readonly sequence: string;
  readonly items: string;
  /** In seconds, to the microsecond. Parsing a number takes a tenth of the time of a date. */
  readonly receivedAt: number;
}

/** The evidence of a release before it is parsed. */
export interface RawEvidence {
  readonly uploads: readonly PackedUpload[];
  /** The number of evidence items of older uploads, which are not loaded. */
  readonly olderItems: number;
}

/** The evidence of a release from which its quality is derived. */
export interface ReleaseEvidence {
  /** All items of the candidate and the newest others, in the order of receipt. */
  readonly evidence: readonly EvidenceItem[];
  /** The number of all its evidence items. */
  readonly itemCount: number;
}

interface FoundUpload extends PackedUpload {
  /** The position of its release in the list of ids, from 1. */
  readonly of: number;
}

/** A release that may have more uploads than those that were read. */
interface TruncatedUploads {
  readonly id: string;
  readonly uploads: readonly PackedUpload[];
  /** The sequence of the oldest upload that was read. */
  readonly oldest: string;
}

/** The newest uploads contain all displayed items, except those of the candidate. A release may have thousands of uploads. */
const NEWEST = MAX_OTHER_ITEMS;

const COLUMNS = `${EVIDENCE_COLUMNS}, e.sequence, e.items::text as items,
  date_part('epoch', e.received_at) as "receivedAt"`;

/** SQL for the releases with more uploads, each found by its id. */
const CUTS = `from unnest($1::uuid[], $2::bigint[]) with ordinality as cut (id, oldest, at)
       cross join lateral (select candidate_shas from release where id = cut.id offset 0) r`;

/** The evidence of a release without uploads. */
export const NO_EVIDENCE: RawEvidence = { uploads: [], olderItems: 0 };

/**
 * Reads the evidence of many releases at once. Most need one index scan each, because few have more uploads than the limit. The rows
 * are plain columns, because PostgreSQL takes twice as long to write them as JSON.
 */
@Injectable()
export class QualityEvidenceQueries {
  /** Maps release ids to their evidence. Releases without evidence are left out. */
  async list(tx: TenantTransaction, releaseIds: readonly string[]): Promise<ReadonlyMap<string, RawEvidence>> {
    const rows = await tx.queryPrepared<FoundUpload>(
      'list_quality_evidence',
      `select wanted.at::int as of, newest.* from unnest($1::uuid[]) with ordinality as wanted (id, at)
       cross join lateral (
         select ${COLUMNS} from evidence e where e.release_id = wanted.id order by e.sequence desc limit ${NEWEST}) newest`,
      [releaseIds],
    );
    const evidence = new Map<string, RawEvidence>();
    const cuts: TruncatedUploads[] = [];
    for (const [id, uploads] of byRelease(releaseIds, rows)) {
      evidence.set(id, { uploads, olderItems: 0 });
      if (uploads.length === NEWEST) cuts.push({ id, uploads, oldest: findOldest(uploads) });
    }
    if (cuts.length > 0) for (const [id, whole] of await this.listWhole(tx, cuts)) evidence.set(id, whole);
    return evidence;
  }

  /** Reads the uploads of releases that may have more, including the older ones. */
  private async listWhole(
    tx: TenantTransaction,
    cuts: readonly TruncatedUploads[],
  ): Promise<readonly (readonly [string, RawEvidence])[]> {
    const ids = cuts.map(({ id }) => id);
    const oldest = cuts.map((cut) => cut.oldest);
    const ofCandidates = await tx.queryPrepared<FoundUpload>(
      'list_older_quality_evidence',
      `select cut.at::int as of, older.* ${CUTS}
       cross join lateral (
         select ${COLUMNS} from evidence e
         where e.release_id = cut.id and e.sequence < cut.oldest and e.commit_sha = any(r.candidate_shas)) older`,
      [ids, oldest],
    );
    const others = await tx.queryPrepared<{ readonly id: string; readonly items: string }>(
      'count_older_quality_evidence',
      `select cut.id, older.items ${CUTS}
       cross join lateral (
         select coalesce(sum(jsonb_array_length(items)), 0) as items from evidence
         where release_id = cut.id and sequence < cut.oldest and commit_sha <> all(r.candidate_shas)) older`,
      [ids, oldest],
    );
    const older = byRelease(ids, ofCandidates);
    const olderItems = new Map(others.map(({ id, items }) => [id, Number(items)]));
    return cuts.map(({ id, uploads }) => [
      id,
      { uploads: [...uploads, ...(older.get(id) ?? [])], olderItems: olderItems.get(id) ?? 0 },
    ]);
  }
}

/** Parses the stored evidence. */
export function parseEvidence({ uploads, olderItems }: RawEvidence): ReleaseEvidence {
  const evidence: EvidenceItem[] = [];
  for (const upload of uploads.toSorted((one, other) => Number(one.sequence) - Number(other.sequence))) {
    const items = JSON.parse(upload.items) as UploadWithItems['items'];
    evidence.push(...toEvidenceItems({ ...upload, items, receivedAt: toDate(upload.receivedAt) }));
  }
  return { evidence, itemCount: evidence.length + olderItems };
}

const findOldest = (uploads: readonly PackedUpload[]): string =>
  String(Math.min(...uploads.map(({ sequence }) => Number(sequence))));

/**
 * Converts to whole milliseconds. The fraction of a second is inexact as a floating-point number, so whole microseconds are
 * rounded first.
 */
const toDate = (seconds: number): Date => new Date(Math.trunc(Math.round(seconds * 1e6) / 1e3));

function byRelease(ids: readonly string[], rows: readonly FoundUpload[]): ReadonlyMap<string, readonly FoundUpload[]> {
  const uploads = new Map<string, FoundUpload[]>();
  for (const row of rows) {
    const id = ids[row.of - 1] ?? '';
    const others = uploads.get(id);
    if (others) others.push(row);
    else uploads.set(id, [row]);
  }
  return uploads;
}
