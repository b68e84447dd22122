import { Injectable } from '@nestjs/common';
import type { PolicyState } from '../../domain/policy/policy.js';
import { GitHubError } from '../../github/github-error.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import type { Observed } from '../../github/observed.js';
import type { RepositoryRef } from '../../github/repository-ref.js';
import { parsePolicyDocument, readPolicyDocument, type PolicyReading } from './policy-document.js';

const POLICY_FILE = 'sdlc.yaml';

/** The repository of an organization whose `sdlc.yaml` is the default of all others, where the app may read it. */
export interface OrganizationDefault {
  readonly ref: RepositoryRef;
  readonly branch: string;
}

/** Reads a repository's rules at the head of its default branch: never from a pull request, never from a fork. */
@Injectable()
export class PolicyObserver {
  constructor(private readonly github: GitHubGateway) {}

  async observe(
    ref: RepositoryRef,
    organizationDefault: OrganizationDefault | null,
    signal?: AbortSignal,
  ): Promise<Observed<PolicyState>> {
    const { value: repository, observedAt } = await this.github.repositories.find(ref, signal);
    if (!repository) throw new GitHubError('not_found', `the repository ${ref.id} cannot be read`);
    const { defaultBranch } = repository;
    const { value: file } = await this.github.repositories.file(ref, POLICY_FILE, defaultBranch, signal);
    if (!file) return { value: { status: 'missing', defaultBranch }, observedAt };
    const organization = organizationDefault && (await this.readDefault(organizationDefault, signal));
    return { value: parsePolicyDocument(file.text, defaultBranch, organization), observedAt };
  }

  private async readDefault({ ref, branch }: OrganizationDefault, signal?: AbortSignal): Promise<PolicyReading | null> {
    const { value: file } = await this.github.repositories.file(ref, POLICY_FILE, branch, signal);
    return file && readPolicyDocument(file.text);
  }
}
