import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import { factId, type FactKey, type Observation } from '../../../domain/facts/facts.js';
import type { PolicyState } from '../../../domain/policy/policy.js';
import type { Verdict } from '../../../domain/release/evaluate.js';
import type { Condition } from '../../../domain/release/stage.js';
import type { PolicyPreview } from '../../../domain/repository/merge-check.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import { ReleasesRepository } from '../records/releases.repository.js';
import { VerdictService } from './verdict.service.js';

export interface PolicyPreviews {
  readonly previews: readonly PolicyPreview[];
  /** What none of them can be told for sure without. */
  readonly missing: readonly FactKey[];
}

/** Tells where releases would stand under other rules, by the facts that are stored. It writes nothing. */
@Injectable()
export class PolicyPreviewService {
  constructor(
    private readonly active: ReleasesQueries,
    private readonly releases: ReleasesRepository,
    private readonly verdicts: VerdictService,
    private readonly clock: Clock,
  ) {}

  /**
   * Every active release of the repository whose verdict the proposed policy would change. What was observed besides
   * stands beside what is stored, so that rules may be tried that ask for what nobody asked for before.
   */
  async list(
    tx: TenantTransaction,
    repositoryId: string,
    proposed: PolicyState,
    besides: readonly Observation[],
  ): Promise<PolicyPreviews> {
    const policy: Observation = { kind: 'policy', key: '', value: proposed, observedAt: this.clock.now() };
    const previews: PolicyPreview[] = [];
    const missing = new Map<string, FactKey>();
    for (const { id } of await this.active.listActive(tx, repositoryId)) {
      const release = await this.releases.find(tx, id);
      if (!release) continue;
      const { verdict: now } = await this.verdicts.derive(tx, release);
      if (now.cancelled) continue;
      const { verdict: then } = await this.verdicts.derive(tx, release, [policy, ...besides]);
      previews.push(previewOf(release.record.version, now, then));
      for (const key of then.missing) missing.set(factId(key), key);
    }
    return { previews: previews.filter(changesAnything), missing: [...missing.values()] };
  }
}

function previewOf(version: string, now: Verdict, then: Verdict): PolicyPreview {
  const known = new Set(conditionsOf(now).map(identityOf));
  return {
    version,
    stage: now.stage,
    proposedStage: then.stage,
    opens: now.gate.openUntil === null && then.gate.openUntil !== null,
    closes: now.gate.openUntil !== null && then.gate.openUntil === null,
    newlyUnmet: conditionsOf(then).filter((condition) => !known.has(identityOf(condition))),
    unknownFacts: then.missing.length,
  };
}

const changesAnything = ({ stage, proposedStage, opens, closes, newlyUnmet }: PolicyPreview): boolean =>
  stage !== proposedStage || opens || closes || newlyUnmet.length > 0;

/** What keeps a release back: where it stands, and whatever closes its gate besides, each once. */
const conditionsOf = ({ unmet, gate }: Verdict): readonly Condition[] => [
  ...new Map([...unmet, ...gate.reasons].map((condition) => [identityOf(condition), condition])).values(),
];

/** That facts grow old has nothing to do with the rules, and of the sentence about it every minute has another. */
const identityOf = ({ code, detail }: Condition): string => (code === 'facts_stale' ? code : `${code} ${detail}`);
