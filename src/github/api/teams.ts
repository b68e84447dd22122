import type { Clock } from '../../config/clock.js';
import type { TeamMembersFact } from '../../domain/facts/facts.js';
import type { GitHubClient } from '../transport/github-client.js';
import { GitHubError } from '../transport/github-error.js';
import { observe, type Observed } from '../transport/observed.js';
import { installationScope } from '../transport/token-scope.js';

const NO_TEAM: TeamMembersFact = { exists: false, userIds: [] };

export class Teams {
  constructor(
    private readonly client: GitHubClient,
    private readonly clock: Clock,
  ) {}

  /** The members of an organization's team by its slug, those of its child teams included, as the host lists them. */
  async members(
    installationId: number,
    org: string,
    slug: string,
    signal?: AbortSignal,
  ): Promise<Observed<TeamMembersFact>> {
    return observe(this.clock, async () => {
      try {
        const userIds = await this.client.list(
          installationScope(installationId),
          'GET /orgs/{org}/teams/{team_slug}/members',
          { org, team_slug: slug, per_page: 100 },
          (page) => page.items().map((member) => member.integer('id')),
          signal,
        );
        return { exists: true, userIds };
      } catch (error) {
        // A withdrawn installation says nothing of its teams, and fails as unauthorized.
        if (GitHubError.is(error, 'not_found')) return NO_TEAM;
        throw error;
      }
    });
  }
}
