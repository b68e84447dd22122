/** The order of versions, which a column of a release uses. */
export const VERSION_FUNCTIONS = `
CREATE FUNCTION public.version_sort_key(version text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog'
BEGIN ATOMIC
 SELECT ((COALESCE(( SELECT (('1'::text || string_agg((lpad((length(ltrim(core.digits, '0'::text)))::text, 3, '0'::text) || ltrim(core.digits, '0'::text)), ''::text ORDER BY core.at)) ||
                 CASE
                     WHEN (parts.parts[5] IS NULL) THEN '~'::text
                     ELSE ( SELECT string_agg((
                             CASE
                                 WHEN (identified.identifier ~ '^[0-9]+$'::text) THEN (('0'::text || lpad((length(ltrim(identified.identifier, '0'::text)))::text, 3, '0'::text)) || ltrim(identified.identifier, '0'::text))
                                 ELSE ('1'::text || identified.identifier)
                             END || '!'::text), ''::text ORDER BY identified.at) AS string_agg
                        FROM unnest(string_to_array(parts.parts[5], '.'::text)) WITH ORDINALITY identified(identifier, at))
                 END)
            FROM regexp_match(version_sort_key.version, '^v?([0-9]+)[.]([0-9]+)[.]([0-9]+)(-([0-9A-Za-z.-]+))?$'::text) parts(parts),
             LATERAL unnest(parts.parts[1:3]) WITH ORDINALITY core(digits, at)
           WHERE (length(version_sort_key.version) <= 100)
           GROUP BY parts.parts), '0'::text) || ' '::text) || version);
END;

CREATE FUNCTION public.version_order(version text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT version_sort_key.version_sort_key
    FROM version_sort_key(version_order.version) version_sort_key(version_sort_key);
END;
`;

