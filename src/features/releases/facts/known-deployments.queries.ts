import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { KnownDeployment } from '../../../github/api/deployments.js';

/** GitHub fails a job that waited for 30 days, so a deployment that was last reported before that does not continue. */
const MAX_WAIT_MS = 31 * 86_400_000;
/** Of more successful ones, and of more without an end, those that GitHub reported last are returned. */
const MAX_KNOWN = 30;

/** Reads the stored deployments of GitHub, which its list of the newest ones may lack. */
@Injectable()
export class KnownDeploymentsQueries {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Lists the deployments of an environment that may have succeeded since a time, by our clock: those that were successful at some time
   * and reported since, and those that had no end when they were reported. If it is null, they may have succeeded at any time.
   */
  async list(
    orgId: OrgId,
    { repositoryId, environment }: { readonly repositoryId: string; readonly environment: string },
    since: Date | null,
  ): Promise<readonly KnownDeployment[]> {
    const rows = await this.database.inTenant(orgId, (tx) =>
      tx.queryPrepared<Omit<KnownDeployment, 'succeededAt'> & { readonly succeededAt: Date | null }>(
        'list_known_deployments',
        `with known as (
           select github_id, sha, succeeded_at, observed_at from deployment
           where repository_id = $1 and lower(environment) = lower($2) and (
             succeeded_at is not null and observed_at >= coalesce($3::timestamptz, '-infinity')
             or succeeded_at is null and state = 'pending' and observed_at >= $4))
         (select github_id::float8 as "githubId", sha, succeeded_at as "succeededAt" from known
          where succeeded_at is not null order by observed_at desc, github_id desc limit ${MAX_KNOWN})
         union all
         (select github_id::float8, sha, null from known
          where succeeded_at is null order by observed_at desc, github_id desc limit ${MAX_KNOWN})`,
        [repositoryId, environment, since, new Date(this.clock.now().getTime() - MAX_WAIT_MS)],
      ),
    );
    return rows.map(({ succeededAt, ...one }) => ({ ...one, succeededAt: succeededAt && toGitHubTime(succeededAt) }));
  }
}

/** GitHub writes whole seconds. */
const toGitHubTime = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, 'Z');
