import type { ShownPiece } from '../../../domain/evidence/shown-pieces.js';
import type { CheckFact, IssueFact } from '../../../domain/facts/facts.js';
import type { PolicyState } from '../../../domain/policy/policy.js';
import type { Verdict } from '../../../domain/release/evaluate.js';
import type { Condition } from '../../../domain/release/stage.js';
import type { StageReport } from '../../../domain/release/stage-report.js';
import type { ReleaseCard } from '../lists/release-card.js';
import type { Verification } from './live-look.service.js';
import type { ObservedPart } from './observed-part.js';
import type { LoggedTransition } from './transition-log.reader.js';

/** A piece of evidence as people are shown it beside its release. */
export interface ShownEvidence extends ShownPiece {
  /** Why it failed; empty unless it did. */
  readonly failures: readonly string[];
  readonly runUrl: string | null;
}

/** Where a release stands in every stage, and all that this is told from. */
export interface ReleaseDetails {
  readonly card: ReleaseCard;
  readonly verification: Verification;
  readonly stages: readonly StageReport[];
  /** Everything that keeps the gate closed. */
  readonly reasons: readonly Condition[];
  readonly warnings: readonly Condition[];
  readonly overrides: Verdict['overrides'];
  readonly scope: ObservedPart<readonly IssueFact[]>;
  /** What decides, and the newest of the rest. */
  readonly evidence: readonly ShownEvidence[];
  /** How many pieces are not among them. */
  readonly moreEvidence: number;
  readonly checks: ObservedPart<readonly CheckFact[]>;
  readonly transitions: readonly LoggedTransition[];
  readonly policy: ObservedPart<PolicyState>;
}
