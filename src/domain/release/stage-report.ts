import { missingFactCondition } from '../facts/condition.js';
import { factId, factExpiresAt, type FactKind } from '../facts/facts.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import { DEFAULT_POLICY } from '../policy/policy.js';
import { evaluateByStage, type Verdict, type VerdictInputs } from './evaluate.js';
import type { ShippedFacts } from './release-record.js';
import { STAGES, type Condition, type Stage } from './stage.js';
import { stageRequirements, type Requirement } from './stage-requirements.js';

/** Something that a stage asks for, and that holds. */
interface MetCondition {
  readonly code: string;
  readonly detail: string;
}

/** Where a release stands towards a stage: it has left it, is in it, or has yet to come to it. */
export const STAGE_STATUSES = ['passed', 'current', 'ahead'] as const;
export type StageStatus = (typeof STAGE_STATUSES)[number];

/** One stage of a release: what of that which it asks for holds, what does not, and of what nobody knows. */
export interface StageReport {
  readonly stage: Stage;
  readonly standing: StageStatus;
  readonly met: readonly MetCondition[];
  readonly unmet: readonly Condition[];
  readonly unknown: readonly Condition[];
}

export interface StagedReport {
  readonly verdict: Verdict;
  readonly stages: readonly StageReport[];
}

/**
 * Tells of each stage of a release. A condition is met only by facts that are there and fresh; by older ones it is unknown.
 * What people set aside is neither met nor unmet: the verdict's overrides tell of it.
 */
export function buildStageReport(inputs: VerdictInputs): StagedReport {
  const { verdict, exits } = evaluateByStage(inputs);
  const { shipped } = inputs.record;
  if (shipped)
    return { verdict, stages: STAGES.map((stage) => report(stage, verdict, { met: frozen(stage, shipped) })) };
  const state = new TrackedFacts(inputs.observations).read('policy', '');
  const policy = state?.status === 'valid' ? state.policy : DEFAULT_POLICY;
  const requirements = stageRequirements({ inputs, verdict, policy });
  const [missing, old] = [new Set(verdict.missing.map(({ kind }) => kind)), oldKinds(inputs, verdict)];
  return {
    verdict,
    stages: STAGES.map((stage) => {
      const conditions = exits.find(([name]) => name === stage)?.[1] ?? [];
      // Of what was never read a condition tells already.
      const asked = (requirements[stage] ?? []).filter(
        ({ holds, restsOn }) => holds && !restsOn.some((kind) => missing.has(kind)),
      );
      const isOld = ({ restsOn }: Requirement): boolean => restsOn.some((kind) => old.has(kind));
      return report(stage, verdict, {
        met: asked.filter((one) => !isOld(one)).map(({ code, detail }) => ({ code, detail })),
        unmet: conditions.filter(({ code }) => code !== 'unknown'),
        unknown: [
          ...conditions.filter(({ code }) => code === 'unknown'),
          ...asked.filter(isOld).map(({ what }) => missingFactCondition(what, 'What GitHub said of it is too old.')),
        ],
      });
    }),
  };
}

const report = (
  stage: Stage,
  verdict: Verdict,
  { met = [], unmet = [], unknown = [] }: Partial<Pick<StageReport, 'met' | 'unmet' | 'unknown'>>,
): StageReport => ({ stage, standing: stageStatus(stage, verdict.stage), met, unmet, unknown });

function stageStatus(stage: Stage, now: Stage): StageStatus {
  if (stage === now) return 'current';
  return STAGES.indexOf(stage) < STAGES.indexOf(now) ? 'passed' : 'ahead';
}

/** The kinds of facts of which one that the verdict rests on counts no more. */
function oldKinds({ observations, now }: VerdictInputs, { consulted }: Verdict): ReadonlySet<FactKind> {
  const asked = new Set(consulted.map(factId));
  const old = observations.filter((one) => asked.has(factId(one)) && factExpiresAt(one) <= now.getTime());
  return new Set(old.map(({ kind }) => kind));
}

/** What was frozen when the release was shipped, which is all that is known of its stages. */
function frozen(stage: Stage, { candidateSha, testsPassing, evidenceApproved }: ShippedFacts): readonly MetCondition[] {
  if (stage === 'DEVELOPMENT') return [{ code: 'candidate_found', detail: `The candidate was ${candidateSha}.` }];
  if (stage === 'TESTING' && testsPassing) return [{ code: 'tests_passed', detail: 'The tests had passed.' }];
  if (stage === 'EVIDENCING' && evidenceApproved) {
    return [{ code: 'evidence_approved', detail: 'The evidence was approved.' }];
  }
  return stage === 'DEPLOYMENT' ? [{ code: 'deployed', detail: `${candidateSha} was deployed.` }] : [];
}
