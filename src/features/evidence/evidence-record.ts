import type { CiRun, EvidenceKind, EvidencePiece } from '../../domain/evidence/evidence.js';
import type { KeptReport } from './kept-report.js';

/** One upload as it was kept. */
export interface EvidenceRecord {
  readonly evidenceId: string;
  /** Its pieces, one of each kind. */
  readonly pieces: readonly EvidencePiece[];
  readonly runUrl: string | null;
  /** What did not add up, for people. */
  readonly flags: readonly string[];
}

/** What a parser made of a file; null where the file is kept for people as it came. */
export interface ReportSummary {
  readonly kind: EvidenceKind;
  readonly metrics: object;
  readonly failures: readonly string[];
  readonly notes: readonly string[];
  readonly details: readonly { readonly title: string; readonly location: string | null; readonly message: string }[];
}

/** An upload with all that is known of it. */
export interface EvidenceDetails extends EvidenceRecord {
  readonly milestoneId: string;
  readonly repo: string;
  readonly version: string;
  readonly pipeline: string;
  readonly environment: string;
  readonly job: string | null;
  readonly run: (CiRun & { readonly attempt: number }) | null;
  readonly jobGroup: string | null;
  readonly jobTotal: number | null;
  readonly commit: { readonly sha: string; readonly source: 'token' | 'body' | 'observed' };
  readonly uploadedBy: { readonly kind: 'api_key' | 'identity_token' } & Readonly<Record<string, unknown>>;
  /** As the uploader stated them. */
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly sha256: string;
  readonly receivedAt: Date;
  readonly reports: readonly (KeptReport & { readonly summary: ReportSummary | null })[];
}
