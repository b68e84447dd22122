import { isSameEnvironment, type Policy } from './policy.js';

/** An environment before the target, with the stage that names it. */
export interface ChainEnvironment {
  readonly stage: 'DEVELOPMENT' | 'TESTING';
  readonly name: string;
  /** How long the candidate must stay deployed there before the release leaves the stage, in seconds. Null without a soak. */
  readonly soak: number | null;
}

/** The place of an environment in a policy. */
export type EnvironmentRole =
  | { readonly kind: 'target' }
  | { readonly kind: 'chain'; readonly environment: ChainEnvironment }
  | { readonly kind: 'unnamed' };

/** Lists the environments of the chain in the order of their stages. */
export const listChain = ({ development, testing }: Policy): readonly ChainEnvironment[] =>
  [{ stage: 'DEVELOPMENT', ...development } as const, { stage: 'TESTING', ...testing } as const].flatMap(
    ({ stage, deployTarget, soak = null }) => (deployTarget === null ? [] : [{ stage, name: deployTarget, soak }]),
  );

/** Returns what the policy says about the environment. One that several stages name belongs to the target, else to the first stage. */
export function environmentRole(policy: Policy, name: string): EnvironmentRole {
  if (isSameEnvironment(policy.deployment.target, name)) return { kind: 'target' };
  const environment = listChain(policy).find((one) => isSameEnvironment(one.name, name));
  return environment ? { kind: 'chain', environment } : { kind: 'unnamed' };
}

/** An environment that a policy names, with the stage that it belongs to. */
export interface NamedEnvironment {
  readonly name: string;
  readonly stage: ChainEnvironment['stage'] | 'DEPLOYMENT';
}

/** Lists the environments that a policy names in the order of their stages, each once. */
export const listEnvironments = (policy: Policy): readonly NamedEnvironment[] => [
  ...listChain(policy).filter(({ stage, name }) => {
    const role = environmentRole(policy, name);
    return role.kind === 'chain' && role.environment.stage === stage;
  }),
  { stage: 'DEPLOYMENT', name: policy.deployment.target },
];
