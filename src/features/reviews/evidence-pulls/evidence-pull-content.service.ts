import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { getTraits } from '../../../domain/facts/condition-catalogue.js';
import { uploadIdFromItemId } from '../../../domain/evidence/evidence.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { reviewerTeams } from '../../../domain/policy/policy.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { repositoryUrl } from '../../../workspaces/repository-url.js';
import { EvidenceQueries } from '../../evidence/evidence.queries.js';
import type { SavedEvaluation } from '../../releases/evaluation/release-evaluation.service.js';
import { VerdictInputsQueries } from '../../releases/evaluation/verdict-inputs.queries.js';
import { ObservationsRepository } from '../../releases/facts/observations.repository.js';
import { EvidencePullsRepository } from '../../releases/records/evidence-pulls.repository.js';
import { type EvidenceContent, type EvidenceFile, EvidenceDocumentsService } from './evidence-documents.service.js';

/** The content of an evidence pull request, and where it is written. */
export interface EvidencePullContent {
  readonly ref: RepositoryRef;
  readonly repositoryId: string;
  readonly releaseId: string;
  /** The slugs of the teams whose review is requested. */
  readonly teams: readonly string[];
  readonly baseRef: string;
  readonly baseSha: Sha;
  readonly branch: string;
  /** The pending commit of an earlier attempt that did not record it; null if there is none. */
  readonly announcedSha: Sha | null;
  readonly content: EvidenceContent;
  /** The files of the pull request, built from `content`. */
  readonly files: readonly EvidenceFile[];
}

/** Builds the content of the evidence pull request of a release. */
@Injectable()
export class EvidencePullContentService {
  constructor(
    private readonly database: Database,
    private readonly inputs: VerdictInputsQueries,
    private readonly queries: EvidenceQueries,
    private readonly observations: ObservationsRepository,
    private readonly repos: RepositoriesRepository,
    private readonly pulls: EvidencePullsRepository,
    private readonly files: EvidenceDocumentsService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Returns the content to write; null if nothing has to be written or a required fact is unknown. */
  async find(orgId: OrgId, { verdict, release }: SavedEvaluation): Promise<EvidencePullContent | null> {
    const { candidateSha, setDigest, developmentHead, policyDigest } = verdict;
    const waits =
      verdict.stage === 'EVIDENCING' && verdict.unmet.some(({ code }) => getTraits(code).isClearedByEvidencePull);
    if (!waits || verdict.cancelled || !candidateSha || !setDigest || !developmentHead || !policyDigest) return null;
    const branch = `shipgate/evidence/${release.record.version}`;
    const uploadIds = [...new Set(verdict.evidenceSet.flatMap(({ items }) => items.map(uploadIdFromItemId)))];
    const { repository, policy, runUrls, files, revision, announcedSha } = await this.database.inTenant(
      orgId,
      async (tx) => ({
        repository: await this.repos.find(tx, release.repositoryId),
        policy: await this.observations.find(tx, release.repositoryId),
        runUrls: await this.inputs.runUrls(tx, release.id),
        files: await this.queries.listFilesByItem(tx, uploadIds),
        revision: await this.pulls.countFinished(tx, release.id),
        announcedSha: await this.pulls.findAnnounced(tx, release.id, branch),
      }),
    );
    if (!repository?.ref || !policy) return null;
    const content = {
      repository: `${repository.org}/${repository.name}`,
      repositoryUrl: repositoryUrl(this.environment, repository),
      version: release.record.version,
      candidateSha,
      policyDigest,
      setDigest,
      set: verdict.evidenceSet,
      artifacts: verdict.artifacts ?? [],
      testsPassing: verdict.testsPassing,
      waivers: verdict.overrides.filter(({ kind }) => kind === 'waiver'),
      qualityGates: policy.qualityGates,
      predecessorLinePercent: release.record.predecessor?.linePercent ?? null,
      revision,
      requiredReviewers: policy.evidencing.requiredReviewers,
      runUrls,
      files,
    };
    return {
      ref: repository.ref,
      repositoryId: repository.id,
      releaseId: release.id,
      teams: reviewerTeams(policy.evidencing.requiredReviewers),
      baseRef: verdict.developmentBranch,
      baseSha: developmentHead,
      branch,
      announcedSha,
      content,
      files: await this.files.compose(content),
    };
  }
}
