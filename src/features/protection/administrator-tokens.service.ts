import { Injectable } from '@nestjs/common';
import { GitHubError } from '../../github/github-error.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import type { PersonalToken } from '../../github/personal-token.js';
import type { RepositoryRef } from '../../github/repository-ref.js';
import { hostIsAway, tokenMayNot, tokenReachesNot, tokenRefused } from './ruleset-order-refusal.js';

/** How long an admin waits for GitHub's word. */
const ANSWER_MS = 5_000;

/** Tells whether a personal access token is one of somebody who administers a repository. */
@Injectable()
export class AdministratorTokens {
  constructor(private readonly github: GitHubGateway) {}

  /** Throws `unprocessable` where it is not, as far as GitHub tells before it is used, and `unavailable` where it does not answer. */
  async prove(ref: RepositoryRef, token: PersonalToken): Promise<void> {
    const { rights } = await this.describe({ ...ref, as: token });
    // A fine-grained token may still lack the permission: nothing but its use tells.
    if (rights !== null && !rights.administer) throw tokenMayNot();
  }

  private async describe(ref: RepositoryRef) {
    try {
      const { value } = await this.github.repositories.find(ref, AbortSignal.timeout(ANSWER_MS));
      if (value) return value;
    } catch (error) {
      if (GitHubError.is(error, 'unauthorized', 'forbidden')) throw tokenRefused();
      if (error instanceof GitHubError) throw hostIsAway(error);
      throw error;
    }
    throw tokenReachesNot();
  }
}
