import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import type { TenantTransaction } from '../../../database/database.js';
import { reportedState, type ReportTimes } from '../../../domain/history/reported-deployment.js';
import { type Page, type PageRequest, pageOffset } from '../../../http/pagination/pagination.dto.js';
import { commitUrl } from '../../../workspaces/repository-url.js';
import type { ReportedDeploymentDto, ReportedDeploymentsFilter } from './deployment-report.dto.js';

/** The repository is named as `name` or `owner/name`, as in a report. */
const MATCHES = `($1::text is null or r.lower_name = lower($1)) and ($2::text is null or lower(o.login) = lower($2))
  and ($3::text is null or lower(d.environment) = lower($3)) and ($4::uuid is null or d.release_id = $4)`;

const FROM = `from reported_deployment d
  join repository r on r.id = d.repository_id
  join organization o on o.org_id = d.org_id`;

/** Reads the reported deployments that the transaction can see. */
@Injectable()
export class ReportedDeploymentsQueries {
  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  /** Reads a page of them, latest first. The time alone makes a deployment without an end unknown. */
  async readPage(
    tx: TenantTransaction,
    { repo, environment, milestoneId }: ReportedDeploymentsFilter,
    page: PageRequest,
    now: Date,
  ): Promise<Page<ReportedDeploymentDto>> {
    const slash = repo?.indexOf('/') ?? -1;
    const filter = [
      repo?.slice(slash + 1) ?? null,
      slash === -1 ? null : (repo?.slice(0, slash) ?? null),
      environment,
      milestoneId,
    ];
    const [counted] = await tx.query<{ readonly total: number }>(
      `select count(*)::float8 as total ${FROM} where ${MATCHES}`,
      filter,
    );
    const rows = await tx.query<
      Omit<ReportedDeploymentDto, 'commitUrl' | 'status'> & {
        readonly end: NonNullable<ReportTimes['end']>['status'] | null;
        readonly lostAt: Date | null;
      }
    >(
      `select d.id, o.login as org, d.repository_id as "repoId", r.name as repo, d.environment, d.reported_id as deployment,
         d.commit_sha as "commitSha", d.release_id as "milestoneId", coalesce(l.version, d.version) as version,
         s.received_at as "startedAt", e.received_at as "endedAt", coalesce(e.stated_at, s.stated_at) as "statedAt",
         e.status as end, u.received_at as "lostAt", s.can_deploy as "canDeploy", s.decision_id as "decisionId", h.kind,
         case when k.by ->> 'kind' = 'api_key' then 'api_key' else 'run' end as "reportedBy",
         (select a.name from api_key a where a.id = (k.by ->> 'keyId')::uuid) as "keyName",
         coalesce($5 || '/' || o.login || '/' || r.name || '/actions/runs/' || (k.by ->> 'runId'), s.run_url, e.run_url)
           as "runUrl"
       ${FROM}
       left join release l on l.id = d.release_id
       left join deployment_report s on s.deployment_id = d.id and s.status = 'started'
       left join deployment_report u on u.deployment_id = d.id and u.status = 'unknown'
       left join deployment_report e on e.deployment_id = d.id and e.status in ('succeeded', 'failed', 'cancelled')
       left join deployment_record h on h.reported_deployment_id = d.id
       cross join lateral (select coalesce(s.reported_by, e.reported_by) as by) k
       where ${MATCHES} order by d.created_at desc, d.id limit $6 offset $7`,
      [...filter, this.environment.githubUrl, page.pageSize, pageOffset(page)],
    );
    const items = rows.map(({ end, lostAt, ...row }) => ({
      ...row,
      status: reportedState(
        {
          start: row.startedAt && { at: row.startedAt },
          end: end && row.endedAt && { status: end, at: row.endedAt },
          lostAt,
        },
        now,
      ),
      commitUrl: commitUrl(this.environment, { org: row.org, name: row.repo }, row.commitSha),
    }));
    return { items, total: counted?.total ?? 0 };
  }
}
