import type { ReportedState } from '../../../domain/history/reported-deployment.js';

/** `inactive`: GitHub ended a successful deployment, usually because another one replaced it. */
export const KNOWN_DEPLOYMENT_STATES = ['started', 'succeeded', 'failed', 'cancelled', 'inactive', 'unknown'] as const;
export type KnownDeploymentState = ReportedState | 'inactive';

/**
 * SQL for the deployments of GitHub, those that CI systems reported, and those that an admin recorded. Deployments that still wait at
 * GitHub are left out. `$1` is the time before which a deployment without an end is unknown.
 */
export const DEPLOYMENTS = `
  select d.repository_id, 'github:' || d.github_id as id, d.environment, d.sha as commit_sha, d.began_at as started_at,
    case d.state when 'success' then 'succeeded' when 'failure' then 'failed' when 'inactive' then 'inactive'
      else case when d.began_at > $1 then 'started' else 'unknown' end end as status,
    d.succeeded_at, 'github' as source, d.run_id,
    null as run_url, null::uuid as key_id, d.observed_at, d.github_id, null::uuid as reported_id, null as stated_id,
    null::uuid as release_id, null::boolean as can_deploy
  from deployment d where not d.waiting
  union all
  select d.repository_id, 'report:' || d.id, d.environment, d.commit_sha, coalesce(s.received_at, e.received_at),
    case when e.id is not null then e.status when u.id is not null or s.received_at <= $1 then 'unknown' else 'started' end,
    case when e.status = 'succeeded' then e.received_at end,
    case when k.by ->> 'kind' = 'api_key' then 'api_key' else 'run' end,
    coalesce(s.run_id, e.run_id), coalesce(s.run_url, e.run_url), (k.by ->> 'keyId')::uuid, null, null, d.id, d.reported_id,
    d.release_id, s.can_deploy
  from reported_deployment d
  left join deployment_report s on s.deployment_id = d.id and s.status = 'started'
  left join deployment_report u on u.deployment_id = d.id and u.status = 'unknown'
  left join deployment_report e on e.deployment_id = d.id and e.status in ('succeeded', 'failed', 'cancelled')
  cross join lateral (select coalesce(s.reported_by, e.reported_by) as by) k
  union all
  select d.repository_id, 'record:' || d.id, d.environment, d.commit_sha, d.deployed_at, 'succeeded', d.deployed_at, 'manual', null,
    null, null, null, null, null, null, d.release_id, null
  from deployment_record d where d.recorded_by is not null`;

/** SQL for the URL of the run of a deployment `d`. `github` is GitHub's base URL; `o` and `r` are its organization and repository. */
export const deploymentRunUrl = (github: string): string =>
  `coalesce(${github} || '/' || o.login || '/' || r.name || '/actions/runs/' || d.run_id, d.run_url)`;
