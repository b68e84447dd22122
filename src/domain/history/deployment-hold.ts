import { getTraits } from '../facts/condition-catalogue.js';
import type { Condition } from '../facts/condition.js';
import type { Sha } from '../facts/facts.js';
import { environmentRole, listChain } from '../policy/environments.js';
import { DEFAULT_HOLD, type Policy } from '../policy/policy.js';
import { holdPolicy } from '../policy/policy-fields.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long an unknown commit waits. It may still become the candidate of a release, because deliveries can be late. */
const UNKNOWN_COMMIT_MS = 2 * MINUTE_MS;

/** The release whose candidate is the commit of a held deployment. */
export interface HeldRelease {
  readonly version: string;
  /** Whether its gate of the environment is open by facts that were read for this answer. */
  readonly isOpen: boolean;
  readonly reasons: readonly Condition[];
}

/** The known facts about a deployment that waits for the protection rule. */
export interface HoldFacts {
  readonly now: Date;
  /** When the service first learned of the deployment. */
  readonly requestedAt: Date;
  readonly environment: string;
  readonly sha: Sha;
  /** The commit is from another repository. */
  readonly isFromFork: boolean;
  /** The event of the run. A run for a pull request names the head of the pull request, but runs another commit: a merge or the base. */
  readonly event: string;
  /** Other rules of the environment that GitHub still waits for. */
  readonly awaitsReviewers: boolean;
  readonly awaitsTimer: boolean;
  readonly isManaged: boolean;
  /** Null if `sdlc.yaml` is missing, is not valid or was not read. */
  readonly policy: Policy | null;
  /** Null if the commit is the candidate of no release. */
  readonly release: HeldRelease | null;
  /** The releases that could be deployed instead. */
  readonly candidates: readonly { readonly version: string; readonly candidateSha: Sha }[];
}

export type HoldAnswer =
  | { readonly kind: 'approve' }
  | { readonly kind: 'wait'; readonly reasons: readonly string[]; readonly nextCheckAt: Date }
  | { readonly kind: 'reject'; readonly reasons: readonly string[] };

/**
 * Decides about a deployment that waits for the protection rule. Only an open gate of its own commit approves it. While facts are
 * unknown it waits. After the longest wait it is rejected.
 */
export function decideHold(facts: HoldFacts): HoldAnswer {
  const answer = answerNow(facts);
  if (answer.kind !== 'wait') return answer;
  const { hours } = facts.policy ? holdPolicy(facts.policy) : DEFAULT_HOLD;
  const endsAt = facts.requestedAt.getTime() + hours * HOUR_MS;
  if (facts.now.getTime() >= endsAt) {
    return {
      kind: 'reject',
      reasons: [`It waited for ${hours} ${hours === 1 ? 'hour' : 'hours'}.`, ...answer.reasons, RUN_AGAIN],
    };
  }
  return { ...answer, nextCheckAt: new Date(Math.min(answer.nextCheckAt.getTime(), endsAt)) };
}

const RUN_AGAIN = 'Run the job again to request the deployment again.';

function answerNow(facts: HoldFacts): HoldAnswer {
  const { now, environment, policy, release } = facts;
  if (facts.isFromFork) return reject('The commit is from a fork. Deployments of forks are never approved.');
  if (facts.event.startsWith('pull_request')) {
    return reject('The run is for a pull request. It runs another commit than the one that it names.');
  }
  if (!facts.isManaged) return wait(now, 'Shipgate does not manage this repository yet.');
  if (!policy) return wait(now, 'sdlc.yaml is missing, is not valid, or could not be read.');
  if (environmentRole(policy, environment).kind === 'unnamed') {
    const named = [...listChain(policy).map(({ name }) => name), policy.deployment.target];
    return reject(`Shipgate governs ${named.join(', ')}. Remove its rule from the environment ${environment}.`);
  }
  if (!release) return answerUnknownCommit(facts);
  if (!release.isOpen) return answerClosed(release, policy, now);
  if (facts.awaitsReviewers) return wait(now, 'The reviewers of the environment have not approved yet.');
  if (facts.awaitsTimer) return wait(now, 'The wait timer of the environment has not ended yet.');
  return { kind: 'approve' };
}

function answerUnknownCommit({ now, requestedAt, sha, candidates }: HoldFacts): HoldAnswer {
  const reason = `The commit ${sha} is not the candidate of a release.`;
  if (now.getTime() - requestedAt.getTime() < UNKNOWN_COMMIT_MS) return wait(now, reason);
  const others = candidates.map(({ version, candidateSha }) => `The candidate of ${version} is ${candidateSha}.`);
  return reject(reason, ...others, 'Start the deployment at a candidate.');
}

function answerClosed({ version, reasons }: HeldRelease, policy: Policy, now: Date): HoldAnswer {
  const details = [`The gate of ${version} is closed.`, ...reasons.map(({ detail }) => detail)];
  // A gate that is closed only because facts are being read may open within seconds.
  const isUnknown = reasons.every(({ code }) => getTraits(code).isUnreadFact);
  return holdPolicy(policy).whenClosed === 'reject' && !isUnknown
    ? reject(...details, RUN_AGAIN)
    : wait(now, ...details);
}

const wait = (now: Date, ...reasons: readonly string[]): HoldAnswer => ({
  kind: 'wait',
  reasons,
  nextCheckAt: new Date(now.getTime() + MINUTE_MS),
});

const reject = (...reasons: readonly string[]): HoldAnswer => ({ kind: 'reject', reasons });
