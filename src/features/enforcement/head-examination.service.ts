import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import type { PolicyState } from '../../domain/policy/policy.js';
import type { ComparisonFact, Observation, Sha } from '../../domain/release/facts.js';
import type { ChangeFinding, PolicyChange, PolicyPreview } from '../../domain/repository/change-finding.js';
import { isInstallationBranch, MANAGED_WORKFLOWS, POLICY_FILE } from '../../domain/repository/managed-file.js';
import { releasesOf } from '../../domain/repository/release-scope.js';
import { GitHubError } from '../../github/github-error.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import type { Proposal } from '../../github/proposals.js';
import type { RepositoryRef } from '../../github/repository-ref.js';
import { Observer } from '../observations/observer.service.js';
import { PolicyObserver } from '../policy/policy-observer.service.js';
import { PolicyPreviewReader } from '../releases/policy-preview.reader.js';
import type { GovernedRepository } from '../repos/governed-repository.js';
import { changesAt, type ProposedChange, type ProposedHead } from './proposed-head.js';
import { ReleaseScopesReader } from './release-scopes.reader.js';

const WATCHED = [...MANAGED_WORKFLOWS, POLICY_FILE];

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
    const touched = await this.touchedFiles(ref, comparison, sha);
    const workflows = MANAGED_WORKFLOWS.filter((path) => touched.has(path));
    const isOwn = workflows.length > 0 && (await this.isOfService(ref, change.proposal, comparison, sha, workflows));
    const scopes = await this.database.inTenant(orgId, (tx) => this.scopes.list(tx, repository.id));
    return {
      pullNumber: change.proposal?.number ?? null,
      foreign: isOwn ? [] : workflows,
      installed: isOwn ? workflows : [],
      policy: touched.has(POLICY_FILE) ? await this.policyChange(where, sha, change) : null,
      releases: change.proposal === null ? [] : releasesOf(change.proposal, scopes),
    };
  }

  /** Which of the files that matter differ from where the change began. */
  private async touchedFiles(ref: RepositoryRef, comparison: ComparisonFact, sha: Sha): Promise<ReadonlySet<string>> {
    if (comparison.filesComplete) return new Set(comparison.files.map(({ path }) => path));
    // The host cut the list short, so it proves nothing by leaving a file out: each one is looked at by itself.
    const touched = new Set<string>();
    for (const path of WATCHED) {
      const before = await this.blobAt(ref, path, comparison.mergeBaseSha);
      if (before !== (await this.blobAt(ref, path, sha))) touched.add(path);
    }
    return touched;
  }

  /**
   * Whether the service itself wrote the workflow files: in a pull request of the app's, on a branch of its own, and as
   * its newest commit there left them. What anybody commits on top, a merge of the base included, may not differ.
   */
  private async isOfService(
    ref: RepositoryRef,
    proposal: Proposal | null,
    { commits, commitsComplete }: ComparisonFact,
    sha: Sha,
    workflows: readonly string[],
  ): Promise<boolean> {
    if (proposal === null || proposal.fromFork || !commitsComplete || !isInstallationBranch(proposal.headRef))
      return false;
    const { value: app } = await this.github.installations.app();
    if (proposal.authorLogin !== `${app.slug}[bot]`) return false;
    const written = commits.findLast(({ authorId }) => authorId === proposal.authorId);
    if (!written) return false;
    if (written.sha === sha) return true;
    for (const path of workflows) {
      if ((await this.blobAt(ref, path, written.sha)) !== (await this.blobAt(ref, path, sha))) return false;
    }
    return true;
  }

  private async blobAt(ref: RepositoryRef, path: string, sha: Sha): Promise<Sha | null> {
    return (await this.github.repositories.file(ref, path, sha)).value?.blobSha ?? null;
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
