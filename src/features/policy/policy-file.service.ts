import { Injectable } from '@nestjs/common';
import type { PolicyState } from '../../domain/policy/policy.js';
import { POLICY_FILE } from '../../domain/repository/managed-files.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import type { Observed } from '../../github/transport/github-clock.js';
import { GitHubError } from '../../github/transport/github-error.js';
import type { RepositoryRef } from '../../github/transport/token-scope.js';
import type { OrganizationDefault } from '../../workspaces/repositories.repository.js';
import { parsePolicyDocument, readPolicyDocument, type PolicyReading } from '../../policy-document/policy-document.js';

/** The inputs of the policy of a repository besides its own file. */
interface PolicyContext {
  readonly defaultBranch: string;
  readonly organizationDefault: OrganizationDefault | null;
}

/** Reads the policy of a repository. Only the head of the default branch is effective, never a pull request or a fork. */
@Injectable()
export class PolicyFileService {
  constructor(private readonly github: GitHubGateway) {}

  async readEffective(
    ref: RepositoryRef,
    organizationDefault: OrganizationDefault | null,
    signal?: AbortSignal,
  ): Promise<Observed<PolicyState>> {
    const { value: repository, observedAt } = await this.github.repositories.find(ref, signal);
    if (!repository) throw new GitHubError('not_found', `the repository ${ref.id} cannot be read`);
    const { defaultBranch } = repository;
    return { value: await this.readAt(ref, defaultBranch, { defaultBranch, organizationDefault }, signal), observedAt };
  }

  /** Reads the policy of a branch or a commit, which may be untrusted. Use `readEffective` for the effective policy. */
  async readAt(
    ref: RepositoryRef,
    gitRef: string,
    { defaultBranch, organizationDefault }: PolicyContext,
    signal?: AbortSignal,
  ): Promise<PolicyState> {
    const { value: file } = await this.github.repositories.file(ref, POLICY_FILE, gitRef, signal);
    if (!file) return { status: 'missing', defaultBranch };
    const organization = organizationDefault && (await this.readDefault(organizationDefault, signal));
    return parsePolicyDocument(file.text, defaultBranch, organization, organizationDefault?.isHidden);
  }

  private async readDefault({ ref, branch }: OrganizationDefault, signal?: AbortSignal): Promise<PolicyReading | null> {
    const { value: file } = await this.github.repositories.file(ref, POLICY_FILE, branch, signal);
    return file && readPolicyDocument(file.text);
  }
}
