/**
 * The dashboard pages on a bare Fastify route with a response schema: two prepared statements as a superuser without row-level
 * security. The route has no authentication and no checks.
 */
import { fastify } from 'fastify';
import { Pool } from 'pg';
import { readOrder, reportListening } from '../../measuring/served.js';
import { OWN_WORKSPACE } from '../list-population.js';

const PAGE_SIZE = 50;
const ACTIVE = `org_id = ${OWN_WORKSPACE.orgId} and shipped_at is null and cancelled_at is null and deleted_at is null`;

const COUNTS = `
  select count(*)::int as all, count(*) filter (where list_status = 'b')::int as blocked,
    count(*) filter (where list_status = 'a')::int as needs_approval,
    count(*) filter (where list_status = 'p' and ready_until > now())::int as ready_to_deploy,
    count(*) filter (where list_status = 'p' and (ready_until > now()) is not true)::int as in_progress
  from release where ${ACTIVE}`;

/** The earlier of both times if it is finite, as the service writes it. */
const VALID_UNTIL = `case when isfinite(least(r.valid_until, r.ready_until)) then
  to_char(least(r.valid_until, r.ready_until) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end`;

const PAGE = `
  select r.id as "milestoneId", o.login as org, repo.id as "repoId", repo.name as repo,
    'https://github.com/' || o.login || '/' || repo.name as "repoUrl", r.version, r.title, r.stage,
    case when r.list_status = 'b' then 'blocked' when r.list_status = 'a' then 'needs_approval'
      when r.ready_until > now() then 'ready_to_deploy' else 'in_progress' end as outcome,
    r.blockers, 0 as "moreBlockers", r.candidate_sha as "candidateSha",
    'https://github.com/' || o.login || '/' || repo.name || '/commit/' || r.candidate_sha as "candidateUrl",
    pull.number as "evidencePrNumber", pull.url as "evidencePrUrl", r.milestone_url as "milestoneUrl", r.milestone_number as "milestoneNumber",
    null::jsonb as issues, jsonb_build_object('status', case when r.ready_until > now() then 'ready' else 'not_ready' end,
      'observedAt', to_char(r.evaluated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'validUntil', ${VALID_UNTIL}) as readiness,
    r.due_on as "dueOn", coalesce(r.due_on < now(), false) as "isOverdue", null::jsonb as "dueFreeze", r.updated_at as "updatedAt", null::timestamptz as "deployedAt", r.cancelled_at as "cancelledAt"
  from (select id, updated_at from release where ${ACTIVE} order by updated_at desc, id limit ${PAGE_SIZE} offset $1) page
  join release r on r.org_id = ${OWN_WORKSPACE.orgId} and r.id = page.id
  join repository repo on repo.org_id = r.org_id and repo.id = r.repository_id
  join organization o on o.org_id = r.org_id
  left join evidence_pull_request pull on pull.org_id = r.org_id and pull.release_id = r.id
  order by page.updated_at desc, page.id`;

const text = { type: 'string' };
const maybe = (type: string): object => ({ type: [type, 'null'] });
const time = { type: ['string', 'null'], format: 'date-time' };
const whole = { type: 'integer' };
const object = (properties: object): object => ({ type: 'object', properties });
const list = (items: object): object => ({ type: 'array', items });

const RELEASE = object({
  milestoneId: text,
  org: text,
  repoId: text,
  repo: text,
  repoUrl: text,
  version: text,
  title: text,
  stage: text,
  outcome: text,
  // The rows of this benchmark name no user who can act.
  blockers: list(object({ code: text, actor: text, detail: text, users: { ...list(text), default: [] } })),
  moreBlockers: whole,
  candidateSha: maybe('string'),
  candidateUrl: maybe('string'),
  evidencePrNumber: maybe('integer'),
  evidencePrUrl: maybe('string'),
  milestoneUrl: text,
  milestoneNumber: whole,
  issues: { type: ['object', 'null'], properties: { open: whole, closed: whole } },
  readiness: object({ status: text, observedAt: maybe('string'), validUntil: maybe('string') }),
  dueOn: time,
  isOverdue: { type: 'boolean' },
  dueFreeze: { type: ['object', 'null'] },
  updatedAt: time,
  deployedAt: time,
  cancelledAt: time,
});
const BODY = object({
  releases: list(RELEASE),
  counts: object({ all: whole, blocked: whole, needs_approval: whole, ready_to_deploy: whole, in_progress: whole }),
  pagination: object({ page: whole, pageSize: whole, total: whole, pages: whole }),
});

const { databaseUrl, poolSize } = readOrder();
const pool = new Pool({ connectionString: databaseUrl, max: poolSize });
const app = fastify();

app.get<{ Querystring: { page: string } }>(
  '/api/dashboard',
  { schema: { response: { 200: BODY } } },
  async ({ query }, reply) => {
    const page = Number(query.page);
    const [found, counted] = await Promise.all([
      pool.query<object>({ name: 'page', text: PAGE, values: [(page - 1) * PAGE_SIZE] }),
      pool.query<{ readonly all: number }>({ name: 'counts', text: COUNTS }),
    ]);
    const counts = counted.rows[0] ?? { all: 0 };
    const pagination = { page, pageSize: PAGE_SIZE, total: counts.all, pages: Math.ceil(counts.all / PAGE_SIZE) };
    return reply.send({ releases: found.rows, counts, pagination });
  },
);

await app.listen({ port: 0, host: '127.0.0.1' });
reportListening(app.server.address());
