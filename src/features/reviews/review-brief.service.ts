import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { isTestKind } from '../../domain/evidence/evidence-status.js';
import type { ComparisonFact } from '../../domain/facts/facts.js';
import { findNewFindings, type NewFindings, type Scan } from '../../domain/quality/new-findings.js';
import type { EvidenceKind } from '../../domain/evidence/evidence.js';
import { compareScanKinds } from '../../domain/quality/scan-change.js';
import { releaseNotFound } from '../../http/errors/domain-error.js';
import { QualityService } from '../quality/quality.service.js';
import { ReleaseGroupsService } from '../quality/release-groups.service.js';
import { ReleaseDetailsService, type ReleaseReader } from '../releases/details/release-details.service.js';
import type { CodeChangesDto, NewFindingsDto, ReviewBriefDto, TestCountsDto } from './review-brief.dto.js';
import { ReviewBriefQueries } from './review-brief.queries.js';

type ReleaseGroup = Awaited<ReturnType<QualityService['listReleases']>>[number];
type ReleaseScope = Awaited<ReturnType<ReleaseDetailsService['read']>>['scope'];

/** The maximum number of files, issues and findings in a brief. */
const MAX_LISTED = 20;

/** Tells a reviewer what changed since the last shipped release, by stored facts. It never calls GitHub. */
@Injectable()
export class ReviewBriefService {
  constructor(
    private readonly database: Database,
    private readonly details: ReleaseDetailsService,
    private readonly quality: QualityService,
    private readonly groups: ReleaseGroupsService,
    private readonly queries: ReviewBriefQueries,
  ) {}

  /** Enqueues the comparison of the tests if it is not made yet. Throws `not_found` if the user cannot read the release. */
  async read(reader: ReleaseReader, releaseId: string): Promise<ReviewBriefDto> {
    const details = await this.details.read(reader, releaseId, 'stored');
    const [group] = await this.quality.listReleases(reader.viewer, [releaseId]);
    if (!group) throw releaseNotFound();
    const against = group.change?.against;
    const before = against && (await this.readBefore(reader, group, against.milestoneId));
    const { release, scope, overrides, approvals } = details;
    const { candidateSha, repoUrl } = release;
    const commitSha = before?.commitSha ?? null;
    const hasBoth = commitSha !== null && candidateSha !== null;
    return {
      milestoneId: release.milestoneId,
      org: release.org,
      repo: release.repo,
      version: release.version,
      candidateSha,
      evidencePrUrl: release.evidencePrUrl,
      since: against
        ? {
            milestoneId: against.milestoneId,
            version: against.version,
            commitSha,
            comparisonUrl: hasBoth ? `${repoUrl}/compare/${commitSha}...${candidateSha}` : null,
            changes: before?.comparison ? toChanges(before.comparison) : null,
          }
        : null,
      scope: toScope(scope),
      tests: {
        now: countTests(group),
        before: before?.group ? countTests(before.group) : null,
        change: group.change?.tests ?? null,
        flaky: group.flaky,
        comparison: group.comparison,
      },
      scorecard: group.scorecard,
      change: group.change && { score: group.change.score, coverage: group.change.coverage },
      newFindings: before?.newFindings ? toFindings(before.newFindings) : null,
      scanChange: before?.scanChange ?? null,
      overrides,
      ownReview: approvals.reviews.find(({ userId }) => userId === reader.user.id) ?? null,
    };
  }

  /** Reads the release that was shipped before, and compares findings with it. */
  private readBefore({ viewer }: ReleaseReader, group: ReleaseGroup, beforeId: string) {
    return this.database.readOnlyAsViewer(viewer, async (tx) => {
      const [before] = await this.groups.list(tx, [beforeId]);
      const scanned = [group, ...(before ? [before] : [])].flatMap(selectScans);
      const findings = await this.queries.listFindings(tx, [...new Set(scanned.map(({ evidenceId }) => evidenceId))]);
      const toScans = (of: ReleaseGroup): readonly Scan[] =>
        selectScans(of).map(({ evidenceId, kind, counts }) => ({
          kind,
          counts,
          findings: findings.get(`${evidenceId} ${kind}`) ?? [],
        }));
      return {
        ...(await this.queries.findCandidateBefore(tx, group.milestoneId, beforeId)),
        group: before,
        newFindings: before ? findNewFindings(toScans(group), toScans(before)) : null,
        scanChange:
          before && group.results.some(decides)
            ? compareScanKinds(listDecidingKinds(group), listDecidingKinds(before))
            : null,
      };
    });
  }
}

const decides = (result: ReleaseGroup['results'][number]): boolean => result.decides;

const listDecidingKinds = ({ results }: ReleaseGroup): readonly EvidenceKind[] =>
  results.filter(decides).map(({ type }) => type);

/** Selects the scans with counts that the verdict uses. */
const selectScans = ({ results }: ReleaseGroup) =>
  results.filter(decides).flatMap(({ evidenceId, type: kind, metrics }) => {
    if (kind !== 'sast_scan' && kind !== 'security') return [];
    const counts = metrics[kind];
    return counts ? [{ evidenceId, kind, counts }] : [];
  });

/** Adds up the tests that the verdict uses; null if there are none. */
function countTests({ results }: ReleaseGroup): TestCountsDto | null {
  const tests = results.flatMap(({ type, metrics, decides }) => {
    const counts = isTestKind(type) ? metrics[type] : undefined;
    return decides && counts ? [counts] : [];
  });
  if (tests.length === 0) return null;
  const sum = (of: 'passed' | 'failed' | 'skipped'): number => tests.reduce((all, counts) => all + counts[of], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}

const toChanges = ({ commits, commitsComplete, files, filesComplete }: ComparisonFact): CodeChangesDto => ({
  commits: commits.length,
  commitsComplete,
  files: files.length,
  filesComplete,
  paths: files.slice(0, MAX_LISTED).map(({ path }) => path),
});

const toScope = ({ issues, ...part }: ReleaseScope): ReviewBriefDto['scope'] => ({
  ...part,
  open: issues.filter(({ state }) => state === 'open').length,
  closed: issues.filter(({ state }) => state === 'closed').length,
  issues: issues.slice(0, MAX_LISTED),
});

const toFindings = ({ count, findings, unidentified }: NewFindings): NewFindingsDto => ({
  count,
  unidentified,
  findings: findings
    .slice(0, MAX_LISTED)
    .map(({ label, severity, count: times }) => ({ label, severity, count: times })),
});
