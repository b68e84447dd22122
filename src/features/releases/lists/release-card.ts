import type { Outcome } from '../../../domain/release/outcome.js';
import type { ReadinessStatus } from '../../../domain/release/readiness.js';
import type { Condition, Stage } from '../../../domain/release/stage.js';

/** A release as lists show it, by what is stored of it and the time. */
export interface ReleaseCard {
  readonly milestoneId: string;
  readonly org: string;
  /** Without its organization. */
  readonly repo: string;
  readonly version: string;
  readonly title: string;
  readonly stage: Stage;
  /** Null where it is not active: shipped or cancelled. */
  readonly outcome: Outcome | null;
  /** The first of what keeps its gate closed. */
  readonly blockers: readonly Condition[];
  /** How many more there are. */
  readonly moreBlockers: number;
  readonly candidateSha: string | null;
  readonly evidencePrNumber: number | null;
  readonly evidencePrUrl: string | null;
  readonly milestoneUrl: string;
  readonly milestoneNumber: number;
  /** Null until they were read. */
  readonly issues: { readonly open: number; readonly closed: number } | null;
  readonly readiness: { readonly status: ReadinessStatus; readonly observedAt: Date | null };
  readonly dueOn: Date | null;
  readonly updatedAt: Date;
  readonly deployedAt: Date | null;
  readonly cancelledAt: Date | null;
}
