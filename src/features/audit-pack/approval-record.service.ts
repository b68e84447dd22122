import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { sha256 } from '../../crypto/digests.js';
import { Database, type TenantTransaction, type Viewer } from '../../database/database.js';
import { haveRulesChanged, reportDecision } from '../../domain/release/replay.js';
import { releaseNotFound } from '../../http/errors/domain-error.js';
import { HistoryQueries } from '../history/history.queries.js';
import { DecisionsQueries, type DecisionWithInputs } from '../releases/decisions/decisions.queries.js';
import { ReleaseSummariesQueries } from '../releases/lists/release-summaries.queries.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import type { ApprovalRecordDto, CountedReviewDto, RecordedDecisionDto } from './approval-record.dto.js';
import { ApprovalRecordQueries } from './approval-record.queries.js';

/** Reads how a release was approved: the decision, and what it rests on. */
@Injectable()
export class ApprovalRecordService {
  constructor(
    private readonly database: Database,
    private readonly releases: ReleasesQueries,
    private readonly summaries: ReleaseSummariesQueries,
    private readonly decisions: DecisionsQueries,
    private readonly history: HistoryQueries,
    private readonly records: ApprovalRecordQueries,
    private readonly clock: Clock,
  ) {}

  /** Throws `not_found` if the viewer cannot read the release. */
  async read(viewer: Viewer, releaseId: string): Promise<ApprovalRecordDto> {
    await this.releases.assertReadable(viewer, releaseId);
    return this.database.asViewer(viewer, (tx) => this.find(tx, releaseId));
  }

  private async find(tx: TenantTransaction, releaseId: string): Promise<ApprovalRecordDto> {
    const readAt = this.clock.now();
    const [release] = await this.summaries.list(tx, [releaseId], readAt);
    if (!release) throw releaseNotFound();
    const decisionId = await this.records.findDecisionId(tx, releaseId);
    const found = decisionId === null ? null : await this.decisions.find(tx, releaseId, decisionId);
    const decision = found && toRecordedDecision(found);
    return {
      readAt,
      release,
      decision,
      ...(decision ? await this.records.listEvidence(tx, decision.id) : { evidence: [], moreEvidence: 0 }),
      overrides: await this.records.listOverrides(tx, releaseId, decision?.overrides.map(({ id }) => id) ?? []),
      pulls: await this.records.listPulls(tx, releaseId, decision?.setDigest ?? null),
      deployments: await this.history.list(tx, await this.records.listDeploymentIds(tx, releaseId)),
    };
  }
}

/** Adds what was met and who had approved, which the service derives only by the rules that made the decision. */
function toRecordedDecision({ inputs, verdict, ...decision }: DecisionWithInputs): RecordedDecisionDto {
  const { id, at, open, stage, candidateSha, policyDigest, reasons, overrides } = decision;
  const report = reportDecision(inputs, verdict, sha256);
  const { setDigest } = verdict as { readonly setDigest?: string | null };
  return {
    id,
    at,
    open,
    stage,
    candidateSha,
    policyDigest,
    reasons,
    overrides,
    rules: inputs.rules,
    rulesChanged: haveRulesChanged(inputs.rules),
    setDigest: setDigest ?? null,
    stages: report && report.stages.map(({ stage: of, met }) => ({ stage: of, met })),
    approvals: report && {
      required: report.approvals.required,
      given: report.approvals.given,
      reviews: report.approvals.reviews.map(
        ({ login, state, commitSha, submittedAt, counts, reason }): CountedReviewDto => ({
          login,
          state,
          commitSha,
          submittedAt,
          counts,
          reason,
        }),
      ),
    },
  };
}
