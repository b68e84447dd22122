import { Injectable } from '@nestjs/common';
import { sha256 } from '../../crypto/digests.js';
import type { TenantTransaction } from '../../database/database.js';
import type { RunCoverage } from '../../domain/evidence/run-coverage.js';

/** Uploads that were united, with their encoded files. */
export interface UnitedUploads {
  readonly evidenceIds: readonly string[];
  readonly files: Buffer;
}

/** Stores the covered lines of uploads, and the coverage of the uploads of one run together. */
@Injectable()
export class RunCoverageRepository {
  /** Saves the encoded lines of an upload, in the transaction that saves the upload. Returns their size in bytes. */
  async saveUpload(tx: TenantTransaction, evidenceId: string, files: Uint8Array): Promise<number> {
    await tx.query(`insert into evidence_coverage (org_id, evidence_id, files) values ($1, $2, $3)`, [
      tx.orgId,
      evidenceId,
      Buffer.from(files.buffer, files.byteOffset, files.byteLength),
    ]);
    return files.length;
  }

  /** Returns the sizes of the encoded lines in bytes, by upload. */
  async listSizes(tx: TenantTransaction, evidenceIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await tx.query<{ readonly id: string; readonly size: number }>(
      `select evidence_id as id, octet_length(files) as size from evidence_coverage where evidence_id = any($1::uuid[])`,
      [evidenceIds],
    );
    return new Map(rows.map(({ id, size }) => [id, size]));
  }

  async readUploads(tx: TenantTransaction, evidenceIds: readonly string[]): Promise<readonly Buffer[]> {
    const rows = await tx.query<{ readonly files: Buffer }>(
      `select files from evidence_coverage where evidence_id = any($1::uuid[])`,
      [evidenceIds],
    );
    return rows.map(({ files }) => files);
  }

  /** Returns the largest part of these uploads that was united before; null if there is none. */
  async findPart(
    tx: TenantTransaction,
    releaseId: string,
    evidenceIds: readonly string[],
  ): Promise<UnitedUploads | null> {
    const [row] = await tx.query<UnitedUploads>(
      `select evidence_ids as "evidenceIds", files from run_coverage
       where release_id = $1 and evidence_ids <@ $2::uuid[] and files is not null
       order by cardinality(evidence_ids) desc, digest limit 1`,
      [releaseId, evidenceIds],
    );
    return row ?? null;
  }

  /**
   * Saves the coverage of a run, and deletes that of parts of its uploads, which no verdict needs any more. `files` is null if
   * the uploads could not be united.
   */
  async save(
    tx: TenantTransaction,
    releaseId: string,
    { evidenceIds, lines }: RunCoverage,
    files: Uint8Array | null,
  ): Promise<void> {
    await tx.query(
      `insert into run_coverage (org_id, release_id, digest, evidence_ids, covered, total, files)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
      [
        tx.orgId,
        releaseId,
        sha256(evidenceIds.join(' ')),
        evidenceIds,
        lines?.covered ?? null,
        lines?.total ?? null,
        files && Buffer.from(files.buffer, files.byteOffset, files.byteLength),
      ],
    );
    await tx.query(
      `delete from run_coverage
       where release_id = $1 and evidence_ids <@ $2::uuid[] and cardinality(evidence_ids) < cardinality($2::uuid[])`,
      [releaseId, evidenceIds],
    );
  }
}
