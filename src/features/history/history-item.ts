import type { Condition } from '../../domain/release/stage.js';

/** An override that a deployment rested on, and whose it was. */
export interface RecordedOverride {
  readonly kind: 'waiver' | 'break_glass';
  readonly id: string;
  readonly reason: string;
  /** Logins, as of that moment. */
  readonly requestedBy: string;
  readonly confirmedBy: string;
  readonly expiresAt: Date;
  readonly conditions: readonly Condition[];
}

/** A deployment to the target of a repository, as the history tells of it. */
export interface HistoryItem {
  readonly id: string;
  /** Null where it was no release's. */
  readonly milestoneId: string | null;
  readonly org: string;
  /** Without its organization. */
  readonly repo: string;
  readonly version: string | null;
  readonly kind: 'release' | 'hotfix' | 'rollback' | 'ungoverned';
  readonly candidateSha: string;
  readonly environment: string;
  readonly deployedAt: Date;
  /** A login, as of that moment. */
  readonly deployedBy: string | null;
  readonly approvers: readonly string[];
  readonly decisionId: string | null;
  readonly score: number | null;
  readonly leadTimeSeconds: number | null;
  readonly overrides: readonly RecordedOverride[];
  /** What whoever recorded it by hand had to say. */
  readonly note: string | null;
}