/** The tables of releases, their decisions and overrides, deployments, projects, and events. */
export const RELEASE_TABLES = `
CREATE TABLE release (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  repository_id uuid NOT NULL,
  version text NOT NULL,
  milestone_github_id bigint NOT NULL,
  milestone_number integer NOT NULL,
  title text NOT NULL,
  milestone_url text NOT NULL,
  due_on timestamp with time zone,
  stage text DEFAULT 'PLANNING'::text NOT NULL,
  unmet jsonb DEFAULT '[]'::jsonb NOT NULL,
  milestone_reasons jsonb DEFAULT '[]'::jsonb NOT NULL,
  warnings jsonb DEFAULT '[]'::jsonb NOT NULL,
  used_facts text[] DEFAULT '{}'::text[] NOT NULL,
  candidate_sha text,
  candidate_shas text[] DEFAULT '{}'::text[] NOT NULL,
  tests_passing boolean DEFAULT false NOT NULL,
  evidence_approved boolean DEFAULT false NOT NULL,
  open_until timestamp with time zone,
  valid_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  verdict_digest text,
  hotfix boolean DEFAULT false NOT NULL,
  started_at timestamp with time zone,
  started_by text,
  cancelled_at timestamp with time zone,
  deleted_at timestamp with time zone,
  shipped_at timestamp with time zone,
  shipped jsonb,
  evaluated_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  blocked boolean DEFAULT false NOT NULL,
  unread boolean DEFAULT false NOT NULL,
  blockers jsonb DEFAULT '[]'::jsonb NOT NULL,
  blocker_count integer DEFAULT 0 NOT NULL,
  ready_until timestamp with time zone GENERATED ALWAYS AS (
CASE
    WHEN (open_until IS NOT NULL) THEN LEAST(open_until, valid_until)
    ELSE NULL::timestamp with time zone
END) STORED,
  list_status "char" GENERATED ALWAYS AS (
CASE
    WHEN blocked THEN 'b'::"char"
    WHEN (stage = 'EVIDENCING'::text) THEN 'a'::"char"
    ELSE 'p'::"char"
END) STORED NOT NULL,
  lower_version text COLLATE "C" GENERATED ALWAYS AS (lower((version COLLATE "C"))) STORED NOT NULL,
  version_order text COLLATE "C" GENERATED ALWAYS AS (version_sort_key(version)) STORED NOT NULL,
  author_ids bigint[],
  scope_closed_until timestamp with time zone,
  pull_number integer,
  pull_state text,
  pull_seen_at timestamp with time zone,
  evidence_at timestamp with time zone,
  shipped_scorecard jsonb,
  few_author_ids bigint[] GENERATED ALWAYS AS (
CASE
    WHEN (cardinality(author_ids) <= 32) THEN author_ids
    ELSE NULL::bigint[]
END) STORED,
  author_count integer GENERATED ALWAYS AS (cardinality(author_ids)) STORED,
  invalidated_at timestamp with time zone,
  approvals_given integer,
  archived_at timestamp with time zone,
  CONSTRAINT release_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT release_org_id_repository_id_milestone_github_id_key UNIQUE (org_id, repository_id, milestone_github_id),
  CONSTRAINT release_stage_check CHECK (stage = ANY (ARRAY['PLANNING'::text, 'DEVELOPMENT'::text, 'TESTING'::text, 'EVIDENCING'::text, 'DEPLOYMENT'::text, 'DEPLOYED'::text])),
  CONSTRAINT release_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX release_active ON release USING btree (org_id, updated_at DESC, id) INCLUDE (repository_id, list_status, ready_until, lower_version) WHERE shipped_at IS NULL AND cancelled_at IS NULL AND deleted_at IS NULL;
CREATE INDEX release_by_candidate ON release USING btree (org_id, candidate_sha COLLATE "C", id) WHERE candidate_sha IS NOT NULL;
CREATE INDEX release_by_evidence ON release USING btree (org_id, evidence_at DESC, id) INCLUDE (repository_id, version) WHERE evidence_at IS NOT NULL;
CREATE INDEX release_by_milestone ON release USING btree (org_id, repository_id, milestone_number);
CREATE INDEX release_by_version_order ON release USING btree (org_id, repository_id, version_order DESC, id);
CREATE INDEX release_of_many_authors ON release USING btree (org_id, id) WHERE stage = 'EVIDENCING'::text AND NOT evidence_approved AND shipped_at IS NULL AND cancelled_at IS NULL AND deleted_at IS NULL AND pull_number IS NOT NULL AND pull_state IS DISTINCT FROM 'merged'::text AND author_count > 32;
CREATE INDEX release_opened ON release USING btree (org_id, ready_until) INCLUDE (repository_id, list_status) WHERE ready_until IS NOT NULL AND list_status <> 'b'::"char" AND shipped_at IS NULL AND cancelled_at IS NULL AND deleted_at IS NULL;
CREATE INDEX release_to_be_read ON release USING btree (org_id, pull_seen_at NULLS FIRST, updated_at DESC, id) INCLUDE (repository_id, valid_until, evaluated_at, author_count, pull_state) WHERE stage = 'EVIDENCING'::text AND NOT evidence_approved AND shipped_at IS NULL AND cancelled_at IS NULL AND deleted_at IS NULL AND pull_number IS NOT NULL AND pull_state IS DISTINCT FROM 'merged'::text;
CREATE INDEX release_to_review ON release USING btree (org_id, updated_at DESC, id) INCLUDE (repository_id, valid_until, evaluated_at, pull_state, pull_seen_at, few_author_ids, author_count) WHERE stage = 'EVIDENCING'::text AND NOT evidence_approved AND shipped_at IS NULL AND cancelled_at IS NULL AND deleted_at IS NULL AND pull_number IS NOT NULL AND pull_state IS DISTINCT FROM 'merged'::text;
CREATE INDEX release_by_urgency ON release USING btree (org_id, (list_status <> 'b'::"char"), due_on, updated_at DESC, id) INCLUDE (repository_id, list_status, ready_until, lower_version) WHERE shipped_at IS NULL AND cancelled_at IS NULL AND deleted_at IS NULL;
CREATE INDEX release_versions_with_evidence ON release USING btree (org_id, version_order DESC) INCLUDE (repository_id, version) WHERE evidence_at IS NOT NULL;
CREATE STATISTICS public.release_by_repository (dependencies) ON org_id, repository_id FROM release;
CREATE UNIQUE INDEX release_by_version ON release USING btree (org_id, repository_id, version) WHERE deleted_at IS NULL;

CREATE TABLE break_glass_request (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  release_id uuid NOT NULL,
  commit_sha text NOT NULL,
  reason text NOT NULL,
  requested_by bigint NOT NULL,
  requested_by_login text NOT NULL,
  requested_at timestamp with time zone NOT NULL,
  confirmed_by bigint,
  confirmed_by_login text,
  confirmed_at timestamp with time zone,
  withdrawn_by bigint,
  withdrawn_at timestamp with time zone,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT break_glass_request_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT break_glass_request_check CHECK (confirmed_by <> requested_by),
  CONSTRAINT break_glass_request_check1 CHECK ((confirmed_by IS NULL) = (confirmed_at IS NULL) AND (confirmed_by IS NULL) = (confirmed_by_login IS NULL)),
  CONSTRAINT break_glass_request_check2 CHECK ((withdrawn_by IS NULL) = (withdrawn_at IS NULL)),
  CONSTRAINT break_glass_request_check3 CHECK (expires_at <= (COALESCE(confirmed_at, requested_at) + '04:00:00'::interval)),
  CONSTRAINT break_glass_request_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
);
CREATE INDEX break_glass_request_by_end ON break_glass_request USING btree (org_id, expires_at) WHERE withdrawn_at IS NULL;
CREATE INDEX break_glass_request_by_release ON break_glass_request USING btree (org_id, release_id, expires_at);

CREATE TABLE decision (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  sequence bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  release_id uuid NOT NULL,
  at timestamp with time zone NOT NULL,
  open boolean NOT NULL,
  candidate_sha text,
  policy_digest text,
  verdict jsonb NOT NULL,
  inputs jsonb NOT NULL,
  CONSTRAINT decision_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT decision_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
);
CREATE INDEX decision_by_release ON decision USING btree (org_id, release_id, sequence DESC);

CREATE TABLE deployment (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  github_id bigint NOT NULL,
  sha text NOT NULL,
  environment text NOT NULL,
  creator text,
  state text NOT NULL,
  began_at timestamp with time zone NOT NULL,
  succeeded_at timestamp with time zone,
  observed_at timestamp with time zone NOT NULL,
  waiting boolean DEFAULT false NOT NULL,
  CONSTRAINT deployment_pkey PRIMARY KEY (org_id, repository_id, github_id),
  CONSTRAINT deployment_state_check CHECK (state = ANY (ARRAY['success'::text, 'failure'::text, 'pending'::text, 'inactive'::text])),
  CONSTRAINT deployment_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);
CREATE INDEX deployment_waiting ON deployment USING btree (org_id, repository_id) WHERE waiting;

CREATE TABLE deployment_freeze (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  from_day date NOT NULL,
  to_day date NOT NULL,
  reason text NOT NULL,
  made_by bigint NOT NULL,
  made_at timestamp with time zone NOT NULL,
  lifted_by bigint,
  lifted_at timestamp with time zone,
  CONSTRAINT deployment_freeze_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT deployment_freeze_check CHECK (to_day >= from_day),
  CONSTRAINT deployment_freeze_check1 CHECK ((lifted_by IS NULL) = (lifted_at IS NULL)),
  CONSTRAINT deployment_freeze_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);
CREATE INDEX deployment_freeze_by_end ON deployment_freeze USING btree (org_id, to_day);

CREATE TABLE deployment_hold (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  repository_id uuid NOT NULL,
  run_id bigint NOT NULL,
  run_attempt integer,
  environment text NOT NULL,
  sha text,
  deployment_github_ids bigint[] DEFAULT '{}'::bigint[] NOT NULL,
  requested_at timestamp with time zone NOT NULL,
  state text DEFAULT 'waiting'::text NOT NULL,
  release_id uuid,
  decision_id uuid,
  sent_at timestamp with time zone,
  ended_at timestamp with time zone,
  reported_digest text,
  reported_at timestamp with time zone,
  reports integer DEFAULT 0 NOT NULL,
  CONSTRAINT deployment_hold_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT deployment_hold_check CHECK (state <> 'approved'::text OR release_id IS NOT NULL AND decision_id IS NOT NULL AND sent_at IS NOT NULL),
  CONSTRAINT deployment_hold_state_check CHECK (state = ANY (ARRAY['waiting'::text, 'approved'::text, 'rejected'::text, 'gone'::text])),
  CONSTRAINT deployment_hold_org_id_decision_id_fkey FOREIGN KEY (org_id, decision_id) REFERENCES decision(org_id, id),
  CONSTRAINT deployment_hold_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT deployment_hold_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
);
CREATE INDEX deployment_hold_approved ON deployment_hold USING btree (org_id, repository_id, sha) WHERE state = 'approved'::text;
CREATE INDEX deployment_hold_by_run ON deployment_hold USING btree (org_id, repository_id, run_id);
CREATE UNIQUE INDEX deployment_hold_waiting ON deployment_hold USING btree (org_id, repository_id, run_id, environment) WHERE state = 'waiting'::text;

CREATE TABLE deployment_record (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  repository_id uuid NOT NULL,
  release_id uuid,
  version text,
  kind text NOT NULL,
  commit_sha text NOT NULL,
  environment text NOT NULL,
  deployment_github_id bigint,
  deployed_at timestamp with time zone NOT NULL,
  deployed_by text,
  approvers jsonb NOT NULL,
  decision_id uuid,
  lead_time_seconds bigint,
  recorded_at timestamp with time zone NOT NULL,
  scope jsonb,
  recorded_by bigint,
  note text,
  overrides jsonb DEFAULT '[]'::jsonb NOT NULL,
  score numeric,
  CONSTRAINT deployment_record_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT deployment_record_org_id_repository_id_deployment_github_id_key UNIQUE (org_id, repository_id, deployment_github_id),
  CONSTRAINT deployment_record_kind_check CHECK (kind = ANY (ARRAY['release'::text, 'hotfix'::text, 'rollback'::text, 'ungoverned'::text])),
  CONSTRAINT deployment_record_org_id_decision_id_fkey FOREIGN KEY (org_id, decision_id) REFERENCES decision(org_id, id),
  CONSTRAINT deployment_record_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT deployment_record_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
);
CREATE INDEX deployment_record_by_commit ON deployment_record USING btree (org_id, commit_sha COLLATE "C", id);
CREATE INDEX deployment_record_by_environment ON deployment_record USING btree (org_id, environment) INCLUDE (repository_id);
CREATE INDEX deployment_record_by_time ON deployment_record USING btree (org_id, deployed_at DESC, id) INCLUDE (repository_id);
CREATE INDEX deployment_record_of_kind ON deployment_record USING btree (org_id, kind, deployed_at DESC, id) INCLUDE (repository_id, version, environment);
CREATE INDEX deployment_record_of_release ON deployment_record USING btree (org_id, release_id, deployed_at);
CREATE INDEX deployment_record_of_repository ON deployment_record USING btree (org_id, repository_id, deployed_at DESC, id);
CREATE INDEX deployment_record_of_shipped_releases ON deployment_record USING btree (org_id, repository_id, deployed_at DESC, id) WHERE release_id IS NOT NULL AND (kind = ANY (ARRAY['release'::text, 'hotfix'::text]));

CREATE TABLE event (
  org_id uuid NOT NULL,
  entry bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  id bigint,
  type text NOT NULL,
  repository_id uuid,
  release_id uuid,
  at timestamp with time zone NOT NULL,
  what text,
  CONSTRAINT event_pkey PRIMARY KEY (org_id, entry),
  CONSTRAINT event_org_id_id_key UNIQUE (org_id, id),
  CONSTRAINT event_type_check CHECK (type = ANY (ARRAY['sync.started'::text, 'sync.progress'::text, 'sync.completed'::text, 'sync.failed'::text, 'release.updated'::text, 'review.updated'::text, 'repo.updated'::text, 'evidence.received'::text, 'workspace.updated'::text])),
  CONSTRAINT event_what_check CHECK (what = ANY (ARRAY['members'::text, 'keys'::text, 'plan'::text, 'freezes'::text, 'projects'::text])),
  CONSTRAINT event_workspace_check CHECK ((type = 'workspace.updated'::text) = (what IS NOT NULL)),
  CONSTRAINT event_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id),
  CONSTRAINT event_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT event_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
);
CREATE INDEX event_by_time ON event USING btree (org_id, at);

CREATE TABLE event_sequence (
  org_id uuid NOT NULL,
  last_id bigint NOT NULL,
  CONSTRAINT event_sequence_pkey PRIMARY KEY (org_id),
  CONSTRAINT event_sequence_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);

CREATE TABLE evidence_pull_request (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  release_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  number integer NOT NULL,
  url text NOT NULL,
  branch text NOT NULL,
  base_ref text NOT NULL,
  head_sha text NOT NULL,
  commit_shas text[] NOT NULL,
  files jsonb NOT NULL,
  candidate_sha text NOT NULL,
  evidence_set_digest text NOT NULL,
  merge_approval jsonb,
  opened_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  abandoned_at timestamp with time zone,
  CONSTRAINT evidence_pull_request_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT evidence_pull_request_org_id_repository_id_number_key UNIQUE (org_id, repository_id, number),
  CONSTRAINT evidence_pull_request_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT evidence_pull_request_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
);
CREATE INDEX evidence_pull_request_by_release ON evidence_pull_request USING btree (org_id, release_id, opened_at DESC);

CREATE TABLE gate_confirmation (
  org_id uuid NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  release_id uuid NOT NULL,
  decision_id uuid NOT NULL,
  confirmed_at timestamp with time zone NOT NULL,
  open_until timestamp with time zone,
  CONSTRAINT gate_confirmation_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT gate_confirmation_org_id_decision_id_fkey FOREIGN KEY (org_id, decision_id) REFERENCES decision(org_id, id),
  CONSTRAINT gate_confirmation_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
);
CREATE INDEX gate_confirmation_by_release ON gate_confirmation USING btree (org_id, release_id, id DESC);

CREATE TABLE project (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  lower_name text COLLATE "C" NOT NULL,
  description text,
  lower_description text COLLATE "C",
  target_date date,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT project_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT project_org_id_lower_name_key UNIQUE (org_id, lower_name),
  CONSTRAINT project_check CHECK ((description IS NULL) = (lower_description IS NULL)),
  CONSTRAINT project_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);
CREATE INDEX project_by_update ON project USING btree (org_id, updated_at DESC, id);

CREATE TABLE project_repository (
  org_id uuid NOT NULL,
  project_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  release_id uuid,
  CONSTRAINT project_repository_pkey PRIMARY KEY (org_id, project_id, repository_id),
  CONSTRAINT project_repository_org_id_project_id_fkey FOREIGN KEY (org_id, project_id) REFERENCES project(org_id, id) ON DELETE CASCADE,
  CONSTRAINT project_repository_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT project_repository_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
);

CREATE TABLE promotion (
  org_id uuid NOT NULL,
  release_id uuid NOT NULL,
  candidate_sha text NOT NULL,
  candidate_shas text[] NOT NULL,
  claimed_at timestamp with time zone NOT NULL,
  outcome text,
  CONSTRAINT promotion_pkey PRIMARY KEY (org_id, release_id, candidate_sha),
  CONSTRAINT promotion_outcome_check CHECK (outcome = ANY (ARRAY['sent'::text, 'unknown'::text])),
  CONSTRAINT promotion_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
);

CREATE TABLE published_evidence (
  org_id uuid NOT NULL,
  release_id uuid NOT NULL,
  path text NOT NULL,
  blob_sha text NOT NULL,
  content text NOT NULL,
  published_at timestamp with time zone NOT NULL,
  CONSTRAINT published_evidence_pkey PRIMARY KEY (org_id, release_id, path, blob_sha),
  CONSTRAINT published_evidence_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
);

CREATE TABLE scope_lock (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  issue_number integer NOT NULL,
  release_id uuid NOT NULL,
  lock_token uuid NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT scope_lock_pkey PRIMARY KEY (org_id, repository_id, issue_number),
  CONSTRAINT scope_lock_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT scope_lock_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
);
CREATE INDEX scope_lock_by_release ON scope_lock USING btree (org_id, release_id);

CREATE TABLE stage_transition (
  org_id uuid NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  release_id uuid NOT NULL,
  from_stage text,
  to_stage text NOT NULL,
  cause text NOT NULL,
  actor text NOT NULL,
  at timestamp with time zone NOT NULL,
  input_digest text NOT NULL,
  CONSTRAINT stage_transition_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT stage_transition_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
);
CREATE INDEX stage_transition_by_release ON stage_transition USING btree (org_id, release_id, id);

CREATE TABLE waiver (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  release_id uuid NOT NULL,
  condition text NOT NULL,
  details text[] NOT NULL,
  candidate_sha text NOT NULL,
  reason text NOT NULL,
  requested_by bigint NOT NULL,
  requested_by_login text NOT NULL,
  requested_at timestamp with time zone NOT NULL,
  confirmed_by bigint,
  confirmed_by_login text,
  confirmed_at timestamp with time zone,
  withdrawn_by bigint,
  withdrawn_at timestamp with time zone,
  expires_at timestamp with time zone NOT NULL,
  subjects jsonb NOT NULL,
  CONSTRAINT waiver_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT waiver_check CHECK (confirmed_by <> requested_by),
  CONSTRAINT waiver_check1 CHECK ((confirmed_by IS NULL) = (confirmed_at IS NULL) AND (confirmed_by IS NULL) = (confirmed_by_login IS NULL)),
  CONSTRAINT waiver_check2 CHECK ((withdrawn_by IS NULL) = (withdrawn_at IS NULL)),
  CONSTRAINT waiver_check3 CHECK (expires_at <= (requested_at + '7 days'::interval)),
  CONSTRAINT waiver_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
);
CREATE INDEX waiver_by_end ON waiver USING btree (org_id, expires_at) WHERE withdrawn_at IS NULL;
CREATE INDEX waiver_by_release ON waiver USING btree (org_id, release_id, expires_at);
`;
