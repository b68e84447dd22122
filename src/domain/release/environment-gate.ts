import type { Condition } from '../facts/condition.js';
import type { Observation } from '../facts/facts.js';
import { environmentRole } from '../policy/environments.js';
import { evaluateByStage, type StagedVerdict, type VerdictInputs } from './evaluate.js';

/** The answer about an environment. `target` is answered by the gate of the verdict. */
export type EnvironmentAnswer =
  | { readonly kind: 'target' }
  | { readonly kind: 'unnamed' }
  /** The gate is open for the candidate if there are no reasons, until the verdict is no longer valid. */
  | { readonly kind: 'chain'; readonly reasons: readonly Condition[] };

/**
 * Answers for an environment before the target: the stage that names it is reached, there is a candidate, and nothing closes every
 * gate of the release. Conditions of that stage and of later ones, freezes and approvals do not count. Without a valid policy
 * it is not known which environments there are, so the answer is no.
 */
export function answerEnvironment(inputs: VerdictInputs, name: string): EnvironmentAnswer {
  const state = inputs.observations.find(isPolicy)?.value;
  const staged = evaluateByStage(inputs);
  if (state?.status !== 'valid') return { kind: 'chain', reasons: staged.common };
  const role = environmentRole(state.policy, name);
  if (role.kind !== 'chain') return role;
  return { kind: 'chain', reasons: [...listUnreached(staged, role.environment.stage), ...staged.common] };
}

export const environmentNotNamed = (name: string): Condition => ({
  code: 'environment_not_named',
  detail: `The policy does not name the environment "${name}", so it has no gate.`,
  actor: 'deployer',
});

const isPolicy = (observation: Observation): observation is Observation<'policy'> => observation.kind === 'policy';

/** Returns why the stage is not reached, or why there is no candidate. A shipped release has passed every stage. */
function listUnreached({ verdict, stages }: StagedVerdict, stage: 'DEVELOPMENT' | 'TESTING'): readonly Condition[] {
  const earlier = stages.slice(
    0,
    stages.findIndex((one) => one.stage === stage),
  );
  const unmet = earlier.flatMap((one) => one.unmet);
  if (verdict.candidateSha !== null || unmet.length > 0) return unmet;
  return stages.find((one) => one.stage === 'DEVELOPMENT')?.unmet ?? [];
}
