/** What people are told of the protection of a repository: each sentence says what to do next. */
import { Injectable } from '@nestjs/common';
import { findDrift, repairedRuleset } from '../../../domain/repository/ruleset-drift.js';
import type { ProtectionCheckResult, DesiredRuleset } from '../../../domain/repository/ruleset.js';
import { type ExistingRuleset, isUnsupportedByPlan } from '../../../github/api/rulesets.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';

const BYPASS_UNSEEN =
  'The rulesets are as wanted. Who may bypass them GitHub tells only those who administer the repository.';

const ADVISORY: ProtectionCheckResult = {
  status: 'advisory',
  detail:
    'GitHub offers no rulesets for this repository under the plan of its organization, so nothing but agreement keeps people to pull requests and reviews. The deploy gate is the same.',
};

export const failed = (detail: string): ProtectionCheckResult => ({ status: 'failed', detail });

export const NOT_REACHED = failed(
  'The app does not reach the repository. Have an owner give it to the installation, then configure the rulesets again.',
);

export const NO_POLICY = failed(
  'There is no valid sdlc.yaml on the default branch, which says what to protect. Mend it, then configure the rulesets again.',
);

export const NO_CHECKS = failed(
  'The rulesets ask for the check "Shipgate", and the app may not publish it here: nothing could be merged any more. Have an owner grant it "checks: write", then configure the rulesets again.',
);

export const NEEDS_TOKEN: ProtectionCheckResult = {
  ...failed(
    'The app may not administer the repository. Configure the rulesets again with a personal access token of somebody who may, or have an owner grant the app "administration: write".',
  ),
  awaitsToken: true,
};

export const TOKEN_REFUSED = failed(
  'GitHub refused the personal access token. It has to be one of somebody who administers the repository, and to allow just that (the scope "repo", or "Administration: read and write").',
);

export const rulesetsRejected = (sentence: string): ProtectionCheckResult =>
  failed(`GitHub refused the rulesets (${sentence}). Configure them again once that is mended.`);

const rulesetsStillDiffer = (drift: readonly string[]): ProtectionCheckResult =>
  failed(`GitHub took the rulesets, and does not show them as asked. ${drift.join(' ')}`);

/** Whoever else writes at the same time is met at most once or twice. */
const MAX_ATTEMPTS = 3;

/** The rulesets of one repository, and how they should be. */
export interface RulesetsOfRepository {
  readonly ref: RepositoryRef;
  readonly defaultBranch: string;
  readonly desired: readonly DesiredRuleset[];
}

/** A ruleset that is weaker than wanted, or missing. */
interface WeakRuleset {
  readonly desired: DesiredRuleset;
  readonly found: ExistingRuleset | null;
  readonly drift: readonly string[];
}

interface RulesetsCheck {
  readonly weak: readonly WeakRuleset[];
  /** Whether it was seen who may bypass them. */
  readonly whole: boolean;
}

/** Reads and writes the service's own rulesets, found by their names; those of others are left alone. */
@Injectable()
export class RulesetsGitHubService {
  constructor(private readonly github: GitHubGateway) {}

  /** How the rulesets are now. Nothing is written. */
  async inspect(of: RulesetsOfRepository): Promise<ProtectionCheckResult> {
    const check = await this.check(of);
    if (check === null) return ADVISORY;
    return check.weak.length === 0 ? toActiveResult(check) : { status: 'drifted', detail: driftIn(check).join(' ') };
  }

  /**
   * Makes those that are missing and mends those that are weaker than wanted. Each is looked for before it is made, so that
   * whoever was here before and died leaves no second one; and looked at afterwards, because only what GitHub shows counts.
   */
  async apply(of: RulesetsOfRepository): Promise<ProtectionCheckResult> {
    let rejection: string | null = null;
    let check: RulesetsCheck | null = null;
    for (let round = 0; round <= MAX_ATTEMPTS; round += 1) {
      check = await this.check(of);
      if (check === null) return ADVISORY;
      if (check.weak.length === 0) return toActiveResult(check);
      if (round === MAX_ATTEMPTS) break;
      try {
        rejection = await this.mend(of, check.weak);
      } catch (error) {
        if (isUnsupportedByPlan(error)) return ADVISORY;
        throw error;
      }
    }
    if (rejection !== null) return rulesetsRejected(rejection);
    return rulesetsStillDiffer(check === null ? [] : driftIn(check));
  }

  private async check({ ref, defaultBranch, desired }: RulesetsOfRepository): Promise<RulesetsCheck | null> {
    const names = desired.map(({ name }) => name);
    const { value: all } = await this.github.rulesets.listByName(ref, names);
    if (all === null) return null;
    const weak: WeakRuleset[] = [];
    for (const one of desired) {
      const found = all.find(({ name }) => name === one.name) ?? null;
      const drift = findDrift(one, found, defaultBranch);
      if (drift.length > 0) weak.push({ desired: one, found, drift });
    }
    return { weak, whole: all.every(({ bypassActors }) => bypassActors !== null) };
  }

  /** What GitHub said against one of them, as where somebody else has just made one of its name; null where it took all. */
  private async mend(
    { ref, defaultBranch }: RulesetsOfRepository,
    weak: readonly WeakRuleset[],
  ): Promise<string | null> {
    let rejection: string | null = null;
    for (const { desired, found } of weak) {
      const mended = repairedRuleset(desired, found, defaultBranch);
      try {
        if (found) await this.github.rulesets.replace(ref, found.id, mended);
        else await this.github.rulesets.create(ref, mended);
      } catch (error) {
        if (!GitHubError.is(error, 'invalid', 'conflict')) throw error;
        rejection = error.message;
      }
    }
    return rejection;
  }
}

const driftIn = ({ weak }: RulesetsCheck): readonly string[] => weak.flatMap(({ drift }) => drift);

const toActiveResult = ({ whole }: RulesetsCheck): ProtectionCheckResult => ({
  status: 'active',
  detail: whole ? null : BYPASS_UNSEEN,
});
