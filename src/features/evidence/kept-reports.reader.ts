import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { EvidenceKind } from '../../domain/evidence/evidence.js';
import { pieceId } from '../../domain/evidence/piece-id.js';
import type { ReportSummary } from './evidence-record.js';
import type { KeptReport } from './kept-report.js';

/** A file by which whoever has it can tell that it is this one. */
export interface ProvenFile {
  readonly name: string;
  /** In bytes, as it was uploaded. */
  readonly size: number;
  readonly sha256: string;
}

interface ReportRow extends Omit<KeptReport, 'evidenceId'> {
  readonly evidence_id: string;
}

/** Which files came with an upload; whoever may not read the upload's repository is told of none. */
@Injectable()
export class KeptReportsReader {
  /** In the order in which they came. */
  async list(tx: TenantTx, evidenceId: string): Promise<readonly KeptReport[]> {
    const rows = await tx.query<ReportRow>(
      `select id, evidence_id, name, format, sha256, size from evidence_report
       where evidence_id = $1 order by position, id`,
      [evidenceId],
    );
    return rows.map(reportOf);
  }

  /** The files that each piece of these uploads was read from, and the documents that came along, by the piece's id. */
  async listByPiece(tx: TenantTx, uploadIds: readonly string[]): Promise<ReadonlyMap<string, readonly ProvenFile[]>> {
    const rows = await tx.query<ProvenFile & { readonly evidence_id: string; readonly kind: EvidenceKind }>(
      `select e.id as evidence_id, piece.kind, f.name, f.size, f.sha256
       from evidence e
       cross join lateral (select p->>'kind' as kind from jsonb_array_elements(e.pieces) p) piece
       join evidence_report f on f.org_id = e.org_id and f.evidence_id = e.id
         and coalesce(f.summary->>'kind', piece.kind) = piece.kind
       where e.id = any($1::uuid[]) order by f.position, f.id`,
      [uploadIds],
    );
    const files = new Map<string, ProvenFile[]>();
    for (const { evidence_id: uploadId, kind, name, size, sha256 } of rows) {
      const id = pieceId(uploadId, kind);
      const known = files.get(id);
      if (known) known.push({ name, size, sha256 });
      else files.set(id, [{ name, size, sha256 }]);
    }
    return files;
  }

  /** The same with what the parsers made of them. */
  async listWithSummaries(
    tx: TenantTx,
    evidenceId: string,
  ): Promise<readonly (KeptReport & { readonly summary: ReportSummary | null })[]> {
    const rows = await tx.query<ReportRow & { readonly summary: ReportSummary | null }>(
      `select id, evidence_id, name, format, sha256, size, summary from evidence_report
       where evidence_id = $1 order by position, id`,
      [evidenceId],
    );
    return rows.map(({ summary, ...row }) => ({ ...reportOf(row), summary }));
  }

  /** None where the release is not there any more. */
  async find(tx: TenantTx, evidenceId: string, id: string): Promise<KeptReport | null> {
    const [row] = await tx.query<ReportRow>(
      `select f.id, f.evidence_id, f.name, f.format, f.sha256, f.size
       from evidence_report f
       join evidence e on e.org_id = f.org_id and e.id = f.evidence_id
       join release r on r.org_id = e.org_id and r.id = e.release_id and r.deleted_at is null
       where f.evidence_id = $1 and f.id = $2`,
      [evidenceId, id],
    );
    return row ? reportOf(row) : null;
  }
}

const reportOf = ({ evidence_id: evidenceId, ...report }: ReportRow): KeptReport => ({ ...report, evidenceId });
