import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { effectiveLinePercent } from '../../../domain/quality/quality-gates.js';
import { buildScorecard } from '../../../domain/quality/scorecard.js';
import type { Verdict } from '../../../domain/release/evaluate.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { FactsService } from '../facts/facts.service.js';
import { DecisionsRepository } from '../records/decisions.repository.js';
import { SCOPE_LOCK_AFTER_DEPLOY_MS } from '../records/releases.queries.js';
import { ReleasesRepository } from '../records/releases.repository.js';
import { ScopeLocksRepository } from '../scope/scope-locks.repository.js';

export interface Shipment {
  readonly releaseId: string;
  /** The commit that was deployed: the candidate or an equivalent commit. */
  readonly deployedSha: Sha;
  readonly actor: string;
}

/** Longer than a change of an issue takes while GitHub answers. */
const RETRY_AFTER_SECONDS = 5;

/** A release cannot be shipped while its scope changes. `retryAfterSeconds` says when to try again. */
export class ScopeChangeInProgressError extends DomainError {
  readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  constructor(readonly releaseId: string) {
    super('conflict', 'Another request is changing the scope of the release. Try again in a few seconds.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}

/** Ships releases that were deployed. */
@Injectable()
export class ShippingService {
  constructor(
    private readonly database: Database,
    private readonly releases: ReleasesRepository,
    private readonly decisions: DecisionsRepository,
    private readonly facts: FactsService,
    private readonly scopeLocks: ScopeLocksRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs the work that ships a release in a transaction. If it fails because the scope is being changed, no other change may
   * begin for a while. So the next try succeeds, and members cannot delay the shipping with a series of changes.
   */
  async shipWithScopeLock<T>(orgId: OrgId, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    try {
      return await this.database.inTenant(orgId, work);
    } catch (error) {
      if (error instanceof ScopeChangeInProgressError) {
        const until = new Date(this.clock.now().getTime() + SCOPE_LOCK_AFTER_DEPLOY_MS);
        await this.database.inTenant(orgId, (tx) => this.releases.closeScope(tx, error.releaseId, until));
      }
      throw error;
    }
  }

  /**
   * Ships the release by the decision that opened its gate, and freezes its facts. Throws `ScopeChangeInProgressError` while the
   * scope changes. A saved change ships with the release, and later changes are rejected.
   */
  async ship(
    tx: TenantTransaction,
    { releaseId, deployedSha, actor }: Shipment,
    decisionId: string,
  ): Promise<Verdict | null> {
    const release = await this.releases.findForUpdate(tx, releaseId);
    const decided = await this.decisions.findDecided(tx, decisionId);
    if (!release || release.record.shipped || !decided?.verdict.candidateSha) return null;
    const { verdict, policy, predecessorLinePercent } = decided;
    const now = this.clock.now();
    if (await this.scopeLocks.isChanging(tx, releaseId, now)) throw new ScopeChangeInProgressError(releaseId);
    const shas = new Set([...verdict.candidateShas, deployedSha]);
    const shipped = {
      candidateSha: decided.verdict.candidateSha,
      candidateShas: [...shas],
      testsPassing: verdict.testsPassing,
      evidenceApproved: verdict.evidenceApproved,
      approvalRequired: verdict.approvalRequired,
      passed: verdict.stage === 'DEPLOYMENT',
      ...(verdict.artifacts && { artifacts: verdict.artifacts }),
      linePercent: effectiveLinePercent(verdict.evidenceSet),
    };
    const scorecard = buildScorecard(verdict.evidenceSet, policy, predecessorLinePercent);
    await this.releases.ship(tx, releaseId, { shipped, scorecard }, now);
    await this.decisions.recordTransition(tx, releaseId, {
      from: release.record.stage,
      to: 'DEPLOYED',
      cause: 'deployment',
      actor,
      at: now,
      inputDigest: decisionId,
    });
    await this.facts.invalidateAfterShipping(tx, release.repositoryId, releaseId);
    return verdict;
  }
}
