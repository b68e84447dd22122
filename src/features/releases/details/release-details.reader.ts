import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTx } from '../../../database/database.js';
import type { FactKey } from '../../../domain/facts/facts.js';
import { reportStages } from '../../../domain/release/stage-report.js';
import { EvidencePiecesReader } from '../evaluation/evidence-pieces.reader.js';
import { ReleaseEvaluation } from '../evaluation/release-evaluation.service.js';
import { ObservationsReader } from '../facts/observations.reader.js';
import { ReleaseCards } from '../lists/release-cards.reader.js';
import type { Verification } from './live-look.service.js';
import { partOf } from './observed-part.js';
import type { ReleaseDetails } from './release-details.js';
import { ShippedScope } from './shipped-scope.reader.js';
import { showEvidence } from './shown-evidence.js';
import { TransitionLog } from './transition-log.reader.js';

/** Where a release stands in every stage, by what is stored. */
@Injectable()
export class ReleaseDetailsReader {
  constructor(
    private readonly cards: ReleaseCards,
    private readonly evaluations: ReleaseEvaluation,
    private readonly evidence: EvidencePiecesReader,
    private readonly observations: ObservationsReader,
    private readonly shippedScope: ShippedScope,
    private readonly log: TransitionLog,
    private readonly clock: Clock,
  ) {}

  /** Null where there is no such release for whoever opened the transaction. */
  async find(tx: TenantTx, releaseId: string, verification: Verification): Promise<ReleaseDetails | null> {
    const shown = await this.evaluations.show(tx, releaseId);
    const [card] = await this.cards.list(tx, [releaseId], this.clock.now());
    if (!shown || !card) return null;
    const { release, inputs } = shown;
    const { verdict, stages } = reportStages(inputs);
    const { gate, warnings, overrides, decidingSet, candidateSha } = verdict;
    const keys = {
      policy: { kind: 'policy', key: '' },
      issues: { kind: 'issues', key: String(release.record.milestoneNumber) },
      checks: { kind: 'checks', key: candidateSha ?? '' },
    } as const satisfies Readonly<Record<string, FactKey>>;
    const observed = await this.observations.list(tx, release.repositoryId, Object.values(keys));
    const shippedScope = release.record.shipped ? await this.shippedScope.find(tx, releaseId) : null;
    const evidence = showEvidence(inputs.evidence, decidingSet, await this.evidence.runUrls(tx, releaseId));
    return {
      card,
      verification,
      stages,
      reasons: gate.reasons,
      warnings,
      overrides,
      scope: shippedScope ?? partOf(observed, keys.issues, inputs.now),
      evidence: evidence.shown,
      moreEvidence: evidence.more,
      checks: partOf(observed, keys.checks, inputs.now),
      transitions: await this.log.list(tx, releaseId),
      policy: partOf(observed, keys.policy, inputs.now),
    };
  }
}
