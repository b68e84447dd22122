import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { ComparisonFact, Observation, Sha } from '../../../domain/facts/facts.js';
import type { PolicyState } from '../../../domain/policy/policy.js';
import { POLICY_FILE } from '../../../domain/repository/managed-files.js';
import {
  type ChangeAnalysis,
  type PolicyChange,
  type PolicyPreview,
  matchReleases,
} from '../../../domain/repository/merge-check.js';
import type { OpenPullRequest } from '../../../github/api/pull-requests.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import type { Repository } from '../../../workspaces/repositories.repository.js';
import { PolicyFileService } from '../../policy/policy-file.service.js';
import { PolicyPreviewService } from '../../releases/evaluation/policy-preview.service.js';
import { FactReaderService } from '../../releases/facts/fact-reader.service.js';
import { ReleaseScopesQueries } from './release-scopes.queries.js';
import { type AnalyzedRepository, WorkflowChangeService } from './workflow-change.service.js';

/** A commit that is proposed for a merge. */
export interface MergeHead {
  readonly sha: Sha;
  /** The branch and base of the merge queue if GitHub created the commit to try a merge; else null. */
  readonly mergeGroup: { readonly branch: string; readonly baseSha: Sha } | null;
}

/** A change with the commit at its head. */
export interface MergeProposal {
  /** Null if a merge group belongs to no open pull request. */
  readonly proposal: OpenPullRequest | null;
  /** A branch or a commit. */
  readonly base: string;
  /** The branch that it would be merged into; null if it is not known. */
  readonly target: string | null;
}

/** The prefix of merge queue branches, from https://docs.github.com/repositories. */
const QUEUE_BRANCH = /^gh-readonly-queue\/(?<target>.+)\/pr-(?<number>\d{1,9})-[0-9a-f]{7,64}$/;

/**
 * Lists all changes with this head. A commit may be proposed to several branches and a check belongs to the commit, so each
 * of them is analyzed. Otherwise a harmless pull request could make the check of another one succeed.
 */
export function listMergeProposals(
  { sha, mergeGroup }: MergeHead,
  open: readonly OpenPullRequest[],
): readonly MergeProposal[] {
  if (mergeGroup === null) {
    return open
      .filter(({ headSha }) => headSha === sha)
      .map((proposal) => ({ proposal, base: proposal.baseRef, target: proposal.baseRef }));
  }
  const { target, number } = QUEUE_BRANCH.exec(mergeGroup.branch)?.groups ?? {};
  const proposal = open.find((one) => one.number === Number(number)) ?? null;
  return [{ proposal, base: mergeGroup.baseSha, target: target ?? null }];
}

/** A fact may require another one, such as the checks of a candidate. Two more reads are always enough. */
const MAX_READS = 3;
/** The maximum number of facts per read, because a preview must not use up the rate limit of the installation. */
const MAX_FACTS = 30;

/** Analyzes the changes that have a commit at their head. */
@Injectable()
export class ChangeAnalysisService {
  constructor(
    private readonly github: GitHubGateway,
    private readonly workflows: WorkflowChangeService,
    private readonly policies: PolicyFileService,
    private readonly factReader: FactReaderService,
    private readonly previews: PolicyPreviewService,
    private readonly scopes: ReleaseScopesQueries,
    private readonly database: Database,
  ) {}

  /** Returns an empty list if the commit is not proposed any more. */
  async analyze(where: AnalyzedRepository, head: MergeHead): Promise<readonly ChangeAnalysis[]> {
    if (!(await this.isCurrent(where.ref, head))) return [];
    const { value: open } = await this.github.openPullRequests.list(where.ref);
    const findings: ChangeAnalysis[] = [];
    try {
      for (const change of listMergeProposals(head, open))
        findings.push(await this.examineChange(where, head.sha, change));
    } catch (error) {
      // The branch was deleted or the commit was replaced meanwhile. Another delivery reports the new state.
      if (!GitHubError.is(error, 'not_found')) throw error;
      return [];
    }
    return findings;
  }

  private async isCurrent(ref: RepositoryRef, { sha, mergeGroup }: MergeHead): Promise<boolean> {
    return mergeGroup === null || (await this.github.branches.findHead(ref, mergeGroup.branch)) === sha;
  }

  private async examineChange(where: AnalyzedRepository, sha: Sha, change: MergeProposal): Promise<ChangeAnalysis> {
    const { ref, orgId, repository } = where;
    const { value: comparison } = await this.github.commits.compare(ref, change.base, sha);
    const workflows = await this.workflows.examine(where, comparison, sha);
    const scopes = await this.database.inTenant(orgId, (tx) => this.scopes.list(tx, repository.id));
    return {
      pullNumber: change.proposal?.number ?? null,
      ...workflows,
      policy: (await this.touchesPolicy(ref, comparison, sha)) ? await this.policyChange(where, sha, change) : null,
      releases: change.proposal === null ? [] : matchReleases(change.proposal, scopes),
    };
  }

  private async touchesPolicy(ref: RepositoryRef, comparison: ComparisonFact, sha: Sha): Promise<boolean> {
    if (comparison.filesComplete) return comparison.files.some(({ path }) => path === POLICY_FILE);
    // The list of GitHub is incomplete, so the file is compared directly.
    const { value: before } = await this.github.repositories.file(ref, POLICY_FILE, comparison.mergeBaseSha);
    const { value: after } = await this.github.repositories.file(ref, POLICY_FILE, sha);
    return before?.blobSha !== after?.blobSha;
  }

  private async policyChange(
    { orgId, repository, ref }: AnalyzedRepository,
    sha: Sha,
    change: MergeProposal,
  ): Promise<PolicyChange> {
    const { defaultBranch } = repository;
    const state = await this.proposedPolicy(repository, ref, sha);
    const heldOnlyOn = change.target === defaultBranch ? null : defaultBranch;
    const previews =
      state.status === 'valid' && heldOnlyOn === null ? await this.preview({ orgId, repository, ref }, state) : [];
    return { state, heldOnlyOn, previews };
  }

  /** Facts that only the proposed policy needs are read for this preview and not stored. */
  private async preview(
    { orgId, repository, ref }: AnalyzedRepository,
    state: PolicyState,
  ): Promise<readonly PolicyPreview[]> {
    const additionalFacts: Observation[] = [];
    for (let reads = 0; ; reads += 1) {
      const { previews, missing } = await this.database.inTenant(orgId, (tx) =>
        this.previews.list(tx, repository.id, state, additionalFacts),
      );
      if (missing.length === 0 || reads === MAX_READS) return previews;
      const { observations } = await this.factReader.read({ ...repository, orgId, ref }, missing.slice(0, MAX_FACTS));
      if (observations.length === 0) return previews;
      additionalFacts.push(...observations);
    }
  }

  private async proposedPolicy(repository: Repository, ref: RepositoryRef, sha: Sha): Promise<PolicyState> {
    try {
      return await this.policies.readAt(ref, sha, repository);
    } catch (error) {
      // GitHub returns no content for files that are far larger than any policy may be.
      if (!GitHubError.is(error, 'invalid')) throw error;
      const problem = { line: null, column: null, key: '', message: 'The file is too large.' };
      return { status: 'invalid', problems: [problem], defaultBranch: repository.defaultBranch };
    }
  }
}
