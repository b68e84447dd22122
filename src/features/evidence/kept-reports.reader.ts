import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { ReportSummary } from './evidence-record.js';
import type { KeptReport } from './kept-report.js';

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
