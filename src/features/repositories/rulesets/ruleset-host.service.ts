import { Injectable } from '@nestjs/common';
import { mendedRuleset } from '../../../domain/repository/mended-ruleset.js';
import type { FoundProtection } from '../../../domain/repository/protection.js';
import { driftOf } from '../../../domain/repository/ruleset-drift.js';
import type { WantedRuleset } from '../../../domain/repository/wanted-rulesets.js';
import { type FoundRuleset, isBeyondPlan } from '../../../github/api/rulesets.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RepositoryRef } from '../../../github/transport/repository-ref.js';
import { ADVISORY, BYPASS_UNSEEN, notAsAsked, refusedByHost } from './protection-sentences.js';

/** Whoever else writes at the same time is met at most once or twice. */
const ROUNDS_AT_MOST = 3;

/** The rulesets of one repository, and how they should be. */
export interface RulesetsOfRepository {
  readonly ref: RepositoryRef;
  readonly defaultBranch: string;
  readonly wanted: readonly WantedRuleset[];
}

/** A ruleset that is weaker than wanted, or missing. */
interface WeakRuleset {
  readonly wanted: WantedRuleset;
  readonly found: FoundRuleset | null;
  readonly drift: readonly string[];
}

interface Look {
  readonly weak: readonly WeakRuleset[];
  /** Whether it was seen who may bypass them. */
  readonly whole: boolean;
}

/** Reads and writes the service's own rulesets, found by their names; those of others are left alone. */
@Injectable()
export class RulesetHost {
  constructor(private readonly github: GitHubGateway) {}

  /** How the rulesets are now. Nothing is written. */
  async inspect(of: RulesetsOfRepository): Promise<FoundProtection> {
    const look = await this.look(of);
    if (look === null) return ADVISORY;
    return look.weak.length === 0 ? standing(look) : { status: 'drifted', detail: driftIn(look).join(' ') };
  }

  /**
   * Makes those that are missing and mends those that are weaker than wanted. Each is looked for before it is made, so that
   * whoever was here before and died leaves no second one; and looked at afterwards, because only what GitHub shows counts.
   */
  async establish(of: RulesetsOfRepository): Promise<FoundProtection> {
    let refusal: string | null = null;
    let look: Look | null = null;
    for (let round = 0; round <= ROUNDS_AT_MOST; round += 1) {
      look = await this.look(of);
      if (look === null) return ADVISORY;
      if (look.weak.length === 0) return standing(look);
      if (round === ROUNDS_AT_MOST) break;
      try {
        refusal = await this.mend(of, look.weak);
      } catch (error) {
        if (isBeyondPlan(error)) return ADVISORY;
        throw error;
      }
    }
    if (refusal !== null) return refusedByHost(refusal);
    return notAsAsked(look === null ? [] : driftIn(look));
  }

  private async look({ ref, defaultBranch, wanted }: RulesetsOfRepository): Promise<Look | null> {
    const names = wanted.map(({ name }) => name);
    const { value: all } = await this.github.rulesets.named(ref, names);
    if (all === null) return null;
    const weak: WeakRuleset[] = [];
    for (const one of wanted) {
      const found = all.find(({ name }) => name === one.name) ?? null;
      const drift = driftOf(one, found, defaultBranch);
      if (drift.length > 0) weak.push({ wanted: one, found, drift });
    }
    return { weak, whole: all.every(({ bypassActors }) => bypassActors !== null) };
  }

  /** What GitHub said against one of them, as where somebody else has just made one of its name; null where it took all. */
  private async mend(
    { ref, defaultBranch }: RulesetsOfRepository,
    weak: readonly WeakRuleset[],
  ): Promise<string | null> {
    let refusal: string | null = null;
    for (const { wanted, found } of weak) {
      const mended = mendedRuleset(wanted, found, defaultBranch);
      try {
        if (found) await this.github.rulesets.replace(ref, found.id, mended);
        else await this.github.rulesets.create(ref, mended);
      } catch (error) {
        if (!GitHubError.is(error, 'invalid', 'conflict')) throw error;
        refusal = error.message;
      }
    }
    return refusal;
  }
}

const driftIn = ({ weak }: Look): readonly string[] => weak.flatMap(({ drift }) => drift);

const standing = ({ whole }: Look): FoundProtection => ({ status: 'active', detail: whole ? null : BYPASS_UNSEEN });
