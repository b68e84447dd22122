/** The tables of a workspace, its members, its keys, its audit log and its syncs. */
export const WORKSPACE_TABLES = `
CREATE TABLE organization (
  org_id uuid NOT NULL,
  github_id bigint NOT NULL,
  login text NOT NULL,
  installation_id bigint,
  suspended_at timestamp with time zone,
  plan text DEFAULT 'free'::text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  granted_permissions jsonb,
  reads_actions boolean GENERATED ALWAYS AS (COALESCE(((granted_permissions ->> 'actions'::text) = ANY (ARRAY['read'::text, 'write'::text])), false)) STORED NOT NULL,
  CONSTRAINT organization_pkey PRIMARY KEY (org_id),
  CONSTRAINT organization_github_id_key UNIQUE (github_id),
  CONSTRAINT organization_installation_id_key UNIQUE (installation_id),
  CONSTRAINT organization_plan_check CHECK (plan = ANY (ARRAY['free'::text, 'pro'::text]))
);

CREATE TABLE api_key (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  secret_hash bytea NOT NULL,
  scopes text[] NOT NULL,
  repository_ids uuid[],
  created_by text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  CONSTRAINT api_key_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT api_key_secret_hash_key UNIQUE (secret_hash),
  CONSTRAINT api_key_scopes_check CHECK (scopes <@ ARRAY['evidence:write'::text, 'gate:read'::text] AND cardinality(scopes) > 0),
  CONSTRAINT api_key_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);

CREATE TABLE audit_entry (
  org_id uuid NOT NULL,
  sequence bigint NOT NULL,
  id uuid NOT NULL,
  at timestamp with time zone NOT NULL,
  actor jsonb NOT NULL,
  action text NOT NULL,
  subject text NOT NULL,
  data jsonb NOT NULL,
  previous_hash text NOT NULL,
  hash text NOT NULL,
  repository_ids uuid[] NOT NULL,
  CONSTRAINT audit_entry_pkey PRIMARY KEY (org_id, sequence),
  CONSTRAINT audit_entry_org_id_id_key UNIQUE (org_id, id),
  CONSTRAINT audit_entry_sequence_check CHECK (sequence > 0),
  CONSTRAINT audit_entry_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);
CREATE INDEX audit_entry_by_action ON audit_entry USING btree (org_id, action, sequence);
CREATE INDEX audit_entry_by_time ON audit_entry USING btree (org_id, at);

CREATE TABLE invite (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  person bigint,
  login text,
  role text NOT NULL,
  auditor boolean DEFAULT false NOT NULL,
  created_by bigint NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  accepted_by bigint,
  accepted_at timestamp with time zone,
  revoked_at timestamp with time zone,
  CONSTRAINT invite_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT invite_role_check CHECK (role = ANY (ARRAY['member'::text, 'admin'::text])),
  CONSTRAINT invite_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);
CREATE UNIQUE INDEX invite_once_a_person ON invite USING btree (org_id, person) WHERE accepted_at IS NULL AND revoked_at IS NULL;

CREATE TABLE member (
  org_id uuid NOT NULL,
  person bigint NOT NULL,
  role text NOT NULL,
  joined_at timestamp with time zone NOT NULL,
  confirmed_at timestamp with time zone NOT NULL,
  doubted_at timestamp with time zone,
  access_observed_at timestamp with time zone,
  access_doubts integer DEFAULT 0 NOT NULL,
  auditor boolean DEFAULT false NOT NULL,
  CONSTRAINT member_pkey PRIMARY KEY (org_id, person),
  CONSTRAINT member_role_check CHECK (role = ANY (ARRAY['member'::text, 'admin'::text])),
  CONSTRAINT member_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);

CREATE TABLE personal_key (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  person bigint NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  secret_hash bytea NOT NULL,
  scope text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  CONSTRAINT personal_key_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT personal_key_secret_hash_key UNIQUE (secret_hash),
  CONSTRAINT personal_key_scope_check CHECK (scope = ANY (ARRAY['read'::text, 'write'::text])),
  CONSTRAINT personal_key_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);
CREATE INDEX personal_key_by_person ON personal_key USING btree (org_id, person, created_at DESC, id);

CREATE TABLE repository_access (
  org_id uuid NOT NULL,
  person bigint NOT NULL,
  repository_github_id bigint NOT NULL,
  CONSTRAINT repository_access_pkey PRIMARY KEY (org_id, person, repository_github_id),
  CONSTRAINT repository_access_org_id_person_fkey FOREIGN KEY (org_id, person) REFERENCES member(org_id, person) ON DELETE CASCADE
);

CREATE TABLE storage_usage_change (
  org_id uuid NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  bytes bigint NOT NULL,
  CONSTRAINT storage_usage_change_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT storage_usage_change_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);

CREATE TABLE sync_follow_up (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  repository_ids uuid[],
  asked_at timestamp with time zone NOT NULL,
  CONSTRAINT sync_follow_up_pkey PRIMARY KEY (org_id),
  CONSTRAINT sync_follow_up_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);

CREATE TABLE sync_run (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  begun_at timestamp with time zone NOT NULL,
  listed_at timestamp with time zone,
  finished_at timestamp with time zone,
  failure text,
  number bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  CONSTRAINT sync_run_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT sync_run_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);
CREATE INDEX sync_run_by_time ON sync_run USING btree (org_id, begun_at);
CREATE UNIQUE INDEX sync_run_under_way ON sync_run USING btree (org_id) WHERE finished_at IS NULL;

CREATE TABLE upgrade_request (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  status text NOT NULL,
  note text,
  requested_by bigint NOT NULL,
  requested_at timestamp with time zone NOT NULL,
  decided_by bigint,
  decided_at timestamp with time zone,
  payment_reference text,
  reason text,
  CONSTRAINT upgrade_request_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT upgrade_request_status_check CHECK (status = ANY (ARRAY['open'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text])),
  CONSTRAINT upgrade_request_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);
CREATE UNIQUE INDEX upgrade_request_open_once ON upgrade_request USING btree (org_id) WHERE status = 'open'::text;
`;
