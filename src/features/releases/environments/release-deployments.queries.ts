import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT } from '../../../config/environment.js';
import type { TenantTransaction } from '../../../database/database.js';
import { LONGEST_DEPLOYMENT_MS } from '../../../domain/history/reported-deployment.js';
import { type Page, type PageRequest, pageOffset } from '../../../http/pagination/pagination.dto.js';
import { commitUrl, type GitHubServer } from '../../../workspaces/repository-url.js';
import { DEPLOYMENTS, deploymentRunUrl } from './deployments.sql.js';
import type { ReleaseDeploymentDto } from './environments.dto.js';

/**
 * The deployments of the commits of a release, and those that were reported for it. A deployment of GitHub that was also reported, by
 * its run or its id, is in the list once.
 */
const OF_RELEASE = `
  from release l
  join (${DEPLOYMENTS}) d on d.repository_id = l.repository_id and (d.commit_sha = any(l.candidate_shas) or d.release_id = l.id)
  join repository r on r.id = l.repository_id
  join organization o on o.org_id = r.org_id
  where l.id = $2 and (d.github_id is null or not exists (
    select from reported_deployment p
    where p.repository_id = d.repository_id and p.commit_sha = d.commit_sha and lower(p.environment) = lower(d.environment)
      and (p.reported_id = d.github_id::text or exists (
        select from deployment_report c where c.deployment_id = p.id and c.run_id = d.run_id))))`;

/** Reads the deployments of a release, to every environment. */
@Injectable()
export class ReleaseDeploymentsQueries {
  constructor(@Inject(ENVIRONMENT) private readonly server: GitHubServer) {}

  /** Reads a page of them, latest first. */
  async readPage(
    tx: TenantTransaction,
    releaseId: string,
    page: PageRequest,
    now: Date,
  ): Promise<Page<ReleaseDeploymentDto>> {
    const params = [new Date(now.getTime() - LONGEST_DEPLOYMENT_MS), releaseId];
    const [counted] = await tx.query<{ readonly total: number }>(
      `select count(*)::float8 as total ${OF_RELEASE}`,
      params,
    );
    const rows = await tx.query<
      Omit<ReleaseDeploymentDto, 'commitUrl'> & { readonly org: string; readonly repo: string }
    >(
      `select d.id, o.login as org, r.name as repo, d.environment, d.commit_sha as "commitSha", d.status,
         d.started_at as "startedAt", d.succeeded_at as "succeededAt", d.source,
         (select a.name from api_key a where a.id = d.key_id) as "keyName", ${deploymentRunUrl('$3')} as "runUrl",
         d.can_deploy as "canDeploy", (
           select h.kind from deployment_record h where h.repository_id = d.repository_id
             and (h.deployment_github_id = d.github_id or h.reported_deployment_id = d.reported_id or 'record:' || h.id = d.id)
           limit 1) as kind
       ${OF_RELEASE} order by d.started_at desc, d.id limit $4 offset $5`,
      [...params, this.server.githubUrl, page.pageSize, pageOffset(page)],
    );
    const items = rows.map(({ org, repo, ...row }) => ({
      ...row,
      commitUrl: commitUrl(this.server, { org, name: repo }, row.commitSha),
    }));
    return { items, total: counted?.total ?? 0 };
  }
}
