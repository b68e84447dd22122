import type { Clock } from '../../config/clock.js';
import type { GitHubClient } from '../transport/github-client.js';
import { GitHubError } from '../transport/github-error.js';
import { observe, type Observed } from '../transport/observed.js';
import { installationScope } from '../transport/token-scope.js';

/** A person's account, as anybody sees it. */
export interface User {
  readonly id: number;
  /** As the person writes it. */
  readonly login: string;
}

/** People on the host, whether they know of the app or not. */
export class Users {
  constructor(
    private readonly client: GitHubClient,
    private readonly clock: Clock,
  ) {}

  /** Who is called so now, in any case; null where nobody is, or what is called so is no person. */
  async findByLogin(installationId: number, login: string, signal?: AbortSignal): Promise<Observed<User | null>> {
    return observe(this.clock, async () => {
      try {
        const scope = installationScope(installationId);
        const { body } = await this.client.call(scope, 'GET /users/{username}', { username: login }, { signal });
        return body.text('type') === 'User' ? { id: body.integer('id'), login: body.text('login') } : null;
      } catch (error) {
        if (GitHubError.is(error, 'not_found')) return null;
        throw error;
      }
    });
  }
}
