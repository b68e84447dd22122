/** Numbers the facts in the order in which they were read. */
export const SEQUENCES = `
CREATE SEQUENCE fact_number AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;
`;

/** The tables of repositories, of their workflow files and rulesets, and of the facts that were read from GitHub. */
export const REPOSITORY_TABLES = `
CREATE TABLE repository (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  github_id bigint NOT NULL,
  name text NOT NULL,
  lower_name text COLLATE "C" GENERATED ALWAYS AS (lower(name)) STORED NOT NULL,
  private boolean NOT NULL,
  default_branch text NOT NULL,
  managed_at timestamp with time zone,
  removed_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT repository_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT repository_org_id_github_id_key UNIQUE (org_id, github_id),
  CONSTRAINT repository_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);
CREATE INDEX repository_by_name ON repository USING btree (org_id, lower_name) WHERE removed_at IS NULL;
CREATE INDEX repository_names ON repository USING btree (org_id) INCLUDE (id, lower_name, name, private, github_id);
CREATE INDEX repository_readable ON repository USING btree (org_id) INCLUDE (id, github_id, private);

CREATE TABLE fact_hint (
  org_id uuid NOT NULL,
  repository_id uuid,
  kind text,
  key text,
  number bigint NOT NULL,
  hinted_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT fact_hint_org_id_repository_id_kind_key_key UNIQUE NULLS NOT DISTINCT (org_id, repository_id, kind, key),
  CONSTRAINT fact_hint_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);
CREATE INDEX fact_hint_by_number ON fact_hint USING btree (org_id, number);

CREATE TABLE ignored_milestone (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  milestone_github_id bigint NOT NULL,
  number integer NOT NULL,
  title text NOT NULL,
  reason text NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  CONSTRAINT ignored_milestone_pkey PRIMARY KEY (org_id, repository_id, milestone_github_id),
  CONSTRAINT ignored_milestone_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);

CREATE TABLE observation (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  kind text NOT NULL,
  key text NOT NULL,
  value jsonb NOT NULL,
  observed_at timestamp with time zone NOT NULL,
  read_number bigint DEFAULT 0 NOT NULL,
  CONSTRAINT observation_pkey PRIMARY KEY (org_id, repository_id, kind, key),
  CONSTRAINT observation_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);
CREATE INDEX observation_of_freezes ON observation USING btree (org_id, repository_id) WHERE kind = 'policy'::text AND key = ''::text AND (value #> '{policy,freezes}'::text[]) <> '[]'::jsonb;
CREATE INDEX observation_of_reviewers ON observation USING btree (org_id, kind, key, repository_id) WHERE kind = ANY (ARRAY['policy'::text, 'permission'::text, 'team'::text]);
CREATE STATISTICS public.observation_kind_by_key (dependencies) ON kind, key FROM observation;

CREATE TABLE protection_rule (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  environment text NOT NULL,
  status text NOT NULL,
  admins_may_bypass boolean,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT protection_rule_pkey PRIMARY KEY (org_id, repository_id),
  CONSTRAINT protection_rule_status_check CHECK (status = ANY (ARRAY['active'::text, 'missing'::text, 'advisory'::text])),
  CONSTRAINT protection_rule_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);

CREATE TABLE repository_count_change (
  org_id uuid NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  repository_id uuid NOT NULL,
  blocked integer NOT NULL,
  awaiting integer NOT NULL,
  passing integer NOT NULL,
  evidenced integer NOT NULL,
  recorded integer NOT NULL,
  CONSTRAINT repository_count_change_pkey PRIMARY KEY (org_id, id)
);
CREATE INDEX repository_count_change_by_repository ON repository_count_change USING btree (org_id, repository_id) INCLUDE (blocked, awaiting, passing, evidenced, recorded);

CREATE TABLE repository_protection (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  attempt uuid NOT NULL,
  status text NOT NULL,
  detail text,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT repository_protection_pkey PRIMARY KEY (org_id, repository_id),
  CONSTRAINT repository_protection_status_check CHECK (status = ANY (ARRAY['pending'::text, 'active'::text, 'drifted'::text, 'failed'::text, 'advisory'::text])),
  CONSTRAINT repository_protection_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);

CREATE TABLE repository_setup (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  attempt uuid NOT NULL,
  step text NOT NULL,
  requested_by bigint NOT NULL,
  begun_at timestamp with time zone NOT NULL,
  took_place boolean NOT NULL,
  pull_number integer,
  pull_url text,
  detail text,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT repository_setup_pkey PRIMARY KEY (org_id, repository_id),
  CONSTRAINT repository_setup_step_check CHECK (step = ANY (ARRAY['opening'::text, 'pr_open'::text, 'closed'::text, 'merged'::text, 'protection_pending'::text, 'protection_failed'::text, 'complete'::text])),
  CONSTRAINT repository_setup_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);

CREATE TABLE repository_sync (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  run_id uuid,
  status text NOT NULL,
  detail text,
  synced_at timestamp with time zone,
  CONSTRAINT repository_sync_pkey PRIMARY KEY (org_id, repository_id),
  CONSTRAINT repository_sync_status_check CHECK (status = ANY (ARRAY['waiting'::text, 'done'::text, 'failed'::text])),
  CONSTRAINT repository_sync_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT repository_sync_org_id_run_id_fkey FOREIGN KEY (org_id, run_id) REFERENCES sync_run(org_id, id) ON DELETE SET NULL (run_id)
);
CREATE INDEX repository_sync_by_run ON repository_sync USING btree (org_id, run_id);

CREATE TABLE repository_token (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  encrypted_token text NOT NULL,
  encrypted_key text NOT NULL,
  received_at timestamp with time zone NOT NULL,
  CONSTRAINT repository_token_pkey PRIMARY KEY (org_id, repository_id),
  CONSTRAINT repository_token_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);

CREATE TABLE watched_branch (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  branch text NOT NULL,
  trunk boolean NOT NULL,
  head_sha text NOT NULL,
  intact_heads text[] NOT NULL,
  paths text[] NOT NULL,
  looked_at timestamp with time zone NOT NULL,
  CONSTRAINT watched_branch_pkey PRIMARY KEY (org_id, repository_id, branch),
  CONSTRAINT watched_branch_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);

CREATE TABLE tampered_file (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  branch text NOT NULL,
  path text NOT NULL,
  since timestamp with time zone NOT NULL,
  CONSTRAINT tampered_file_pkey PRIMARY KEY (org_id, repository_id, branch, path),
  CONSTRAINT tampered_file_org_id_repository_id_branch_fkey FOREIGN KEY (org_id, repository_id, branch) REFERENCES watched_branch(org_id, repository_id, branch) ON DELETE CASCADE
);

CREATE TABLE tampering_issue (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  path text NOT NULL,
  number integer,
  url text,
  told text,
  CONSTRAINT tampering_issue_pkey PRIMARY KEY (org_id, repository_id, path),
  CONSTRAINT tampering_issue_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);

CREATE TABLE watched_file (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  path text NOT NULL,
  since timestamp with time zone NOT NULL,
  CONSTRAINT watched_file_pkey PRIMARY KEY (org_id, repository_id, path),
  CONSTRAINT watched_file_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);

CREATE TABLE workflow_installation (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  installed_revision text NOT NULL,
  custom_ci boolean NOT NULL,
  installed_at timestamp with time zone NOT NULL,
  CONSTRAINT workflow_installation_pkey PRIMARY KEY (org_id, repository_id),
  CONSTRAINT workflow_installation_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);

CREATE TABLE workflow_job (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  id bigint NOT NULL,
  name text NOT NULL,
  CONSTRAINT workflow_job_pkey PRIMARY KEY (org_id, repository_id, id),
  CONSTRAINT workflow_job_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);

CREATE TABLE workflow_update (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  pull_number integer NOT NULL,
  pull_url text NOT NULL,
  branch text NOT NULL,
  revision text NOT NULL,
  opened_at timestamp with time zone NOT NULL,
  CONSTRAINT workflow_update_pkey PRIMARY KEY (org_id, repository_id),
  CONSTRAINT workflow_update_pull_number_check CHECK (pull_number > 0),
  CONSTRAINT workflow_update_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);
`;
