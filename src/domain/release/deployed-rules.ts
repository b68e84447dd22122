import type { EffectiveEvidenceSet } from '../evidence/effective-evidence-set.js';
import type { EvidenceItem } from '../evidence/evidence.js';
import { type Condition, missingFactCondition } from '../facts/condition.js';
import type { TrackedFacts } from '../facts/tracked-facts.js';
import { type ChainEnvironment, listChain } from '../policy/environments.js';
import type { Policy, RequiredEvidence } from '../policy/policy.js';
import { unmetRequirement } from '../quality/evidence-requirements.js';
import type { Candidate } from './candidate.js';
import { type CompletedSoak, evaluateSoak, type ReportedChange, type SoakState } from './environment-soak.js';

/** The deployments of a candidate to the environments before the target. */
export interface ChainState {
  /** The soaks of the stages that have one. */
  readonly soaks: readonly { readonly environment: ChainEnvironment; readonly state: SoakState }[];
  /** The deployment after which evidence must begin. Null if no entry of the policy asks for it. */
  readonly beforeEvidence: { readonly environment: string; readonly state: SoakState } | null;
}

export const NO_CHAIN: ChainState = { soaks: [], beforeEvidence: null };

/** Evaluates the soaks that the policy requires. Other environments need no facts. */
export function evaluateChain(
  policy: Policy,
  candidate: Candidate,
  {
    completed,
    reports,
    now,
  }: {
    readonly completed: readonly CompletedSoak[];
    readonly reports: readonly ReportedChange[];
    readonly now: Date;
  },
  facts: TrackedFacts,
): ChainState {
  const evaluateIn = (environment: string, seconds: number): SoakState =>
    evaluateSoak({ environment, soakMs: seconds * 1000 }, { candidate, completed, reports, now }, facts);
  const { deployTarget } = policy.testing;
  const isAsked = policy.evidencing.requiredEvidence.some(({ afterDeployment }) => afterDeployment);
  return {
    soaks: listChain(policy).flatMap((environment) =>
      environment.soak === null ? [] : [{ environment, state: evaluateIn(environment.name, environment.soak) }],
    ),
    beforeEvidence:
      isAsked && deployTarget !== null ? { environment: deployTarget, state: evaluateIn(deployTarget, 0) } : null,
  };
}

/** Lists the soaks that this evaluation completed. */
export const listNewSoaks = ({ soaks, beforeEvidence }: ChainState): readonly CompletedSoak[] =>
  [...soaks, ...(beforeEvidence ? [beforeEvidence] : [])].flatMap(({ state }) =>
    state.kind === 'completed' && state.isNew ? [state.soak] : [],
  );

/** Returns the earliest end of a soak that is not completed, in milliseconds since the epoch. Infinity if there is none. */
export const nextSoakEnd = ({ soaks }: ChainState): number =>
  soaks.reduce(
    (earliest, { state }) =>
      state.kind === 'running' || state.kind === 'unproven' ? Math.min(earliest, state.endsAt) : earliest,
    Number.POSITIVE_INFINITY,
  );

/** Returns why the soak of an environment is not over. Empty if it is. */
export function soakConditions({ name }: ChainEnvironment, state: SoakState): readonly Condition[] {
  if (state.kind === 'completed') return [];
  if (state.kind === 'unknown') return [missingFactCondition(`the deployments to "${name}"`)];
  if (state.kind === 'unproven') {
    return [missingFactCondition(`the deployments to "${name}" until the end of its soak`)];
  }
  if (state.kind === 'absent') {
    return [
      {
        code: 'not_deployed_to_stage',
        detail: `The candidate is not the latest successful deployment to "${name}".`,
        actor: 'deployer',
      },
    ];
  }
  const [since, endsAt] = [new Date(state.since), new Date(state.endsAt)];
  return [
    {
      code: 'soaking',
      detail: `The candidate is deployed to "${name}" since ${toMinute(since)}. Its soak ends at ${toMinute(endsAt)}.`,
      actor: 'service',
      endsAt: endsAt.toISOString(),
    },
  ];
}

const toMinute = (time: Date): string => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/**
 * Returns why required evidence is missing or insufficient. With `afterDeployment` it must be sufficient with all evidence, and with
 * that alone whose run is known to have begun after the deployment.
 */
export function unmetEvidenceEntry(
  required: RequiredEvidence,
  set: EffectiveEvidenceSet,
  { beforeEvidence }: ChainState,
  facts: TrackedFacts,
): readonly Condition[] {
  const unmet = unmetRequirement(required, set);
  if (!required.afterDeployment || unmet.length > 0) return unmet;
  const after = beforeEvidence?.state.kind === 'completed' ? beforeEvidence.state.soak.from : Number.POSITIVE_INFINITY;
  const later = set.flatMap((group) => {
    const items = group.items.filter((item) => beganAfter(item, after, facts));
    return items.length === 0 ? [] : [{ ...group, items }];
  });
  const place = beforeEvidence === null ? '' : ` to "${beforeEvidence.environment}"`;
  return unmetRequirement(required, later).map((condition) => ({
    ...condition,
    detail: `${condition.detail} Only runs count that began after the deployment of the candidate${place}.`,
  }));
}

/** Whether the run of the item is known to have begun after the moment. */
function beganAfter({ run }: EvidenceItem, moment: number, facts: TrackedFacts): boolean {
  if (run?.proven !== true) return false;
  const known = facts.find('run_jobs', run.id);
  const beganAt = known?.value.beganAt;
  return beganAt !== undefined && (known?.moments?.[beganAt]?.[0] ?? Number.NEGATIVE_INFINITY) > moment;
}
