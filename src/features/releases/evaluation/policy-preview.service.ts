import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import { factId, type FactKey, type Observation } from '../../../domain/facts/facts.js';
import type { PolicyState } from '../../../domain/policy/policy.js';
import type { Verdict } from '../../../domain/release/evaluate.js';
import { type Condition, toConditionKey } from '../../../domain/facts/condition.js';
import type { PolicyPreview } from '../../../domain/repository/merge-check.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import { ReleasesRepository } from '../records/releases.repository.js';
import { VerdictService } from './verdict.service.js';

export interface PolicyPreviews {
  readonly previews: readonly PolicyPreview[];
  /** The facts without which a preview is incomplete. */
  readonly missing: readonly FactKey[];
}

/** Evaluates releases under another policy, by stored facts. It writes nothing. */
@Injectable()
export class PolicyPreviewService {
  constructor(
    private readonly releaseQueries: ReleasesQueries,
    private readonly releases: ReleasesRepository,
    private readonly verdicts: VerdictService,
    private readonly clock: Clock,
  ) {}

  /**
   * Lists every active release of the repository whose verdict the proposed policy would change. The extra observations complete
   * the stored ones, because the new rules may use facts that were never read.
   */
  async list(
    tx: TenantTransaction,
    repositoryId: string,
    proposed: PolicyState,
    extra: readonly Observation[],
  ): Promise<PolicyPreviews> {
    const policy: Observation = { kind: 'policy', key: '', value: proposed, observedAt: this.clock.now() };
    const previews: PolicyPreview[] = [];
    const missing = new Map<string, FactKey>();
    for (const { id } of await this.releaseQueries.listActive(tx, repositoryId)) {
      const release = await this.releases.find(tx, id);
      if (!release) continue;
      const { verdict: current } = await this.verdicts.derive(tx, release);
      if (current.cancelled) continue;
      const { verdict: changed } = await this.verdicts.derive(tx, release, [policy, ...extra]);
      previews.push(toPreview(release.record.version, current, changed));
      for (const key of changed.missing) missing.set(factId(key), key);
    }
    return { previews: previews.filter(hasChanges), missing: [...missing.values()] };
  }
}

function toPreview(version: string, current: Verdict, changed: Verdict): PolicyPreview {
  const known = new Set(listConditions(current).map(toConditionKey));
  return {
    version,
    stage: current.stage,
    proposedStage: changed.stage,
    opens: current.gate.openUntil === null && changed.gate.openUntil !== null,
    closes: current.gate.openUntil !== null && changed.gate.openUntil === null,
    newlyUnmet: listConditions(changed).filter((condition) => !known.has(toConditionKey(condition))),
    unknownFacts: changed.missing.length,
  };
}

const hasChanges = ({ stage, proposedStage, opens, closes, newlyUnmet }: PolicyPreview): boolean =>
  stage !== proposedStage || opens || closes || newlyUnmet.length > 0;

/** The conditions that block a release, unmet or in the gate, without duplicates. */
const listConditions = ({ unmet, gate }: Verdict): readonly Condition[] => [
  ...new Map([...unmet, ...gate.reasons].map((condition) => [toConditionKey(condition), condition])).values(),
];
