import { Injectable } from '@nestjs/common';
import { findDrift, repairedRuleset } from '../../../domain/repository/ruleset-drift.js';
import type { ProtectionCheckResult, DesiredRuleset } from '../../../domain/repository/ruleset.js';
import { type ExistingRuleset, isUnsupportedByPlan } from '../../../github/api/rulesets.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';

const BYPASS_UNSEEN =
  'The rulesets are as required. GitHub shows only to administrators of the repository who may bypass them.';

const ADVISORY: ProtectionCheckResult = {
  status: 'advisory',
  detail:
    'GitHub offers no rulesets for this repository under the plan of its organization, so pull requests and reviews are not enforced. The deploy gate is not affected.',
};

export const failed = (detail: string): ProtectionCheckResult => ({ status: 'failed', detail });

export const NOT_REACHED = failed(
  'The app cannot access the repository. Ask an owner to add it to the installation, then configure the rulesets again.',
);

export const NO_POLICY = failed(
  'There is no valid sdlc.yaml on the default branch. Fix it, then configure the rulesets again.',
);

export const NO_CHECKS = failed(
  'The rulesets require the check "Shipgate", which the app may not publish here, so nothing could be merged. Ask an owner to grant "checks: write", then configure the rulesets again.',
);

export const NEEDS_TOKEN: ProtectionCheckResult = {
  ...failed(
    'The app may not administer the repository. Configure the rulesets again with a personal access token of an administrator, or ask an owner to grant the app "administration: write".',
  ),
  awaitsToken: true,
};

export const TOKEN_REFUSED = failed(
  'GitHub rejected the personal access token. It must belong to an administrator of the repository and have the scope "repo" or "Administration: read and write".',
);

export const rulesetsRejected = (sentence: string): ProtectionCheckResult =>
  failed(`GitHub rejected the rulesets (${sentence}). Fix the cause, then configure them again.`);

const rulesetsStillDiffer = (drift: readonly string[]): ProtectionCheckResult =>
  failed(`GitHub accepted the rulesets but does not show them as configured. ${drift.join(' ')}`);

/** A concurrent writer interferes at most once or twice. */
const MAX_ATTEMPTS = 3;

/** A repository and its required rulesets. */
export interface RulesetsOfRepository {
  readonly ref: RepositoryRef;
  readonly defaultBranch: string;
  readonly desired: readonly DesiredRuleset[];
}

/** A ruleset that is missing or weaker than required. */
interface WeakRuleset {
  readonly desired: DesiredRuleset;
  readonly found: ExistingRuleset | null;
  readonly drift: readonly string[];
}

interface RulesetsCheck {
  readonly weak: readonly WeakRuleset[];
  /** Whether GitHub showed who may bypass them. */
  readonly whole: boolean;
}

/** Reads and writes the rulesets of the service, which it finds by their names. Other rulesets are not changed. */
@Injectable()
export class RulesetsGitHubService {
  constructor(private readonly github: GitHubGateway) {}

  /** Compares the rulesets with the required ones. Writes nothing. */
  async inspect(of: RulesetsOfRepository): Promise<ProtectionCheckResult> {
    const check = await this.check(of);
    if (check === null) return ADVISORY;
    return check.weak.length === 0 ? toActiveResult(check) : { status: 'drifted', detail: driftIn(check).join(' ') };
  }

  /**
   * Creates missing rulesets and repairs weaker ones. Each is looked up before it is created, so that a crash leaves no
   * duplicate, and read again afterwards, because only the state that GitHub shows counts.
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
        rejection = await this.repair(of, check.weak);
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

  /** Returns GitHub's message if it rejected one, for example because its name was taken meanwhile; null if it accepted all. */
  private async repair(
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
