import { factExpiresAt, type Observation, type Sha } from '../../../domain/facts/facts.js';
import { listEnvironments, type NamedEnvironment } from '../../../domain/policy/environments.js';
import { isSameEnvironment, type Policy } from '../../../domain/policy/policy.js';
import type { ChainState } from '../../../domain/release/deployed-rules.js';
import { type KnownDeployments, toEnvironmentKey } from './environment-deployments.queries.js';
import type { CandidateState, EnvironmentDto, EnvironmentRoleName, ReleaseEnvironmentDto } from './environments.dto.js';

const ROLES: Readonly<Record<NamedEnvironment['stage'], EnvironmentRoleName>> = {
  DEVELOPMENT: 'development',
  TESTING: 'testing',
  DEPLOYMENT: 'deployment',
};

const NOTHING = {
  commitSha: null,
  commitUrl: null,
  milestoneId: null,
  version: null,
  since: null,
  source: null,
  runUrl: null,
  kind: null,
} as const;

type Environment = Pick<EnvironmentDto, keyof EnvironmentDto>;

/** Lists the environments of a policy with what is deployed there. `known` is by `toEnvironmentKey`. */
export const toEnvironments = (
  policy: Policy,
  repositoryId: string,
  known: ReadonlyMap<string, KnownDeployments>,
): readonly Environment[] =>
  listEnvironments(policy).map(({ name, stage }) => ({
    name,
    role: ROLES[stage],
    ...(known.get(toEnvironmentKey(repositoryId, name))?.deployed ?? NOTHING),
  }));

interface ReleaseChain {
  readonly policy: Policy;
  readonly repositoryId: string;
  /** The candidate and its equivalent commits. */
  readonly candidateShas: readonly Sha[];
  /** The soaks as the verdict used them. */
  readonly chain: ChainState;
  /** The stored facts of the deployments to the environments. */
  readonly facts: readonly Observation[];
  readonly now: Date;
}

/** Lists the environments of the policy of a release, with the place of its candidate. */
export const toReleaseEnvironments = (
  release: ReleaseChain,
  known: ReadonlyMap<string, KnownDeployments>,
): readonly ReleaseEnvironmentDto[] =>
  toEnvironments(release.policy, release.repositoryId, known).map((environment) => {
    const isCandidate = isOfCandidate(release, environment.commitSha);
    const soak = findSoak(release, environment.name);
    const newest = known.get(toEnvironmentKey(release.repositoryId, environment.name))?.newest ?? null;
    const state = soak?.state ?? deployedState(release, { isCandidate, since: environment.since, newest });
    return {
      ...environment,
      isCandidate,
      state,
      soakSeconds: soak?.seconds ?? null,
      soakEndsAt: state === 'soaking' && soak ? soak.endsAt : null,
    };
  });

const isOfCandidate = ({ candidateShas }: ReleaseChain, sha: Sha | null): boolean =>
  sha !== null && candidateShas.includes(sha);

interface SoakView {
  readonly seconds: number | null;
  /** Null if the soak says nothing about the candidate. */
  readonly state: CandidateState | null;
  readonly endsAt: Date | null;
}

/** Returns the soak that holds the release in an environment. Null if the policy requires none there. */
function findSoak({ chain, facts, now }: ReleaseChain, name: string): SoakView | null {
  const soaks = chain.soaks.filter(({ environment }) => isSameEnvironment(environment.name, name));
  const soak = soaks.find(({ state }) => state.kind !== 'completed') ?? soaks[0];
  if (!soak) return null;
  const seconds = soak.environment.soak;
  const { state } = soak;
  if (state.kind === 'completed') return { seconds, state: 'soaked', endsAt: null };
  const fact = facts.find(({ kind, key }) => kind === 'deployments' && key === name.toLowerCase());
  const isFresh = fact !== undefined && factExpiresAt(fact) > now.getTime();
  if (isFresh && state.kind === 'running') return { seconds, state: 'soaking', endsAt: new Date(state.endsAt) };
  return { seconds, state: isFresh && state.kind === 'absent' ? null : 'unknown', endsAt: null };
}

/** Returns the place of the candidate by the deployments that are known. */
function deployedState(
  release: ReleaseChain,
  {
    isCandidate,
    since,
    newest,
  }: { readonly isCandidate: boolean; readonly since: Date | null } & Pick<KnownDeployments, 'newest'>,
): CandidateState {
  if (isCandidate) return 'deployed';
  const isLater = newest !== null && (since === null || newest.startedAt > since);
  if (!isLater || !isOfCandidate(release, newest.commitSha)) return 'not_deployed';
  if (newest.status === 'started') return 'deploying';
  if (newest.status === 'failed' || newest.status === 'cancelled') return 'failed';
  return newest.status === 'unknown' ? 'unknown' : 'not_deployed';
}
