import type { Condition } from '../facts/condition.js';
import { isSameEnvironment, type Policy } from '../policy/policy.js';

/**
 * Returns why an environment other than the target has no open gate; null for the target. Without a valid policy it is not known
 * which environment is the target, and the gate of every release is closed.
 */
export function otherEnvironmentReason(environment: string, policy: Policy | null): Condition | null {
  if (policy === null || isSameEnvironment(environment, policy.deployment.target)) return null;
  const named = [policy.development.deployTarget, policy.testing.deployTarget].some(
    (name) => name !== null && isSameEnvironment(environment, name),
  );
  if (named) {
    const detail = `The gate of the environment "${environment}" is not known.`;
    return { code: 'unknown', detail, actor: 'service' };
  }
  return {
    code: 'environment_not_named',
    detail: `The policy does not name the environment "${environment}", so it has no gate.`,
    actor: 'deployer',
  };
}
