import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { ComparisonFact, Observation, Sha } from '../../../domain/facts/facts.js';
import type { PolicyState } from '../../../domain/policy/policy.js';
import type { ChangeFinding, PolicyChange, PolicyPreview } from '../../../domain/repository/change-finding.js';
import { POLICY_FILE } from '../../../domain/repository/managed-files.js';
import { releasesOf } from '../../../domain/repository/release-scope.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RepositoryRef } from '../../../github/transport/repository-ref.js';
import type { GovernedRepository } from '../../../workspaces/governed-repository.js';
import { PolicyObserver } from '../../policy/policy-file.service.js';
import { PolicyPreviewReader } from '../../releases/evaluation/policy-preview.service.js';
import { Observer } from '../../releases/facts/fact-reader.service.js';
import { changesAt, type ProposedChange, type ProposedHead } from './proposed-head.js';
import { ReleaseScopesReader } from './release-scopes.queries.js';
import { WorkflowExamination } from './workflow-examination.service.js';

/** What a fact tells may ask for another one: a candidate for its checks, those for nothing more. */
const MAX_LOOKS = 3;
/** As many facts as one look may ask the host for: a preview is worth no more of the installation's budget. */
const MAX_FACTS = 30;

/** A repository that the app reaches. */
interface Reached {
  readonly orgId: OrgId;
  readonly repository: GovernedRepository;
  readonly ref: RepositoryRef;
}

/** Finds out what the changes that a commit is the head of would do. */
@Injectable()
export class HeadExamination {
  constructor(
    private readonly github: GitHubGateway,
    private readonly workflows: WorkflowExamination,
    private readonly policies: PolicyObserver,
    private readonly observer: Observer,
    private readonly previews: PolicyPreviewReader,
    private readonly scopes: ReleaseScopesReader,
    private readonly database: Database,
  ) {}

  /** Empty where nobody proposes the commit any more. */
  async examine(where: Reached, head: ProposedHead): Promise<readonly ChangeFinding[]> {
    if (!(await this.isStanding(where.ref, head))) return [];
    const { value: open } = await this.github.proposals.list(where.ref);
    const findings: ChangeFinding[] = [];
    try {
      for (const change of changesAt(head, open)) findings.push(await this.examineChange(where, head.sha, change));
    } catch (error) {
      // A branch that is deleted, or a commit that is pushed away meanwhile: another delivery tells what came instead.
      if (!GitHubError.is(error, 'not_found')) throw error;
      return [];
    }
    return findings;
  }

  private async isStanding(ref: RepositoryRef, { sha, mergeGroup }: ProposedHead): Promise<boolean> {
    if (mergeGroup === null) return true;
    const { value: branches } = await this.github.branches.startingWith(ref, mergeGroup.branch);
    return branches.some((found) => found.branch === mergeGroup.branch && found.sha === sha);
  }

  private async examineChange(where: Reached, sha: Sha, change: ProposedChange): Promise<ChangeFinding> {
    const { ref, orgId, repository } = where;
    const { value: comparison } = await this.github.commits.compare(ref, change.base, sha);
    const workflows = await this.workflows.examine(where, comparison, sha);
    const scopes = await this.database.inTenant(orgId, (tx) => this.scopes.list(tx, repository.id));
    return {
      pullNumber: change.proposal?.number ?? null,
      ...workflows,
      policy: (await this.touchesPolicy(ref, comparison, sha)) ? await this.policyChange(where, sha, change) : null,
      releases: change.proposal === null ? [] : releasesOf(change.proposal, scopes),
    };
  }

  private async touchesPolicy(ref: RepositoryRef, comparison: ComparisonFact, sha: Sha): Promise<boolean> {
    if (comparison.filesComplete) return comparison.files.some(({ path }) => path === POLICY_FILE);
    // The host cut the list short, so it proves nothing by leaving the file out: it is looked at by itself.
    const { value: before } = await this.github.repositories.file(ref, POLICY_FILE, comparison.mergeBaseSha);
    const { value: after } = await this.github.repositories.file(ref, POLICY_FILE, sha);
    return before?.blobSha !== after?.blobSha;
  }

  private async policyChange(
    { orgId, repository, ref }: Reached,
    sha: Sha,
    change: ProposedChange,
  ): Promise<PolicyChange> {
    const { defaultBranch } = repository;
    const state = await this.proposedPolicy(repository, ref, sha);
    const heldOnlyOn = change.target === defaultBranch ? null : defaultBranch;
    const previews =
      state.status === 'valid' && heldOnlyOn === null ? await this.preview({ orgId, repository, ref }, state) : [];
    return { state, heldOnlyOn, previews };
  }

  /** The facts that only the proposed rules ask about are read for this once, and kept nowhere. */
  private async preview({ orgId, repository, ref }: Reached, state: PolicyState): Promise<readonly PolicyPreview[]> {
    const { organizationDefault } = repository;
    const besides: Observation[] = [];
    for (let looks = 0; ; looks += 1) {
      const { previews, missing } = await this.database.inTenant(orgId, (tx) =>
        this.previews.list(tx, repository.id, state, besides),
      );
      if (missing.length === 0 || looks === MAX_LOOKS) return previews;
      const { observations } = await this.observer.look({ ref, organizationDefault }, missing.slice(0, MAX_FACTS));
      if (observations.length === 0) return previews;
      besides.push(...observations);
    }
  }

  private async proposedPolicy(repository: GovernedRepository, ref: RepositoryRef, sha: Sha): Promise<PolicyState> {
    try {
      return await this.policies.readAt(ref, sha, repository);
    } catch (error) {
      // A file that the host does not hand out with its text is far larger than any policy may be.
      if (!GitHubError.is(error, 'invalid')) throw error;
      const problem = { line: null, column: null, key: '', message: 'The file is too large.' };
      return { status: 'invalid', problems: [problem], defaultBranch: repository.defaultBranch };
    }
  }
}
