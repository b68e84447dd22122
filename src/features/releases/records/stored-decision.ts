import type { Verdict } from '../../../domain/release/evaluate.js';
import type { Stored, StoredInputs } from '../../../domain/release/replay.js';
import type { Stage } from '../../../domain/release/stage.js';

/** A decision as a list tells of it. */
export interface DecisionSummary {
  readonly id: string;
  readonly at: Date;
  /** Whether the gate stood open by it. */
  readonly open: boolean;
  readonly stage: Stage;
  readonly candidateSha: string | null;
  readonly policyDigest: string | null;
  readonly reasons: Verdict['gate']['reasons'];
  readonly overrides: readonly Stored<Verdict['overrides'][number]>[];
}

/** A decision with everything that it was derived from. */
export interface StoredDecision extends DecisionSummary {
  readonly milestoneId: string;
  readonly verdict: object;
  readonly inputs: StoredInputs;
}
