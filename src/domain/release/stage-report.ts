import { missingFactCondition, STAGES, type Condition, type Stage } from '../facts/condition.js';
import { factId, factExpiresAt, type FactKind } from '../facts/facts.js';
import type { ChainState } from './deployed-rules.js';
import { evaluateByStage, type Verdict, type VerdictInputs } from './evaluate.js';
import type { ShippedFacts } from './release-record.js';
import { listMet, type MetCode } from './stage-rules.js';

/** A met requirement of a stage. */
interface MetCondition {
  readonly code: MetCode;
  readonly detail: string;
}

/** The position of a stage relative to the release: the release has passed it, is in it, or has not reached it. */
export const STAGE_STATUSES = ['passed', 'current', 'ahead'] as const;
export type StageStatus = (typeof STAGE_STATUSES)[number];

/** One stage of a release with its met, unmet and unknown conditions. */
export interface StageReport {
  readonly stage: Stage;
  readonly status: StageStatus;
  readonly met: readonly MetCondition[];
  readonly unmet: readonly Condition[];
  readonly unknown: readonly Condition[];
}

export interface StagedReport {
  readonly verdict: Verdict;
  readonly stages: readonly StageReport[];
  readonly chain: ChainState;
}

/**
 * Builds the report of every stage of a release. A condition is met only by fresh facts. With stale facts it is
 * unknown. A waived condition is neither met nor unmet: it is in the overrides of the verdict.
 */
export function buildStageReport(inputs: VerdictInputs): StagedReport {
  const { verdict, stages: evaluated, chain } = evaluateByStage(inputs);
  const { shipped } = inputs.record;
  if (shipped)
    return { verdict, stages: STAGES.map((stage) => report(stage, verdict, { met: frozen(stage, shipped) })), chain };
  const [missing, old] = [new Set(verdict.missing.map(({ kind }) => kind)), oldKinds(inputs, verdict)];
  return {
    verdict,
    chain,
    stages: STAGES.map((stage) => {
      const { results, unmet } = evaluated.find((one) => one.stage === stage) ?? { results: [], unmet: [] };
      // Facts that were never read have their own condition already.
      const holding = listMet(results).filter(({ restsOn }) => !restsOn.some((kind) => missing.has(kind)));
      const isOld = ({ restsOn }: (typeof holding)[number]): boolean => restsOn.some((kind) => old.has(kind));
      return report(stage, verdict, {
        met: holding.filter((one) => !isOld(one)).map(({ code, detail }) => ({ code, detail })),
        unmet: unmet.filter(({ code }) => code !== 'unknown'),
        unknown: [
          ...unmet.filter(({ code }) => code === 'unknown'),
          ...holding.filter(isOld).map(({ what }) => missingFactCondition(what, 'The answer of GitHub is too old.')),
        ],
      });
    }),
  };
}

const report = (
  stage: Stage,
  verdict: Verdict,
  { met = [], unmet = [], unknown = [] }: Partial<Pick<StageReport, 'met' | 'unmet' | 'unknown'>>,
): StageReport => ({ stage, status: stageStatus(stage, verdict.stage), met, unmet, unknown });

function stageStatus(stage: Stage, now: Stage): StageStatus {
  if (stage === now) return 'current';
  return STAGES.indexOf(stage) < STAGES.indexOf(now) ? 'passed' : 'ahead';
}

/** Returns the kinds of facts of which at least one used fact is stale. */
function oldKinds({ observations, now }: VerdictInputs, { usedFacts }: Verdict): ReadonlySet<FactKind> {
  const usedIds = new Set(usedFacts.map(factId));
  const old = observations.filter((one) => usedIds.has(factId(one)) && factExpiresAt(one) <= now.getTime());
  return new Set(old.map(({ kind }) => kind));
}

/** Returns the frozen facts of a shipped release as met conditions. Nothing else is stored about its stages. */
function frozen(stage: Stage, { candidateSha, testsPassing, evidenceApproved }: ShippedFacts): readonly MetCondition[] {
  if (stage === 'DEVELOPMENT') return [{ code: 'candidate_found', detail: `The candidate was ${candidateSha}.` }];
  if (stage === 'TESTING' && testsPassing) return [{ code: 'tests_passed', detail: 'The tests had passed.' }];
  if (stage === 'EVIDENCING' && evidenceApproved) {
    return [{ code: 'evidence_approved', detail: 'The evidence was approved.' }];
  }
  return stage === 'DEPLOYMENT' ? [{ code: 'deployed', detail: `${candidateSha} was deployed.` }] : [];
}
