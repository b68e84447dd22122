import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { OrgId } from '../../database/ids.js';
import { Clock } from '../../clock/clock.js';
import { Database } from '../../database/database.js';
import type { PullFact, Sha } from '../../domain/release/facts.js';
import type { Policy } from '../../domain/policy/policy.js';
import { GitHubError } from '../../github/github-error.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import type { RepositoryRef } from '../../github/repository-ref.js';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { EvidencePiecesReader } from '../evidence/evidence-pieces.reader.js';
import { ObservationsReader } from '../observations/observations.reader.js';
import { EvidencePullsRecorder } from '../releases/evidence-pulls.recorder.js';
import { ReleaseEvaluation, type Evaluation } from '../releases/release-evaluation.service.js';
import { ReleaseRefresh } from '../releases/release-refresh.service.js';
import type { GovernedRepository } from '../repos/governed-repository.js';
import { ReposReader } from '../repos/repos.reader.js';
import { EVIDENCE_FILES, evidenceJson, evidencePage, pullBody, type EvidenceContent } from './evidence-document.js';

interface Work {
  readonly repository: GovernedRepository & { readonly ref: RepositoryRef };
  readonly releaseId: string;
  readonly policy: Policy;
  readonly content: EvidenceContent;
  readonly baseRef: string;
  readonly baseSha: Sha;
  readonly branch: string;
}

const CAUSE = { cause: 'evidence pull request', actor: 'service' };
const STALE_CODES = ['evidence_pull_pending', 'evidence_pull_outdated', 'evidence_pull_merged_unapproved'];

/** Keeps the evidence pull request of a release in line with the evidence that decides. */
@Injectable()
export class EvidencePulls implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly evaluations: ReleaseEvaluation,
    private readonly refresh: ReleaseRefresh,
    private readonly recorder: EvidencePullsRecorder,
    private readonly evidence: EvidencePiecesReader,
    private readonly observations: ObservationsReader,
    private readonly repos: ReposReader,
    private readonly github: GitHubGateway,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.handlers.register('refresh-evidence-pull', ({ orgId, releaseId }) => this.bringUpToDate(orgId, releaseId));
  }

  /**
   * Opens the pull request or rewrites its branch, where the release waits for it. Safe to run again after a crash at
   * any point: what is there already is found by its branch and taken on.
   */
  async bringUpToDate(orgId: OrgId, releaseId: string): Promise<void> {
    const { evaluation } = await this.refresh.refresh(orgId, releaseId, { ...CAUSE, writesPull: true });
    const work = evaluation && (await this.plan(orgId, releaseId, evaluation));
    if (!work) return;
    const { ref } = work.repository;
    const files = EVIDENCE_FILES(work.content.version);
    const commit = await this.github.commits.create(ref, {
      baseSha: work.baseSha,
      files: [
        { path: files.page, content: evidencePage(work.content) },
        { path: files.data, content: evidenceJson(work.content) },
      ],
      message: `Evidence for ${work.content.version}\n\nCandidate: ${work.content.candidateSha}`,
    });
    await this.point(ref, work.branch, commit.sha);
    const pull = await this.openPull(ref, work);
    await this.database.inTenant(orgId, async (tx) => {
      const written = {
        releaseId,
        repositoryId: work.repository.id,
        number: pull.number,
        url: pull.url,
        branch: work.branch,
        baseRef: work.baseRef,
        headSha: commit.sha,
        files: commit.files,
        candidateSha: work.content.candidateSha,
        setDigest: work.content.setDigest,
      };
      await this.recorder.record(tx, written, this.clock.now());
    });
    await this.askForReviews(ref, pull.number, work.policy);
    const number = String(pull.number);
    const hints = [{ kind: 'pull', key: number } as const, { kind: 'reviews', key: number } as const];
    await this.refresh.refresh(orgId, releaseId, CAUSE, { hints });
  }

  /** What has to be written; null where nothing has to be, or what it rests on is not known. */
  private async plan(orgId: OrgId, releaseId: string, { verdict, release }: Evaluation): Promise<Work | null> {
    const { candidateSha, setDigest, developmentHead, policyDigest } = verdict;
    const waits = verdict.stage === 'EVIDENCING' && verdict.unmet.some(({ code }) => STALE_CODES.includes(code));
    if (!waits || verdict.cancelled || !candidateSha || !setDigest || !developmentHead || !policyDigest) return null;
    const { repository, policy, runUrls, revision } = await this.database.inTenant(orgId, async (tx) => {
      const [observation] = await this.observations.list(tx, release.repositoryId, [{ kind: 'policy', key: '' }]);
      const state = observation?.value as { status: string; policy: Policy } | undefined;
      return {
        repository: await this.repos.find(tx, release.repositoryId),
        policy: state?.status === 'valid' ? state.policy : null,
        runUrls: await this.evidence.runUrls(tx, releaseId),
        revision: await this.recorder.countFinished(tx, releaseId),
      };
    });
    if (!repository?.ref || !policy) return null;
    return {
      repository: { ...repository, ref: repository.ref },
      releaseId,
      policy,
      baseRef: verdict.developmentBranch,
      baseSha: developmentHead,
      branch: `shipgate/evidence/${release.record.version}`,
      content: {
        repository: `${repository.org}/${repository.name}`,
        version: release.record.version,
        candidateSha,
        policyDigest,
        setDigest,
        set: verdict.decidingSet,
        revision,
        approvalsRequired: policy.evidencing.requiredReviewers.minApprovals,
        runUrls,
      },
    };
  }

  private async point(ref: RepositoryRef, branch: string, sha: Sha): Promise<void> {
    const { value: found } = await this.github.branches.startingWith(ref, branch);
    if (found.some((head) => head.branch === branch)) return this.github.branches.force(ref, branch, sha);
    try {
      await this.github.branches.create(ref, branch, sha);
    } catch (error) {
      // Made by an earlier try whose answer was lost.
      if (!GitHubError.is(error, 'conflict')) throw error;
      await this.github.branches.force(ref, branch, sha);
    }
  }

  private async openPull(ref: RepositoryRef, work: Work): Promise<PullFact> {
    const title = `Evidence for ${work.content.version}`;
    const { value: pulls } = await this.github.pulls.byHead(ref, work.branch);
    const open = pulls.find(({ state, baseRef }) => state === 'open' && baseRef === work.baseRef);
    const body = pullBody(work.content);
    return open
      ? this.github.pulls.update(ref, open.number, { title, body })
      : this.github.pulls.open(ref, { title, head: work.branch, base: work.baseRef, body });
  }

  /** Asks the policy's teams. A team that the host does not accept does not stand in the way: its condition tells. */
  private async askForReviews(ref: RepositoryRef, number: number, policy: Policy): Promise<void> {
    const { teams } = policy.evidencing.requiredReviewers;
    if (teams.length === 0) return;
    try {
      await this.github.pulls.requestTeamReviews(ref, number, teams);
    } catch (error) {
      if (!GitHubError.is(error, 'invalid', 'conflict', 'not_found', 'forbidden')) throw error;
    }
  }
}
