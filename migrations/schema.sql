-- The schema after all migrations, for reading. `npm run generate -- schema` writes this file, and a test compares it with the migrations.
-- First the tables, each with its indexes, policies, triggers and grants, then the sequences, the views
-- and the functions.
-- The schema's owner owns what has no OWNER line, and PUBLIC may do nothing but what a GRANT line says.

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
  CONSTRAINT api_key_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id),
  CONSTRAINT api_key_scopes_check CHECK (scopes <@ ARRAY['evidence:write'::text, 'gate:read'::text, 'deployment:write'::text] AND cardinality(scopes) > 0)
);
ALTER TABLE api_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_key FORCE ROW LEVEL SECURITY;
CREATE POLICY look_up ON api_key FOR SELECT TO shipgate_lookup
  USING (true);
CREATE POLICY tenant ON api_key
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT DELETE, INSERT, SELECT, UPDATE ON api_key TO shipgate_app;
GRANT SELECT (org_id, id, secret_hash, scopes, repository_ids, expires_at, revoked_at, last_used_at) ON api_key TO shipgate_lookup;

CREATE TABLE app_configuration (
  only_one boolean DEFAULT true NOT NULL,
  encrypted_credentials text NOT NULL,
  configured_at timestamp with time zone NOT NULL,
  CONSTRAINT app_configuration_pkey PRIMARY KEY (only_one),
  CONSTRAINT app_configuration_only_one_check CHECK (only_one)
);
GRANT INSERT, SELECT ON app_configuration TO shipgate_lookup;
GRANT UPDATE (encrypted_credentials) ON app_configuration TO shipgate_lookup;

CREATE TABLE artifact (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  sequence bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  release_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  name text NOT NULL,
  digest text NOT NULL,
  commit_sha text NOT NULL,
  commit_source text NOT NULL,
  run_id text,
  stated_by jsonb NOT NULL,
  binding text NOT NULL,
  received_at timestamp with time zone NOT NULL,
  token_id text,
  CONSTRAINT artifact_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT artifact_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT artifact_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT artifact_binding_check CHECK (binding = ANY (ARRAY['pending'::text, 'provenance'::text, 'run'::text, 'none'::text])),
  CONSTRAINT artifact_commit_source_check CHECK (commit_source = ANY (ARRAY['token'::text, 'stated'::text, 'candidate'::text, 'branch_head'::text]))
);
CREATE INDEX artifact_by_digest ON artifact USING btree (org_id, repository_id, digest, release_id);
CREATE INDEX artifact_by_release ON artifact USING btree (org_id, release_id, sequence);
CREATE INDEX artifact_of_token ON artifact USING btree (org_id, token_id) WHERE token_id IS NOT NULL;
CREATE UNIQUE INDEX artifact_once_a_run ON artifact USING btree (org_id, release_id, name, digest, commit_sha, COALESCE(run_id, stated_by ->> 'keyId'::text));
ALTER TABLE artifact ENABLE ROW LEVEL SECURITY;
ALTER TABLE artifact FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON artifact
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON artifact AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (( SELECT NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL) OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON artifact TO shipgate_app;
GRANT SELECT (org_id, release_id, repository_id, digest, binding) ON artifact TO shipgate_lookup;

CREATE TABLE artifact_bundle (
  org_id uuid NOT NULL,
  artifact_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  sha256 text NOT NULL,
  bytes bytea,
  status text NOT NULL,
  reason text,
  provenance jsonb,
  received_at timestamp with time zone NOT NULL,
  verified_at timestamp with time zone,
  CONSTRAINT artifact_bundle_pkey PRIMARY KEY (org_id, artifact_id, sha256),
  CONSTRAINT artifact_bundle_org_id_artifact_id_fkey FOREIGN KEY (org_id, artifact_id) REFERENCES artifact(org_id, id),
  CONSTRAINT artifact_bundle_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT artifact_bundle_status_check CHECK (status = ANY (ARRAY['pending'::text, 'verified'::text, 'invalid'::text]))
);
ALTER TABLE artifact_bundle ENABLE ROW LEVEL SECURITY;
ALTER TABLE artifact_bundle FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON artifact_bundle
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON artifact_bundle AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (( SELECT NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL) OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON artifact_bundle TO shipgate_app;

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
  CONSTRAINT audit_entry_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id),
  CONSTRAINT audit_entry_sequence_check CHECK (sequence > 0)
);
CREATE INDEX audit_entry_by_action ON audit_entry USING btree (org_id, action, sequence);
CREATE INDEX audit_entry_by_time ON audit_entry USING btree (org_id, at);
ALTER TABLE audit_entry ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_entry FORCE ROW LEVEL SECURITY;
CREATE POLICY look_up ON audit_entry FOR SELECT TO shipgate_lookup
  USING (true);
CREATE POLICY tenant ON audit_entry
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON audit_entry AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (( SELECT NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL) OR NOT (EXISTS ( SELECT
   FROM unnest(audit_entry.repository_ids) concerned(id)
  WHERE concerned.id IS NULL OR NOT (concerned.id IN ( SELECT r.id
           FROM repository r)))));
GRANT INSERT, SELECT ON audit_entry TO shipgate_app;
GRANT SELECT (org_id, sequence, previous_hash, hash) ON audit_entry TO shipgate_lookup;

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
  CONSTRAINT break_glass_request_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT break_glass_request_check CHECK (confirmed_by <> requested_by),
  CONSTRAINT break_glass_request_check1 CHECK ((confirmed_by IS NULL) = (confirmed_at IS NULL) AND (confirmed_by IS NULL) = (confirmed_by_login IS NULL)),
  CONSTRAINT break_glass_request_check2 CHECK ((withdrawn_by IS NULL) = (withdrawn_at IS NULL)),
  CONSTRAINT break_glass_request_check3 CHECK (expires_at <= (COALESCE(confirmed_at, requested_at) + '04:00:00'::interval))
);
CREATE INDEX break_glass_request_by_end ON break_glass_request USING btree (org_id, expires_at) WHERE withdrawn_at IS NULL;
CREATE INDEX break_glass_request_by_release ON break_glass_request USING btree (org_id, release_id, expires_at);
ALTER TABLE break_glass_request ENABLE ROW LEVEL SECURITY;
ALTER TABLE break_glass_request FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON break_glass_request
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON break_glass_request AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (EXISTS ( SELECT
   FROM release r
  WHERE r.org_id = break_glass_request.org_id AND r.id = break_glass_request.release_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON break_glass_request TO shipgate_app;

CREATE TABLE completed_soak (
  org_id uuid NOT NULL,
  release_id uuid NOT NULL,
  environment text NOT NULL,
  commit_sha text NOT NULL,
  began_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone NOT NULL,
  CONSTRAINT completed_soak_pkey PRIMARY KEY (org_id, release_id, environment, commit_sha, began_at, ended_at),
  CONSTRAINT completed_soak_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT completed_soak_order CHECK (began_at <= ended_at)
);
ALTER TABLE completed_soak ENABLE ROW LEVEL SECURITY;
ALTER TABLE completed_soak FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON completed_soak
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON completed_soak AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (EXISTS ( SELECT
   FROM release r
  WHERE r.org_id = completed_soak.org_id AND r.id = completed_soak.release_id)));
GRANT INSERT, SELECT ON completed_soak TO shipgate_app;

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
ALTER TABLE decision ENABLE ROW LEVEL SECURITY;
ALTER TABLE decision FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON decision
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON decision AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (EXISTS ( SELECT
   FROM release r
  WHERE r.org_id = decision.org_id AND r.id = decision.release_id)));
GRANT INSERT, SELECT ON decision TO shipgate_app;

CREATE TABLE delivery_scan (
  only_one boolean DEFAULT true NOT NULL,
  scanned_until timestamp with time zone NOT NULL,
  CONSTRAINT delivery_scan_pkey PRIMARY KEY (only_one),
  CONSTRAINT delivery_scan_only_one_check CHECK (only_one)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON delivery_scan TO shipgate_lookup;

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
  run_id bigint,
  open_decision_id uuid,
  CONSTRAINT deployment_pkey PRIMARY KEY (org_id, repository_id, github_id),
  CONSTRAINT deployment_org_id_open_decision_id_fkey FOREIGN KEY (org_id, open_decision_id) REFERENCES decision(org_id, id),
  CONSTRAINT deployment_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT deployment_state_check CHECK (state = ANY (ARRAY['success'::text, 'failure'::text, 'pending'::text, 'inactive'::text]))
);
CREATE INDEX deployment_of_environment ON deployment USING btree (org_id, repository_id, lower(environment), observed_at);
CREATE INDEX deployment_of_open_decision ON deployment USING btree (org_id, open_decision_id) WHERE open_decision_id IS NOT NULL;
CREATE INDEX deployment_of_run ON deployment USING btree (org_id, repository_id, run_id) WHERE run_id IS NOT NULL;
CREATE INDEX deployment_waiting ON deployment USING btree (org_id, repository_id) WHERE waiting;
ALTER TABLE deployment ENABLE ROW LEVEL SECURITY;
ALTER TABLE deployment FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON deployment
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON deployment AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON deployment TO shipgate_app;

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
  CONSTRAINT deployment_freeze_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id),
  CONSTRAINT deployment_freeze_check CHECK (to_day >= from_day),
  CONSTRAINT deployment_freeze_check1 CHECK ((lifted_by IS NULL) = (lifted_at IS NULL))
);
CREATE INDEX deployment_freeze_by_end ON deployment_freeze USING btree (org_id, to_day);
ALTER TABLE deployment_freeze ENABLE ROW LEVEL SECURITY;
ALTER TABLE deployment_freeze FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON deployment_freeze
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT DELETE, INSERT, SELECT, UPDATE ON deployment_freeze TO shipgate_app;

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
  CONSTRAINT deployment_hold_org_id_decision_id_fkey FOREIGN KEY (org_id, decision_id) REFERENCES decision(org_id, id),
  CONSTRAINT deployment_hold_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT deployment_hold_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT deployment_hold_check CHECK (state <> 'approved'::text OR release_id IS NOT NULL AND decision_id IS NOT NULL AND sent_at IS NOT NULL),
  CONSTRAINT deployment_hold_state_check CHECK (state = ANY (ARRAY['waiting'::text, 'approved'::text, 'rejected'::text, 'gone'::text]))
);
CREATE INDEX deployment_hold_approved ON deployment_hold USING btree (org_id, repository_id, sha) WHERE state = 'approved'::text;
CREATE INDEX deployment_hold_by_run ON deployment_hold USING btree (org_id, repository_id, run_id);
CREATE UNIQUE INDEX deployment_hold_waiting ON deployment_hold USING btree (org_id, repository_id, run_id, environment) WHERE state = 'waiting'::text;
ALTER TABLE deployment_hold ENABLE ROW LEVEL SECURITY;
ALTER TABLE deployment_hold FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON deployment_hold
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON deployment_hold AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON deployment_hold TO shipgate_app;

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
  reported_deployment_id uuid,
  CONSTRAINT deployment_record_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT deployment_record_org_id_repository_id_deployment_github_id_key UNIQUE (org_id, repository_id, deployment_github_id),
  CONSTRAINT deployment_record_org_id_decision_id_fkey FOREIGN KEY (org_id, decision_id) REFERENCES decision(org_id, id),
  CONSTRAINT deployment_record_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT deployment_record_org_id_reported_deployment_id_fkey FOREIGN KEY (org_id, reported_deployment_id) REFERENCES reported_deployment(org_id, id),
  CONSTRAINT deployment_record_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT deployment_record_kind_check CHECK (kind = ANY (ARRAY['release'::text, 'hotfix'::text, 'rollback'::text, 'ungoverned'::text]))
);
CREATE INDEX deployment_record_by_commit ON deployment_record USING btree (org_id, commit_sha COLLATE "C", id);
CREATE INDEX deployment_record_by_environment ON deployment_record USING btree (org_id, environment) INCLUDE (repository_id);
CREATE INDEX deployment_record_by_time ON deployment_record USING btree (org_id, deployed_at DESC, id) INCLUDE (repository_id);
CREATE INDEX deployment_record_of_kind ON deployment_record USING btree (org_id, kind, deployed_at DESC, id) INCLUDE (repository_id, version, environment);
CREATE INDEX deployment_record_of_release ON deployment_record USING btree (org_id, release_id, deployed_at);
CREATE UNIQUE INDEX deployment_record_of_report ON deployment_record USING btree (org_id, reported_deployment_id) WHERE reported_deployment_id IS NOT NULL;
CREATE INDEX deployment_record_of_repository ON deployment_record USING btree (org_id, repository_id, deployed_at DESC, id);
CREATE INDEX deployment_record_of_shipped_releases ON deployment_record USING btree (org_id, repository_id, deployed_at DESC, id) WHERE release_id IS NOT NULL AND (kind = ANY (ARRAY['release'::text, 'hotfix'::text]));
ALTER TABLE deployment_record ENABLE ROW LEVEL SECURITY;
ALTER TABLE deployment_record FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON deployment_record
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON deployment_record AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (( SELECT NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL) OR (repository_id IN ( SELECT r.id
   FROM repository r)));
CREATE TRIGGER count_record AFTER INSERT OR DELETE ON deployment_record FOR EACH ROW EXECUTE FUNCTION count_record_change();
GRANT INSERT, SELECT ON deployment_record TO shipgate_app;

CREATE TABLE deployment_report (
  org_id uuid NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  deployment_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  status text NOT NULL,
  received_at timestamp with time zone NOT NULL,
  stated_at timestamp with time zone,
  reported_by jsonb,
  run_id bigint,
  run_url text,
  at_target boolean,
  can_deploy boolean,
  reasons jsonb,
  release_id uuid,
  decision_id uuid,
  has_other_bytes boolean DEFAULT false NOT NULL,
  CONSTRAINT deployment_report_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT deployment_report_org_id_decision_id_fkey FOREIGN KEY (org_id, decision_id) REFERENCES decision(org_id, id),
  CONSTRAINT deployment_report_org_id_deployment_id_fkey FOREIGN KEY (org_id, deployment_id) REFERENCES reported_deployment(org_id, id),
  CONSTRAINT deployment_report_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT deployment_report_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT deployment_report_open_check CHECK (can_deploy IS NOT TRUE OR release_id IS NOT NULL AND decision_id IS NOT NULL),
  CONSTRAINT deployment_report_source_check CHECK (status <> 'unknown'::text OR reported_by IS NULL),
  CONSTRAINT deployment_report_start_check CHECK ((status = 'started'::text OR can_deploy IS NULL) AND (can_deploy IS NULL) = (at_target IS NULL) AND (can_deploy IS NULL) = (reasons IS NULL)),
  CONSTRAINT deployment_report_status_check CHECK (status = ANY (ARRAY['started'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'unknown'::text]))
);
CREATE INDEX deployment_report_of_decision ON deployment_report USING btree (org_id, decision_id) WHERE decision_id IS NOT NULL;
CREATE INDEX deployment_report_of_run ON deployment_report USING btree (org_id, repository_id, run_id) WHERE run_id IS NOT NULL;
CREATE INDEX deployment_report_of_token ON deployment_report USING btree (org_id, (reported_by ->> 'jti'::text)) WHERE (reported_by ->> 'jti'::text) IS NOT NULL;
CREATE UNIQUE INDEX deployment_report_once ON deployment_report USING btree (org_id, deployment_id, (
CASE status
    WHEN 'started'::text THEN 1
    WHEN 'unknown'::text THEN 2
    ELSE 3
END));
CREATE INDEX deployment_report_started ON deployment_report USING btree (org_id, repository_id, received_at) WHERE status = 'started'::text;
CREATE INDEX deployment_report_succeeded ON deployment_report USING btree (org_id, repository_id, received_at DESC) WHERE status = 'succeeded'::text;
ALTER TABLE deployment_report ENABLE ROW LEVEL SECURITY;
ALTER TABLE deployment_report FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON deployment_report
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON deployment_report AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT INSERT, SELECT ON deployment_report TO shipgate_app;

CREATE TABLE event (
  org_id uuid NOT NULL,
  entry bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  id bigint,
  type text NOT NULL,
  repository_id uuid,
  release_id uuid,
  at timestamp with time zone NOT NULL,
  what text,
  CONSTRAINT assign_event_sequence TRIGGER DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT event_pkey PRIMARY KEY (org_id, entry),
  CONSTRAINT event_org_id_id_key UNIQUE (org_id, id),
  CONSTRAINT event_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id),
  CONSTRAINT event_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT event_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT event_type_check CHECK (type = ANY (ARRAY['sync.started'::text, 'sync.progress'::text, 'sync.completed'::text, 'sync.failed'::text, 'release.updated'::text, 'review.updated'::text, 'repo.updated'::text, 'evidence.received'::text, 'workspace.updated'::text, 'deployment.updated'::text, 'artifact.updated'::text])),
  CONSTRAINT event_what_check CHECK (what = ANY (ARRAY['members'::text, 'keys'::text, 'plan'::text, 'freezes'::text, 'projects'::text])),
  CONSTRAINT event_workspace_check CHECK ((type = 'workspace.updated'::text) = (what IS NOT NULL))
);
CREATE INDEX event_by_time ON event USING btree (org_id, at);
ALTER TABLE event ENABLE ROW LEVEL SECURITY;
ALTER TABLE event FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON event
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON event AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR repository_id IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
CREATE CONSTRAINT TRIGGER assign_event_sequence AFTER INSERT ON event DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION assign_event_sequence();
GRANT DELETE, INSERT, SELECT, UPDATE ON event TO shipgate_app;

CREATE TABLE event_sequence (
  org_id uuid NOT NULL,
  last_id bigint NOT NULL,
  CONSTRAINT event_sequence_pkey PRIMARY KEY (org_id),
  CONSTRAINT event_sequence_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);
ALTER TABLE event_sequence ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_sequence FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON event_sequence
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT DELETE, INSERT, SELECT, UPDATE ON event_sequence TO shipgate_app;

CREATE TABLE evidence (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  sequence bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  release_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  pipeline text NOT NULL,
  environment text NOT NULL,
  job text NOT NULL,
  run_id text,
  run_attempt bigint DEFAULT 1 NOT NULL,
  run_url text,
  commit_sha text NOT NULL,
  commit_source text NOT NULL,
  uploaded_by jsonb NOT NULL,
  items jsonb NOT NULL,
  metrics jsonb NOT NULL,
  reports jsonb NOT NULL,
  flags jsonb NOT NULL,
  sha256 text NOT NULL,
  received_at timestamp with time zone NOT NULL,
  check_run_id bigint GENERATED ALWAYS AS (
CASE
    WHEN ((uploaded_by ->> 'kind'::text) = 'identity_token'::text) THEN ((uploaded_by ->> 'checkRunId'::text))::bigint
    ELSE NULL::bigint
END) STORED,
  stated_job text,
  job_group text,
  job_total smallint,
  identified_failures jsonb,
  CONSTRAINT evidence_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT evidence_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT evidence_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT evidence_commit_source_check CHECK (commit_source = ANY (ARRAY['token'::text, 'stated'::text, 'candidate'::text, 'branch_head'::text])),
  CONSTRAINT evidence_job_group CHECK ((job_group IS NULL) = (job_total IS NULL)),
  CONSTRAINT evidence_job_total_check CHECK (job_total >= 1 AND job_total <= 256)
);
CREATE INDEX evidence_by_release ON evidence USING btree (org_id, release_id, sequence);
CREATE UNIQUE INDEX evidence_once_a_job ON evidence USING btree (org_id, release_id, md5(run_id), run_attempt, md5(job), COALESCE(check_run_id, 0::bigint), md5(pipeline), sha256) WHERE run_id IS NOT NULL;
ALTER TABLE evidence ENABLE ROW LEVEL SECURITY;
ALTER TABLE evidence FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON evidence
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON evidence AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (( SELECT NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL) OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT INSERT, SELECT ON evidence TO shipgate_app;

CREATE TABLE evidence_coverage (
  org_id uuid NOT NULL,
  evidence_id uuid NOT NULL,
  files bytea NOT NULL,
  CONSTRAINT evidence_coverage_pkey PRIMARY KEY (org_id, evidence_id),
  CONSTRAINT evidence_coverage_org_id_evidence_id_fkey FOREIGN KEY (org_id, evidence_id) REFERENCES evidence(org_id, id)
);
ALTER TABLE evidence_coverage ENABLE ROW LEVEL SECURITY;
ALTER TABLE evidence_coverage FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON evidence_coverage
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON evidence_coverage AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (EXISTS ( SELECT
   FROM evidence e
  WHERE e.org_id = evidence_coverage.org_id AND e.id = evidence_coverage.evidence_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON evidence_coverage TO shipgate_app;

CREATE TABLE evidence_facet (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  release_id uuid NOT NULL,
  kind text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  CONSTRAINT evidence_facet_pkey PRIMARY KEY (org_id, repository_id, release_id, kind, environment),
  CONSTRAINT evidence_facet_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT evidence_facet_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
) WITH (autovacuum_vacuum_insert_scale_factor=0.02);
CREATE INDEX evidence_facet_by_environment ON evidence_facet USING btree (org_id, environment, release_id) INCLUDE (repository_id);
CREATE INDEX evidence_facet_by_kind ON evidence_facet USING btree (org_id, kind, environment, release_id) INCLUDE (repository_id);
ALTER TABLE evidence_facet ENABLE ROW LEVEL SECURITY;
ALTER TABLE evidence_facet FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON evidence_facet
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON evidence_facet AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (( SELECT NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL) OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT INSERT, SELECT ON evidence_facet TO shipgate_app;

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
  CONSTRAINT evidence_pull_request_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT evidence_pull_request_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);
CREATE INDEX evidence_pull_request_by_release ON evidence_pull_request USING btree (org_id, release_id, opened_at DESC);
ALTER TABLE evidence_pull_request ENABLE ROW LEVEL SECURITY;
ALTER TABLE evidence_pull_request FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON evidence_pull_request
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON evidence_pull_request AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (( SELECT NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL) OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON evidence_pull_request TO shipgate_app;

CREATE TABLE evidence_report (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  evidence_id uuid NOT NULL,
  name text NOT NULL,
  format text NOT NULL,
  sha256 text NOT NULL,
  size integer NOT NULL,
  summary jsonb NOT NULL,
  "position" integer DEFAULT 0 NOT NULL,
  CONSTRAINT evidence_report_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT evidence_report_org_id_evidence_id_fkey FOREIGN KEY (org_id, evidence_id) REFERENCES evidence(org_id, id),
  CONSTRAINT evidence_report_org_id_sha256_fkey FOREIGN KEY (org_id, sha256) REFERENCES report_content(org_id, sha256)
);
CREATE INDEX evidence_report_by_content ON evidence_report USING btree (org_id, sha256);
CREATE INDEX evidence_report_by_evidence ON evidence_report USING btree (org_id, evidence_id);
ALTER TABLE evidence_report ENABLE ROW LEVEL SECURITY;
ALTER TABLE evidence_report FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON evidence_report
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON evidence_report AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (EXISTS ( SELECT
   FROM evidence e
  WHERE e.org_id = evidence_report.org_id AND e.id = evidence_report.evidence_id)));
GRANT INSERT, SELECT ON evidence_report TO shipgate_app;

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
ALTER TABLE fact_hint ENABLE ROW LEVEL SECURITY;
ALTER TABLE fact_hint FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON fact_hint
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT DELETE, INSERT, SELECT, UPDATE ON fact_hint TO shipgate_app;

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
ALTER TABLE gate_confirmation ENABLE ROW LEVEL SECURITY;
ALTER TABLE gate_confirmation FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON gate_confirmation
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON gate_confirmation AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (EXISTS ( SELECT
   FROM release r
  WHERE r.org_id = gate_confirmation.org_id AND r.id = gate_confirmation.release_id)));
GRANT INSERT, SELECT ON gate_confirmation TO shipgate_app;

CREATE TABLE identity_token_use (
  org_id uuid NOT NULL,
  jti text NOT NULL,
  body_sha256 text NOT NULL,
  evidence_id uuid NOT NULL,
  used_at timestamp with time zone NOT NULL,
  CONSTRAINT identity_token_use_pkey PRIMARY KEY (org_id, jti, body_sha256),
  CONSTRAINT identity_token_use_org_id_evidence_id_fkey FOREIGN KEY (org_id, evidence_id) REFERENCES evidence(org_id, id)
);
ALTER TABLE identity_token_use ENABLE ROW LEVEL SECURITY;
ALTER TABLE identity_token_use FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON identity_token_use
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT DELETE, INSERT, SELECT, UPDATE ON identity_token_use TO shipgate_app;

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
ALTER TABLE ignored_milestone ENABLE ROW LEVEL SECURITY;
ALTER TABLE ignored_milestone FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON ignored_milestone
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON ignored_milestone AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON ignored_milestone TO shipgate_app;

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
  CONSTRAINT invite_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id),
  CONSTRAINT invite_role_check CHECK (role = ANY (ARRAY['member'::text, 'admin'::text]))
);
CREATE UNIQUE INDEX invite_once_a_person ON invite USING btree (org_id, person) WHERE accepted_at IS NULL AND revoked_at IS NULL;
ALTER TABLE invite ENABLE ROW LEVEL SECURITY;
ALTER TABLE invite FORCE ROW LEVEL SECURITY;
CREATE POLICY look_up ON invite FOR SELECT TO shipgate_lookup
  USING (true);
CREATE POLICY tenant ON invite
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT DELETE, INSERT, SELECT, UPDATE ON invite TO shipgate_app;
GRANT SELECT (org_id, id) ON invite TO shipgate_lookup;

CREATE TABLE login_attempt (
  secret_hash bytea NOT NULL,
  return_to text NOT NULL,
  started_at timestamp with time zone NOT NULL,
  CONSTRAINT login_attempt_pkey PRIMARY KEY (secret_hash)
);
CREATE INDEX login_attempt_by_time ON login_attempt USING btree (started_at);
GRANT DELETE, INSERT, SELECT ON login_attempt TO shipgate_lookup;

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
  CONSTRAINT member_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id),
  CONSTRAINT member_role_check CHECK (role = ANY (ARRAY['member'::text, 'admin'::text]))
);
ALTER TABLE member ENABLE ROW LEVEL SECURITY;
ALTER TABLE member FORCE ROW LEVEL SECURITY;
CREATE POLICY look_up ON member FOR SELECT TO shipgate_lookup
  USING (true);
CREATE POLICY tenant ON member
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE TRIGGER announce_removal AFTER DELETE ON member FOR EACH ROW EXECUTE FUNCTION notify_member_removal();
GRANT DELETE, INSERT, SELECT, UPDATE ON member TO shipgate_app;
GRANT SELECT (org_id, person, role, confirmed_at, access_observed_at, auditor) ON member TO shipgate_lookup;

CREATE TABLE missed_delivery (
  guid text NOT NULL,
  delivery_id bigint NOT NULL,
  redelivery_count integer DEFAULT 0 NOT NULL,
  next_redelivery_at timestamp with time zone NOT NULL,
  detected_at timestamp with time zone NOT NULL,
  CONSTRAINT missed_delivery_pkey PRIMARY KEY (guid)
);
CREATE INDEX missed_delivery_by_turn ON missed_delivery USING btree (next_redelivery_at);
GRANT DELETE, INSERT, SELECT, UPDATE ON missed_delivery TO shipgate_lookup;

CREATE TABLE observation (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  kind text NOT NULL,
  key text NOT NULL,
  value jsonb NOT NULL,
  observed_at timestamp with time zone NOT NULL,
  read_number bigint DEFAULT 0 NOT NULL,
  known_since timestamp with time zone,
  known_until timestamp with time zone,
  moments jsonb,
  CONSTRAINT observation_pkey PRIMARY KEY (org_id, repository_id, kind, key),
  CONSTRAINT observation_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);
CREATE INDEX observation_of_freezes ON observation USING btree (org_id, repository_id) WHERE kind = 'policy'::text AND key = ''::text AND (value #> '{policy,freezes}'::text[]) <> '[]'::jsonb;
CREATE INDEX observation_of_reviewers ON observation USING btree (org_id, kind, key, repository_id) WHERE kind = ANY (ARRAY['policy'::text, 'permission'::text, 'team'::text]);
CREATE STATISTICS public.observation_kind_by_key (dependencies) ON kind, key FROM observation;
ALTER TABLE observation ENABLE ROW LEVEL SECURITY;
ALTER TABLE observation FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON observation
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON observation AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (( SELECT NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL) OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON observation TO shipgate_app;

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
ALTER TABLE organization ENABLE ROW LEVEL SECURITY;
ALTER TABLE organization FORCE ROW LEVEL SECURITY;
CREATE POLICY look_up ON organization FOR SELECT TO shipgate_lookup
  USING (true);
CREATE POLICY tenant ON organization
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT DELETE, INSERT, SELECT, UPDATE ON organization TO shipgate_app;
GRANT SELECT (org_id, github_id, login, installation_id, suspended_at, plan) ON organization TO shipgate_lookup;

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
  CONSTRAINT personal_key_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id),
  CONSTRAINT personal_key_scope_check CHECK (scope = ANY (ARRAY['read'::text, 'write'::text]))
);
CREATE INDEX personal_key_by_person ON personal_key USING btree (org_id, person, created_at DESC, id);
ALTER TABLE personal_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE personal_key FORCE ROW LEVEL SECURITY;
CREATE POLICY look_up ON personal_key FOR SELECT TO shipgate_lookup
  USING (true);
CREATE POLICY tenant ON personal_key
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT DELETE, INSERT, SELECT, UPDATE ON personal_key TO shipgate_app;
GRANT SELECT (org_id, id, person, secret_hash, scope, expires_at, revoked_at, last_used_at) ON personal_key TO shipgate_lookup;

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
  CONSTRAINT project_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id),
  CONSTRAINT project_check CHECK ((description IS NULL) = (lower_description IS NULL))
);
CREATE INDEX project_by_update ON project USING btree (org_id, updated_at DESC, id);
ALTER TABLE project ENABLE ROW LEVEL SECURITY;
ALTER TABLE project FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON project
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT DELETE, INSERT, SELECT, UPDATE ON project TO shipgate_app;

CREATE TABLE project_repository (
  org_id uuid NOT NULL,
  project_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  release_id uuid,
  CONSTRAINT project_repository_pkey PRIMARY KEY (org_id, project_id, repository_id),
  CONSTRAINT project_repository_org_id_project_id_fkey FOREIGN KEY (org_id, project_id) REFERENCES project(org_id, id) ON DELETE CASCADE,
  CONSTRAINT project_repository_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT project_repository_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);
ALTER TABLE project_repository ENABLE ROW LEVEL SECURITY;
ALTER TABLE project_repository FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON project_repository
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON project_repository AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON project_repository TO shipgate_app;

CREATE TABLE promotion (
  org_id uuid NOT NULL,
  release_id uuid NOT NULL,
  candidate_sha text NOT NULL,
  candidate_shas text[] NOT NULL,
  claimed_at timestamp with time zone NOT NULL,
  outcome text,
  CONSTRAINT promotion_pkey PRIMARY KEY (org_id, release_id, candidate_sha),
  CONSTRAINT promotion_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT promotion_outcome_check CHECK (outcome = ANY (ARRAY['sent'::text, 'unknown'::text]))
);
ALTER TABLE promotion ENABLE ROW LEVEL SECURITY;
ALTER TABLE promotion FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON promotion
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON promotion AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (EXISTS ( SELECT
   FROM release r
  WHERE r.org_id = promotion.org_id AND r.id = promotion.release_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON promotion TO shipgate_app;

CREATE TABLE protection_rule (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  environment text NOT NULL,
  status text NOT NULL,
  admins_may_bypass boolean,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT protection_rule_pkey PRIMARY KEY (org_id, repository_id),
  CONSTRAINT protection_rule_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT protection_rule_status_check CHECK (status = ANY (ARRAY['active'::text, 'missing'::text, 'advisory'::text]))
);
ALTER TABLE protection_rule ENABLE ROW LEVEL SECURITY;
ALTER TABLE protection_rule FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON protection_rule
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON protection_rule AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON protection_rule TO shipgate_app;

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
ALTER TABLE published_evidence ENABLE ROW LEVEL SECURITY;
ALTER TABLE published_evidence FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON published_evidence
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON published_evidence AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (EXISTS ( SELECT
   FROM release r
  WHERE r.org_id = published_evidence.org_id AND r.id = published_evidence.release_id)));
GRANT INSERT, SELECT ON published_evidence TO shipgate_app;

CREATE TABLE published_workflow (
  path text NOT NULL,
  blob_sha text NOT NULL,
  revision text NOT NULL,
  published_at timestamp with time zone NOT NULL,
  CONSTRAINT published_workflow_pkey PRIMARY KEY (path, blob_sha),
  CONSTRAINT published_workflow_blob_sha_check CHECK (blob_sha ~ '^[0-9a-f]{40}$'::text)
);
GRANT INSERT, SELECT ON published_workflow TO shipgate_lookup;

CREATE UNLOGGED TABLE rate_limit_window (
  key text NOT NULL,
  window_start timestamp with time zone NOT NULL,
  used integer NOT NULL,
  granted integer NOT NULL,
  CONSTRAINT rate_limit_window_pkey PRIMARY KEY (key),
  CONSTRAINT rate_limit_window_granted_check CHECK (granted >= 0),
  CONSTRAINT rate_limit_window_key_check CHECK (length(key) <= 400),
  CONSTRAINT rate_limit_window_used_check CHECK (used >= 0)
) WITH (fillfactor=50);
GRANT DELETE, INSERT, SELECT, UPDATE ON rate_limit_window TO shipgate_lookup;

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
  accepted_digests text[] DEFAULT '{}'::text[] NOT NULL,
  CONSTRAINT release_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT release_org_id_repository_id_milestone_github_id_key UNIQUE (org_id, repository_id, milestone_github_id),
  CONSTRAINT release_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT release_stage_check CHECK (stage = ANY (ARRAY['PLANNING'::text, 'DEVELOPMENT'::text, 'TESTING'::text, 'EVIDENCING'::text, 'DEPLOYMENT'::text, 'DEPLOYED'::text]))
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX release_active ON release USING btree (org_id, updated_at DESC, id) INCLUDE (repository_id, list_status, ready_until, lower_version) WHERE shipped_at IS NULL AND cancelled_at IS NULL AND deleted_at IS NULL;
CREATE INDEX release_by_candidate ON release USING btree (org_id, candidate_sha COLLATE "C", id) WHERE candidate_sha IS NOT NULL;
CREATE INDEX release_by_evidence ON release USING btree (org_id, evidence_at DESC, id) INCLUDE (repository_id, version) WHERE evidence_at IS NOT NULL;
CREATE INDEX release_by_milestone ON release USING btree (org_id, repository_id, milestone_number);
CREATE INDEX release_by_urgency ON release USING btree (org_id, (list_status <> 'b'::"char"), due_on, updated_at DESC, id) INCLUDE (repository_id, list_status, ready_until, lower_version) WHERE shipped_at IS NULL AND cancelled_at IS NULL AND deleted_at IS NULL;
CREATE UNIQUE INDEX release_by_version ON release USING btree (org_id, repository_id, version) WHERE deleted_at IS NULL;
CREATE INDEX release_by_version_order ON release USING btree (org_id, repository_id, version_order DESC, id);
CREATE INDEX release_of_many_authors ON release USING btree (org_id, id) WHERE stage = 'EVIDENCING'::text AND NOT evidence_approved AND shipped_at IS NULL AND cancelled_at IS NULL AND deleted_at IS NULL AND pull_number IS NOT NULL AND pull_state IS DISTINCT FROM 'merged'::text AND author_count > 32;
CREATE INDEX release_opened ON release USING btree (org_id, ready_until) INCLUDE (repository_id, list_status) WHERE ready_until IS NOT NULL AND list_status <> 'b'::"char" AND shipped_at IS NULL AND cancelled_at IS NULL AND deleted_at IS NULL;
CREATE INDEX release_to_be_read ON release USING btree (org_id, pull_seen_at NULLS FIRST, updated_at DESC, id) INCLUDE (repository_id, valid_until, evaluated_at, author_count, pull_state) WHERE stage = 'EVIDENCING'::text AND NOT evidence_approved AND shipped_at IS NULL AND cancelled_at IS NULL AND deleted_at IS NULL AND pull_number IS NOT NULL AND pull_state IS DISTINCT FROM 'merged'::text;
CREATE INDEX release_to_review ON release USING btree (org_id, updated_at DESC, id) INCLUDE (repository_id, valid_until, evaluated_at, pull_state, pull_seen_at, few_author_ids, author_count) WHERE stage = 'EVIDENCING'::text AND NOT evidence_approved AND shipped_at IS NULL AND cancelled_at IS NULL AND deleted_at IS NULL AND pull_number IS NOT NULL AND pull_state IS DISTINCT FROM 'merged'::text;
CREATE INDEX release_versions_with_evidence ON release USING btree (org_id, version_order DESC) INCLUDE (repository_id, version) WHERE evidence_at IS NOT NULL;
CREATE STATISTICS public.release_by_repository (dependencies) ON org_id, repository_id FROM release;
ALTER TABLE release ENABLE ROW LEVEL SECURITY;
ALTER TABLE release FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON release
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON release AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (( SELECT NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL) OR (repository_id IN ( SELECT r.id
   FROM repository r)));
CREATE TRIGGER count_delete AFTER DELETE ON release FOR EACH ROW EXECUTE FUNCTION count_release_change();
CREATE TRIGGER count_insert AFTER INSERT ON release FOR EACH ROW EXECUTE FUNCTION count_release_change();
CREATE TRIGGER count_update AFTER UPDATE ON release FOR EACH ROW WHEN (old.list_status IS DISTINCT FROM new.list_status OR (old.shipped_at IS NULL) IS DISTINCT FROM (new.shipped_at IS NULL) OR (old.cancelled_at IS NULL) IS DISTINCT FROM (new.cancelled_at IS NULL) OR (old.deleted_at IS NULL) IS DISTINCT FROM (new.deleted_at IS NULL) OR (old.evidence_at IS NULL) IS DISTINCT FROM (new.evidence_at IS NULL)) EXECUTE FUNCTION count_release_change();
GRANT DELETE, INSERT, SELECT, UPDATE ON release TO shipgate_app;
GRANT SELECT ON release TO shipgate_lookup;

CREATE TABLE report_content (
  org_id uuid NOT NULL,
  sha256 text NOT NULL,
  bytes bytea STORAGE EXTERNAL NOT NULL,
  location text,
  removed_at timestamp with time zone,
  CONSTRAINT report_content_pkey PRIMARY KEY (org_id, sha256),
  CONSTRAINT report_content_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id),
  CONSTRAINT report_content_in_one_place CHECK (location IS NULL OR bytes = '\x'::bytea)
);
CREATE INDEX report_content_removed ON report_content USING btree (org_id, removed_at) WHERE removed_at IS NOT NULL AND location IS NOT NULL;
ALTER TABLE report_content ENABLE ROW LEVEL SECURITY;
ALTER TABLE report_content FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON report_content
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT INSERT, SELECT ON report_content TO shipgate_app;

CREATE TABLE report_content_block (
  org_id uuid NOT NULL,
  sha256 text NOT NULL,
  "position" integer NOT NULL,
  deflated bytea STORAGE EXTERNAL NOT NULL,
  CONSTRAINT report_content_block_pkey PRIMARY KEY (org_id, sha256, "position"),
  CONSTRAINT report_content_block_org_id_sha256_fkey FOREIGN KEY (org_id, sha256) REFERENCES report_content(org_id, sha256),
  CONSTRAINT report_content_block_position_check CHECK ("position" > 0)
);
ALTER TABLE report_content_block ENABLE ROW LEVEL SECURITY;
ALTER TABLE report_content_block FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON report_content_block
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT INSERT, SELECT ON report_content_block TO shipgate_app;

CREATE TABLE reported_deployment (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  repository_id uuid NOT NULL,
  environment text NOT NULL,
  reported_id text NOT NULL,
  commit_sha text NOT NULL,
  version text,
  release_id uuid,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT reported_deployment_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT reported_deployment_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT reported_deployment_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);
CREATE UNIQUE INDEX reported_deployment_by_reported_id ON reported_deployment USING btree (org_id, repository_id, lower(environment), reported_id);
CREATE INDEX reported_deployment_by_time ON reported_deployment USING btree (org_id, created_at DESC, id) INCLUDE (repository_id);
CREATE INDEX reported_deployment_of_release ON reported_deployment USING btree (org_id, release_id, created_at DESC, id) WHERE release_id IS NOT NULL;
CREATE INDEX reported_deployment_of_repository ON reported_deployment USING btree (org_id, repository_id, created_at DESC, id);
ALTER TABLE reported_deployment ENABLE ROW LEVEL SECURITY;
ALTER TABLE reported_deployment FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON reported_deployment
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON reported_deployment AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT INSERT, SELECT ON reported_deployment TO shipgate_app;

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
ALTER TABLE repository ENABLE ROW LEVEL SECURITY;
ALTER TABLE repository FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON repository
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON repository AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (( SELECT NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL) OR NOT private OR (github_id IN ( SELECT a.repository_github_id
   FROM repository_access a
  WHERE a.person = NULLIF(current_setting('app.viewer'::text, true), ''::text)::bigint)));
GRANT DELETE, INSERT, SELECT, UPDATE ON repository TO shipgate_app;
GRANT SELECT ON repository TO shipgate_lookup;

CREATE TABLE repository_access (
  org_id uuid NOT NULL,
  person bigint NOT NULL,
  repository_github_id bigint NOT NULL,
  CONSTRAINT repository_access_pkey PRIMARY KEY (org_id, person, repository_github_id),
  CONSTRAINT repository_access_org_id_person_fkey FOREIGN KEY (org_id, person) REFERENCES member(org_id, person) ON DELETE CASCADE
);
ALTER TABLE repository_access ENABLE ROW LEVEL SECURITY;
ALTER TABLE repository_access FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON repository_access
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT DELETE, INSERT, SELECT, UPDATE ON repository_access TO shipgate_app;

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
ALTER TABLE repository_count_change ENABLE ROW LEVEL SECURITY;
ALTER TABLE repository_count_change FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON repository_count_change
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON repository_count_change AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (( SELECT NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL) OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON repository_count_change TO shipgate_app;

CREATE TABLE repository_protection (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  attempt uuid NOT NULL,
  status text NOT NULL,
  detail text,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT repository_protection_pkey PRIMARY KEY (org_id, repository_id),
  CONSTRAINT repository_protection_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT repository_protection_status_check CHECK (status = ANY (ARRAY['pending'::text, 'active'::text, 'drifted'::text, 'failed'::text, 'advisory'::text]))
);
ALTER TABLE repository_protection ENABLE ROW LEVEL SECURITY;
ALTER TABLE repository_protection FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON repository_protection
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON repository_protection AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON repository_protection TO shipgate_app;

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
  CONSTRAINT repository_setup_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT repository_setup_step_check CHECK (step = ANY (ARRAY['opening'::text, 'pr_open'::text, 'closed'::text, 'merged'::text, 'protection_pending'::text, 'protection_failed'::text, 'complete'::text]))
);
ALTER TABLE repository_setup ENABLE ROW LEVEL SECURITY;
ALTER TABLE repository_setup FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON repository_setup
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON repository_setup AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON repository_setup TO shipgate_app;

CREATE TABLE repository_sync (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  run_id uuid,
  status text NOT NULL,
  detail text,
  synced_at timestamp with time zone,
  CONSTRAINT repository_sync_pkey PRIMARY KEY (org_id, repository_id),
  CONSTRAINT repository_sync_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT repository_sync_org_id_run_id_fkey FOREIGN KEY (org_id, run_id) REFERENCES sync_run(org_id, id) ON DELETE SET NULL (run_id),
  CONSTRAINT repository_sync_status_check CHECK (status = ANY (ARRAY['waiting'::text, 'done'::text, 'failed'::text]))
);
CREATE INDEX repository_sync_by_run ON repository_sync USING btree (org_id, run_id);
ALTER TABLE repository_sync ENABLE ROW LEVEL SECURITY;
ALTER TABLE repository_sync FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON repository_sync
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON repository_sync AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON repository_sync TO shipgate_app;

CREATE TABLE repository_token (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  encrypted_token text NOT NULL,
  encrypted_key text NOT NULL,
  received_at timestamp with time zone NOT NULL,
  CONSTRAINT repository_token_pkey PRIMARY KEY (org_id, repository_id),
  CONSTRAINT repository_token_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);
ALTER TABLE repository_token ENABLE ROW LEVEL SECURITY;
ALTER TABLE repository_token FORCE ROW LEVEL SECURITY;
CREATE POLICY look_up ON repository_token FOR SELECT TO shipgate_lookup
  USING (true);
CREATE POLICY tenant ON repository_token
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT DELETE, INSERT, SELECT, UPDATE ON repository_token TO shipgate_app;
GRANT SELECT (org_id, received_at) ON repository_token TO shipgate_lookup;

CREATE TABLE run_coverage (
  org_id uuid NOT NULL,
  release_id uuid NOT NULL,
  digest text NOT NULL,
  evidence_ids uuid[] NOT NULL,
  covered bigint,
  total bigint,
  files bytea,
  CONSTRAINT run_coverage_pkey PRIMARY KEY (org_id, release_id, digest),
  CONSTRAINT run_coverage_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT run_coverage_counts CHECK ((covered IS NULL) = (total IS NULL))
);
ALTER TABLE run_coverage ENABLE ROW LEVEL SECURITY;
ALTER TABLE run_coverage FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON run_coverage
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON run_coverage AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (EXISTS ( SELECT
   FROM release r
  WHERE r.org_id = run_coverage.org_id AND r.id = run_coverage.release_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON run_coverage TO shipgate_app;

CREATE TABLE running_artifact (
  org_id uuid NOT NULL,
  statement_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  name text NOT NULL,
  digest text NOT NULL,
  first_seen timestamp with time zone NOT NULL,
  CONSTRAINT running_artifact_pkey PRIMARY KEY (org_id, statement_id, name, digest),
  CONSTRAINT running_artifact_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT running_artifact_org_id_statement_id_fkey FOREIGN KEY (org_id, statement_id) REFERENCES running_statement(org_id, id)
);
ALTER TABLE running_artifact ENABLE ROW LEVEL SECURITY;
ALTER TABLE running_artifact FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON running_artifact
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON running_artifact AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON running_artifact TO shipgate_app;

CREATE TABLE running_statement (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  repository_id uuid NOT NULL,
  environment text NOT NULL,
  received_at timestamp with time zone NOT NULL,
  stated_at timestamp with time zone,
  CONSTRAINT running_statement_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT running_statement_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);
CREATE UNIQUE INDEX running_statement_of_environment ON running_statement USING btree (org_id, repository_id, lower(environment));
ALTER TABLE running_statement ENABLE ROW LEVEL SECURITY;
ALTER TABLE running_statement FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON running_statement
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON running_statement AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON running_statement TO shipgate_app;

CREATE TABLE scheduled_job (
  name text NOT NULL,
  due_at timestamp with time zone NOT NULL,
  CONSTRAINT scheduled_job_pkey PRIMARY KEY (name)
);
GRANT INSERT, SELECT, UPDATE ON scheduled_job TO shipgate_lookup;

CREATE TABLE schema_migration (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  "timestamp" bigint NOT NULL,
  name text NOT NULL,
  digest text,
  requires text,
  CONSTRAINT schema_migration_pkey PRIMARY KEY (id),
  CONSTRAINT schema_migration_name_key UNIQUE (name)
);
GRANT SELECT ON schema_migration TO shipgate_app;

CREATE TABLE scope_lock (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  issue_number integer NOT NULL,
  release_id uuid NOT NULL,
  lock_token uuid NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT scope_lock_pkey PRIMARY KEY (org_id, repository_id, issue_number),
  CONSTRAINT scope_lock_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT scope_lock_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);
CREATE INDEX scope_lock_by_release ON scope_lock USING btree (org_id, release_id);
ALTER TABLE scope_lock ENABLE ROW LEVEL SECURITY;
ALTER TABLE scope_lock FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON scope_lock
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT DELETE, INSERT, SELECT, UPDATE ON scope_lock TO shipgate_app;

CREATE TABLE session (
  id_hash bytea NOT NULL,
  user_id bigint NOT NULL,
  workspace_id uuid,
  created_at timestamp with time zone NOT NULL,
  last_seen_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT session_pkey PRIMARY KEY (id_hash),
  CONSTRAINT session_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(github_id)
);
CREATE INDEX session_by_last_use ON session USING btree (last_seen_at);
CREATE INDEX session_by_user ON session USING btree (user_id) WHERE ended_at IS NULL;
CREATE TRIGGER notify_session_change AFTER UPDATE ON session FOR EACH ROW WHEN (old.ended_at IS DISTINCT FROM new.ended_at OR old.workspace_id IS DISTINCT FROM new.workspace_id) EXECUTE FUNCTION notify_session_change();
GRANT DELETE, INSERT, SELECT, UPDATE ON session TO shipgate_lookup;

CREATE TABLE setup_code (
  code_hash bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT setup_code_pkey PRIMARY KEY (code_hash)
);
GRANT DELETE, INSERT, SELECT ON setup_code TO shipgate_lookup;

CREATE TABLE signing_key (
  key_id text NOT NULL,
  public_key text NOT NULL,
  encrypted_private_key text,
  created_at timestamp with time zone NOT NULL,
  retired_at timestamp with time zone,
  CONSTRAINT signing_key_pkey PRIMARY KEY (key_id),
  CONSTRAINT signing_key_check CHECK ((retired_at IS NULL) = (encrypted_private_key IS NOT NULL))
);
CREATE UNIQUE INDEX signing_key_in_use ON signing_key USING btree ((true)) WHERE retired_at IS NULL;
GRANT INSERT, SELECT, UPDATE ON signing_key TO shipgate_lookup;

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
ALTER TABLE stage_transition ENABLE ROW LEVEL SECURITY;
ALTER TABLE stage_transition FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON stage_transition
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON stage_transition AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (EXISTS ( SELECT
   FROM release r
  WHERE r.org_id = stage_transition.org_id AND r.id = stage_transition.release_id)));
GRANT INSERT, SELECT ON stage_transition TO shipgate_app;

CREATE TABLE storage_usage_change (
  org_id uuid NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  bytes bigint NOT NULL,
  CONSTRAINT storage_usage_change_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT storage_usage_change_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);
ALTER TABLE storage_usage_change ENABLE ROW LEVEL SECURITY;
ALTER TABLE storage_usage_change FORCE ROW LEVEL SECURITY;
CREATE POLICY look_up ON storage_usage_change FOR SELECT TO shipgate_lookup
  USING (true);
CREATE POLICY tenant ON storage_usage_change
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT DELETE, INSERT, SELECT, UPDATE ON storage_usage_change TO shipgate_app;
GRANT SELECT (org_id, bytes) ON storage_usage_change TO shipgate_lookup;

CREATE TABLE sync_follow_up (
  org_id uuid NOT NULL,
  id uuid NOT NULL,
  repository_ids uuid[],
  asked_at timestamp with time zone NOT NULL,
  CONSTRAINT sync_follow_up_pkey PRIMARY KEY (org_id),
  CONSTRAINT sync_follow_up_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);
ALTER TABLE sync_follow_up ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync_follow_up FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sync_follow_up
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT DELETE, INSERT, SELECT, UPDATE ON sync_follow_up TO shipgate_app;

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
ALTER TABLE sync_run ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync_run FORCE ROW LEVEL SECURITY;
CREATE POLICY look_up ON sync_run FOR SELECT TO shipgate_lookup
  USING (true);
CREATE POLICY tenant ON sync_run
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT DELETE, INSERT, SELECT, UPDATE ON sync_run TO shipgate_app;
GRANT SELECT (org_id, begun_at, finished_at, failure) ON sync_run TO shipgate_lookup;

CREATE TABLE tampered_file (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  branch text NOT NULL,
  path text NOT NULL,
  since timestamp with time zone NOT NULL,
  CONSTRAINT tampered_file_pkey PRIMARY KEY (org_id, repository_id, branch, path),
  CONSTRAINT tampered_file_org_id_repository_id_branch_fkey FOREIGN KEY (org_id, repository_id, branch) REFERENCES watched_branch(org_id, repository_id, branch) ON DELETE CASCADE
);
ALTER TABLE tampered_file ENABLE ROW LEVEL SECURITY;
ALTER TABLE tampered_file FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON tampered_file
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON tampered_file AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON tampered_file TO shipgate_app;

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
ALTER TABLE tampering_issue ENABLE ROW LEVEL SECURITY;
ALTER TABLE tampering_issue FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON tampering_issue
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON tampering_issue AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON tampering_issue TO shipgate_app;

CREATE TABLE test_comparison (
  org_id uuid NOT NULL,
  release_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  basis text NOT NULL,
  result jsonb NOT NULL,
  compared_at timestamp with time zone NOT NULL,
  CONSTRAINT test_comparison_pkey PRIMARY KEY (org_id, release_id),
  CONSTRAINT test_comparison_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT test_comparison_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);
ALTER TABLE test_comparison ENABLE ROW LEVEL SECURITY;
ALTER TABLE test_comparison FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON test_comparison
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON test_comparison AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (( SELECT NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL) OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON test_comparison TO shipgate_app;

CREATE TABLE test_results (
  org_id uuid NOT NULL,
  sha256 text NOT NULL,
  part integer NOT NULL,
  test_count integer NOT NULL,
  complete boolean NOT NULL,
  entries bytea STORAGE EXTERNAL NOT NULL,
  names bytea STORAGE EXTERNAL NOT NULL,
  CONSTRAINT test_results_pkey PRIMARY KEY (org_id, sha256, part),
  CONSTRAINT test_results_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);
ALTER TABLE test_results ENABLE ROW LEVEL SECURITY;
ALTER TABLE test_results FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON test_results
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT INSERT, SELECT ON test_results TO shipgate_app;

CREATE TABLE untrusted_forwarder (
  only_row boolean DEFAULT true NOT NULL,
  address text NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  CONSTRAINT untrusted_forwarder_pkey PRIMARY KEY (only_row),
  CONSTRAINT untrusted_forwarder_address_check CHECK (length(address) <= 64),
  CONSTRAINT untrusted_forwarder_only_row_check CHECK (only_row)
);
GRANT INSERT, SELECT, UPDATE ON untrusted_forwarder TO shipgate_lookup;

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
  CONSTRAINT upgrade_request_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id),
  CONSTRAINT upgrade_request_status_check CHECK (status = ANY (ARRAY['open'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text]))
);
CREATE UNIQUE INDEX upgrade_request_open_once ON upgrade_request USING btree (org_id) WHERE status = 'open'::text;
ALTER TABLE upgrade_request ENABLE ROW LEVEL SECURITY;
ALTER TABLE upgrade_request FORCE ROW LEVEL SECURITY;
CREATE POLICY look_up ON upgrade_request FOR SELECT TO shipgate_lookup
  USING (true);
CREATE POLICY tenant ON upgrade_request
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT DELETE, INSERT, SELECT, UPDATE ON upgrade_request TO shipgate_app;
GRANT SELECT ON upgrade_request TO shipgate_lookup;

CREATE TABLE upload_idempotency_key (
  org_id uuid NOT NULL,
  caller text NOT NULL,
  idempotency_key text NOT NULL,
  body_sha256 text NOT NULL,
  evidence_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT upload_idempotency_key_pkey PRIMARY KEY (org_id, caller, idempotency_key),
  CONSTRAINT upload_idempotency_key_org_id_evidence_id_fkey FOREIGN KEY (org_id, evidence_id) REFERENCES evidence(org_id, id)
);
ALTER TABLE upload_idempotency_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE upload_idempotency_key FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON upload_idempotency_key
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
GRANT DELETE, INSERT, SELECT, UPDATE ON upload_idempotency_key TO shipgate_app;

CREATE TABLE user_account (
  github_id bigint NOT NULL,
  login text NOT NULL,
  name text,
  avatar_url text NOT NULL,
  access_token text,
  access_expires_at timestamp with time zone,
  refresh_token text,
  refresh_expires_at timestamp with time zone,
  tokens_version integer DEFAULT 0 NOT NULL,
  refresh_leased_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  last_workspace_id uuid,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT user_account_pkey PRIMARY KEY (github_id)
);
CREATE INDEX user_account_by_login ON user_account USING btree (lower(login));
GRANT DELETE, INSERT, SELECT, UPDATE ON user_account TO shipgate_lookup;

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
  CONSTRAINT waiver_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT waiver_check CHECK (confirmed_by <> requested_by),
  CONSTRAINT waiver_check1 CHECK ((confirmed_by IS NULL) = (confirmed_at IS NULL) AND (confirmed_by IS NULL) = (confirmed_by_login IS NULL)),
  CONSTRAINT waiver_check2 CHECK ((withdrawn_by IS NULL) = (withdrawn_at IS NULL)),
  CONSTRAINT waiver_check3 CHECK (expires_at <= (requested_at + '7 days'::interval))
);
CREATE INDEX waiver_by_end ON waiver USING btree (org_id, expires_at) WHERE withdrawn_at IS NULL;
CREATE INDEX waiver_by_release ON waiver USING btree (org_id, release_id, expires_at);
ALTER TABLE waiver ENABLE ROW LEVEL SECURITY;
ALTER TABLE waiver FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON waiver
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON waiver AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (EXISTS ( SELECT
   FROM release r
  WHERE r.org_id = waiver.org_id AND r.id = waiver.release_id)));
GRANT DELETE, INSERT, SELECT, UPDATE ON waiver TO shipgate_app;

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
ALTER TABLE watched_branch ENABLE ROW LEVEL SECURITY;
ALTER TABLE watched_branch FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON watched_branch
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON watched_branch AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON watched_branch TO shipgate_app;

CREATE TABLE watched_file (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  path text NOT NULL,
  since timestamp with time zone NOT NULL,
  CONSTRAINT watched_file_pkey PRIMARY KEY (org_id, repository_id, path),
  CONSTRAINT watched_file_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);
ALTER TABLE watched_file ENABLE ROW LEVEL SECURITY;
ALTER TABLE watched_file FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON watched_file
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON watched_file AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON watched_file TO shipgate_app;

CREATE TABLE webhook_delivery (
  guid text NOT NULL,
  event text NOT NULL,
  installation_id bigint,
  repository_github_id bigint,
  body text,
  status text NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  last_error text,
  received_at timestamp with time zone NOT NULL,
  finished_at timestamp with time zone,
  later boolean DEFAULT false NOT NULL,
  CONSTRAINT webhook_delivery_pkey PRIMARY KEY (guid),
  CONSTRAINT webhook_delivery_status_check CHECK (status = ANY (ARRAY['pending'::text, 'done'::text, 'ignored'::text, 'dead'::text]))
);
CREATE INDEX webhook_delivery_by_status ON webhook_delivery USING btree (status, received_at);
CREATE INDEX webhook_delivery_waiting ON webhook_delivery USING btree (installation_id, later) WHERE status = 'pending'::text;
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_delivery TO shipgate_lookup;

CREATE TABLE workflow_installation (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  installed_revision text NOT NULL,
  custom_ci boolean NOT NULL,
  installed_at timestamp with time zone NOT NULL,
  CONSTRAINT workflow_installation_pkey PRIMARY KEY (org_id, repository_id),
  CONSTRAINT workflow_installation_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);
ALTER TABLE workflow_installation ENABLE ROW LEVEL SECURITY;
ALTER TABLE workflow_installation FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON workflow_installation
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON workflow_installation AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON workflow_installation TO shipgate_app;

CREATE TABLE workflow_job (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  id bigint NOT NULL,
  name text NOT NULL,
  CONSTRAINT workflow_job_pkey PRIMARY KEY (org_id, repository_id, id),
  CONSTRAINT workflow_job_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);
ALTER TABLE workflow_job ENABLE ROW LEVEL SECURITY;
ALTER TABLE workflow_job FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON workflow_job
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON workflow_job AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT INSERT, SELECT ON workflow_job TO shipgate_app;

CREATE TABLE workflow_update (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  pull_number integer NOT NULL,
  pull_url text NOT NULL,
  branch text NOT NULL,
  revision text NOT NULL,
  opened_at timestamp with time zone NOT NULL,
  CONSTRAINT workflow_update_pkey PRIMARY KEY (org_id, repository_id),
  CONSTRAINT workflow_update_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT workflow_update_pull_number_check CHECK (pull_number > 0)
);
ALTER TABLE workflow_update ENABLE ROW LEVEL SECURITY;
ALTER TABLE workflow_update FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON workflow_update
  USING (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid)
  WITH CHECK (org_id = NULLIF(current_setting('app.org_id'::text, true), ''::text)::uuid);
CREATE POLICY viewer ON workflow_update AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
GRANT DELETE, INSERT, SELECT, UPDATE ON workflow_update TO shipgate_app;

CREATE TABLE write_probe (
  only_row boolean DEFAULT true NOT NULL,
  probed_at timestamp with time zone NOT NULL,
  filler text STORAGE EXTERNAL,
  CONSTRAINT write_probe_pkey PRIMARY KEY (only_row),
  CONSTRAINT write_probe_only_row_check CHECK (only_row)
) WITH (fillfactor=50);
GRANT INSERT, SELECT, UPDATE ON write_probe TO shipgate_lookup;

CREATE SEQUENCE fact_number AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;
GRANT USAGE ON SEQUENCE fact_number TO shipgate_app;

CREATE OR REPLACE FUNCTION public.add_setup_code(hash bytea, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO setup_code (code_hash, created_at)
   VALUES (add_setup_code.hash, add_setup_code.at) ON CONFLICT DO NOTHING;
END;
ALTER FUNCTION add_setup_code(bytea,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION add_setup_code(bytea,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.add_signing_key(new_id text, new_public_key text, sealed text, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO signing_key (key_id, public_key, encrypted_private_key, created_at)
   VALUES (add_signing_key.new_id, add_signing_key.new_public_key, add_signing_key.sealed, add_signing_key.at) ON CONFLICT DO NOTHING;
END;
ALTER FUNCTION add_signing_key(text,text,text,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION add_signing_key(text,text,text,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.archive_unshipped_releases(before timestamp with time zone, most integer, OUT releases integer, OUT reports integer, OUT decisions integer)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
      declare
        tenant constant uuid := nullif(current_setting('app.org_id', true), '')::uuid;
        oldest constant timestamptz := least(before, now() - interval '30 days');
        ended uuid[];
        digests text[];
        freed bigint := 0;
        part bigint;
      begin
        select coalesce(array_agg(id), '{}') into ended from (
          select r.id from release r
          where r.org_id = tenant and r.shipped_at is null
            and greatest(r.created_at, r.updated_at, r.evidence_at, r.cancelled_at, r.deleted_at) < oldest
            and (r.archived_at is null
              or r.archived_at < greatest(r.updated_at, r.evidence_at, r.cancelled_at, r.deleted_at))
            and not exists (select from deployment_record d where d.org_id = tenant and d.release_id = r.id)
          order by r.updated_at limit most for update skip locked) picked;
        releases := cardinality(ended);

        -- An upload of the same content locks the row too. What it names afterwards is seen by the next statement.
        select coalesce(array_agg(sha256), '{}') into digests from (
          select c.sha256 from report_content c
          where c.org_id = tenant and c.removed_at is null and c.sha256 in (
            select f.sha256 from evidence e join evidence_report f on f.org_id = e.org_id and f.evidence_id = e.id
            where e.org_id = tenant and e.release_id = any(ended))
          order by c.sha256 for update) locked;
        select coalesce(array_agg(digest), '{}') into digests from unnest(digests) digest
        where not exists (
          select from evidence_report f join evidence e on e.org_id = f.org_id and e.id = f.evidence_id
          where f.org_id = tenant and f.sha256 = digest and e.release_id <> all(ended));
        reports := cardinality(digests);

        select coalesce(sum(case when c.location is null then octet_length(c.bytes)
            else (select max(f.size) from evidence_report f where f.org_id = tenant and f.sha256 = c.sha256) end), 0)
          into part from report_content c where c.org_id = tenant and c.sha256 = any(digests);
        freed := freed + part;
        with deleted as (
          delete from report_content_block where org_id = tenant and sha256 = any(digests) returning octet_length(deflated) as bytes)
        select coalesce(sum(bytes), 0) into part from deleted;
        freed := freed + part;
        with deleted as (
          delete from test_results where org_id = tenant and sha256 = any(digests)
          returning octet_length(entries) + octet_length(names) as bytes)
        select coalesce(sum(bytes), 0) into part from deleted;
        freed := freed + part;
        update report_content set bytes = '', removed_at = now() where org_id = tenant and sha256 = any(digests);

        -- The first and the last decision of a release stay, each that opened the gate or changed the stage, and each that
        -- something refers to.
        with listed as (
          select d.id, d.open, d.verdict ->> 'stage' = lag(d.verdict ->> 'stage') over neighbours as repeats,
            lag(d.open) over neighbours as was_open, lead(d.id) over neighbours is null as is_last
          from decision d where d.org_id = tenant and d.release_id = any(ended)
          window neighbours as (partition by d.release_id order by d.sequence)),
        deleted as (
          delete from decision d using listed l
          where d.org_id = tenant and d.id = l.id and not l.open and not l.was_open and l.repeats and not l.is_last
            and not exists (select from gate_confirmation o where o.org_id = tenant and o.decision_id = d.id)
            and not exists (select from deployment_hold o where o.org_id = tenant and o.decision_id = d.id)
            and not exists (select from deployment_report o where o.org_id = tenant and o.decision_id = d.id)
          returning pg_column_size(d.verdict) + pg_column_size(d.inputs) as bytes)
        select count(*), coalesce(sum(bytes), 0) into decisions, part from deleted;
        freed := freed + part;

        insert into storage_usage_change (org_id, bytes) select tenant, -freed where freed > 0;
        update release set archived_at = now() where org_id = tenant and id = any(ended);
      end $function$;
GRANT EXECUTE ON FUNCTION archive_unshipped_releases(timestamp with time zone,integer) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.assert_job_lease(lock_space integer, job_id bigint, pool text, taken_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
    begin
      perform pg_advisory_xact_lock_shared(lock_space, hashtext(pool));
      -- A separate statement, because it must see a lease that was released while the statement before it waited. Postgres stores
      -- microseconds and the service reads milliseconds.
      perform from graphile_worker.jobs job where job.id = job_id and job.locked_by = pool
        and job.locked_at between taken_at - interval '2 ms' and taken_at + interval '2 ms';
      if not found then
        raise exception 'The job % is not held by %.', job_id, pool using errcode = 'SG001';
      end if;
      return true;
    end $function$;
GRANT EXECUTE ON FUNCTION assert_job_lease(integer,bigint,text,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.assign_event_sequence()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
    declare
      number bigint;
    begin
      insert into public.event_sequence as known (org_id, last_id) values (new.org_id, 1)
        on conflict (org_id) do update set last_id = known.last_id + 1
        returning last_id into number;
      update public.event set id = number where org_id = new.org_id and entry = new.entry;
      if not found then
        raise exception 'an event was appended for a viewer who cannot read it';
      end if;
      -- Here, because the row of the sequence is locked: deletions elsewhere would wait for each other.
      delete from public.event where org_id = new.org_id and at < new.at - interval '10 minutes';
      perform pg_notify('shipgate_events', 'workspace ' || new.org_id);
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.check_setup_code(presented_hash bytea)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (EXISTS ( SELECT
                FROM app_configuration)) THEN 'configured'::text
             WHEN (EXISTS ( SELECT
                FROM setup_code c
               WHERE (c.code_hash = check_setup_code.presented_hash))) THEN 'right'::text
             ELSE 'wrong_code'::text
         END AS "case";
END;
ALTER FUNCTION check_setup_code(bytea) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION check_setup_code(bytea) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.clear_removed_location(object text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 UPDATE report_content SET location = NULL::text
   WHERE ((report_content.org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid) AND (report_content.location = clear_removed_location.object) AND (report_content.removed_at < (now() - '30 days'::interval)));
END;
GRANT EXECUTE ON FUNCTION clear_removed_location(text) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.complete_delivery(delivery_guid text, outcome text, error text, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 UPDATE webhook_delivery SET status = complete_delivery.outcome, attempts = (webhook_delivery.attempts + 1), last_error = complete_delivery.error, finished_at = complete_delivery.at
   WHERE (webhook_delivery.guid = complete_delivery.delivery_guid);
END;
ALTER FUNCTION complete_delivery(text,text,text,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION complete_delivery(text,text,text,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.complete_setup(presented_hash bytea, sealed text, at timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
    begin
      if exists (select from public.app_configuration) then return 'configured'; end if;
      if presented_hash is not null
        and not exists (select from public.setup_code c where c.code_hash = presented_hash) then
        return 'wrong_code';
      end if;
      insert into public.app_configuration (encrypted_credentials, configured_at) values (sealed, at) on conflict do nothing;
      if not found then return 'configured'; end if;
      delete from public.setup_code;
      return 'stored';
    end $function$;
ALTER FUNCTION complete_setup(bytea,text,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION complete_setup(bytea,text,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.consume_login_attempt(attempt_hash bytea, begun_after timestamp with time zone)
 RETURNS TABLE(return_to text)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 WITH taken AS (
          DELETE FROM login_attempt a
           WHERE (a.secret_hash = consume_login_attempt.attempt_hash)
           RETURNING a.return_to,
             a.started_at AS begun_at
         )
  SELECT taken.return_to
    FROM taken
   WHERE (taken.begun_at > consume_login_attempt.begun_after);
END;
ALTER FUNCTION consume_login_attempt(bytea,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION consume_login_attempt(bytea,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.count_dead_letters(installation bigint)
 RETURNS TABLE(repository_github_id bigint, deliveries bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT d.repository_github_id,
     count(*) AS count
    FROM webhook_delivery d
   WHERE ((d.status = 'dead'::text) AND (d.installation_id = count_dead_letters.installation))
   GROUP BY d.repository_github_id;
END;
ALTER FUNCTION count_dead_letters(bigint) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION count_dead_letters(bigint) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.count_deliveries_by_status()
 RETURNS TABLE(status text, deliveries bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT d.status,
     count(*) AS count
    FROM webhook_delivery d
   GROUP BY d.status;
END;
ALTER FUNCTION count_deliveries_by_status() OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION count_deliveries_by_status() TO shipgate_app;

CREATE OR REPLACE FUNCTION public.count_missed_deliveries()
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT count(*) AS count
    FROM missed_delivery;
END;
ALTER FUNCTION count_missed_deliveries() OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION count_missed_deliveries() TO shipgate_app;

CREATE OR REPLACE FUNCTION public.count_personal_keys(holder bigint, at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
        begin
          perform pg_advisory_xact_lock(hashtextextended('personal keys of ' || holder, 0));
          return (select count(*) from public.personal_key k
            where k.person = holder and k.revoked_at is null and k.expires_at > at);
        end $function$;
ALTER FUNCTION count_personal_keys(bigint,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION count_personal_keys(bigint,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.count_record_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
    begin
      insert into repository_count_change (org_id, repository_id, blocked, awaiting, passing, evidenced, recorded)
      select org_id, repository_id, 0, 0, 0, 0, n
      from (select -1 as n, (old).* union all select 1, (new).*) as record where id is not null;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.count_release_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
    begin
      insert into repository_count_change (org_id, repository_id, blocked, awaiting, passing, evidenced, recorded)
      select org_id, repository_id, sum(n * blocked), sum(n * awaiting), sum(n * passing), sum(n * evidenced), 0
      from (select n, org_id, repository_id,
          (shipped_at is null and cancelled_at is null and deleted_at is null and list_status = 'b')::integer as blocked,
          (shipped_at is null and cancelled_at is null and deleted_at is null and list_status = 'a')::integer as awaiting,
          (shipped_at is null and cancelled_at is null and deleted_at is null and list_status = 'p')::integer as passing,
          (evidence_at is not null)::integer as evidenced
        from (select -1 as n, (old).* union all select 1, (new).*) as release
        where id is not null) as changed
      group by org_id, repository_id;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.count_upgrade_requests(wanted_status text)
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT count(*) AS count
    FROM upgrade_request u
   WHERE ((count_upgrade_requests.wanted_status IS NULL) OR (u.status = count_upgrade_requests.wanted_status));
END;
ALTER FUNCTION count_upgrade_requests(text) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION count_upgrade_requests(text) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.create_login_attempt(attempt_hash bytea, path text, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO login_attempt (secret_hash, return_to, started_at)
   VALUES (create_login_attempt.attempt_hash, create_login_attempt.path, create_login_attempt.at);
END;
ALTER FUNCTION create_login_attempt(bytea,text,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION create_login_attempt(bytea,text,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.create_session(session_hash bytea, holder bigint, selected uuid, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO session (id_hash, user_id, workspace_id, created_at, last_seen_at)
   VALUES (create_session.session_hash, create_session.holder, create_session.selected, create_session.at, create_session.at);
END;
ALTER FUNCTION create_session(bytea,bigint,uuid,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION create_session(bytea,bigint,uuid,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.delete_missed_deliveries(noted_before timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 DELETE FROM missed_delivery m
   WHERE ((m.detected_at < delete_missed_deliveries.noted_before) OR (EXISTS ( SELECT
            FROM webhook_delivery d
           WHERE (d.guid = m.guid))));
END;
ALTER FUNCTION delete_missed_deliveries(timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION delete_missed_deliveries(timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.delete_missed_delivery(missed_guid text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 DELETE FROM missed_delivery m
   WHERE (m.guid = delete_missed_delivery.missed_guid);
END;
ALTER FUNCTION delete_missed_delivery(text) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION delete_missed_delivery(text) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.delete_old_deliveries(received_before timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 DELETE FROM webhook_delivery
   WHERE ((webhook_delivery.received_at < delete_old_deliveries.received_before) AND (webhook_delivery.status = ANY (ARRAY['done'::text, 'ignored'::text])));
END;
ALTER FUNCTION delete_old_deliveries(timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION delete_old_deliveries(timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.delete_old_rate_limit_windows(started_before timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 DELETE FROM rate_limit_window
   WHERE (rate_limit_window.window_start < delete_old_rate_limit_windows.started_before);
END;
ALTER FUNCTION delete_old_rate_limit_windows(timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION delete_old_rate_limit_windows(timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.delete_old_sessions(used_before timestamp with time zone, logins_before timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 DELETE FROM session
   WHERE (session.last_seen_at < delete_old_sessions.used_before);
 DELETE FROM login_attempt
   WHERE (login_attempt.started_at < delete_old_sessions.logins_before);
END;
ALTER FUNCTION delete_old_sessions(timestamp with time zone,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION delete_old_sessions(timestamp with time zone,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.delete_unused_accounts(before timestamp with time zone, most integer)
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 WITH deleted AS (
          DELETE FROM user_account u
           WHERE (u.github_id IN ( SELECT a.github_id
                    FROM user_account a
                   WHERE ((a.updated_at < LEAST(delete_unused_accounts.before, (now() - '30 days'::interval))) AND (NOT (EXISTS ( SELECT
                            FROM session s
                           WHERE (s.user_id = a.github_id)))) AND (NOT (EXISTS ( SELECT
                            FROM member m
                           WHERE (m.person = a.github_id)))))
                  LIMIT delete_unused_accounts.most))
           RETURNING 1 AS "?column?"
         )
  SELECT (count(*))::integer AS count
    FROM deleted;
END;
ALTER FUNCTION delete_unused_accounts(timestamp with time zone,integer) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION delete_unused_accounts(timestamp with time zone,integer) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.end_session(session_hash bytea, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 UPDATE session SET ended_at = end_session.at
   WHERE ((session.id_hash = end_session.session_hash) AND (session.ended_at IS NULL));
END;
ALTER FUNCTION end_session(bytea,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION end_session(bytea,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.enter_first_workspace(holder bigint, selected uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 UPDATE session SET workspace_id = enter_first_workspace.selected
   WHERE ((session.user_id = enter_first_workspace.holder) AND (session.ended_at IS NULL) AND (session.workspace_id IS NULL));
END;
ALTER FUNCTION enter_first_workspace(bigint,uuid) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION enter_first_workspace(bigint,uuid) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.find_api_key(presented_hash bytea)
 RETURNS TABLE(org_id uuid, id uuid, scopes text[], repository_ids uuid[], expires_at timestamp with time zone, revoked_at timestamp with time zone, last_used_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT k.org_id,
     k.id,
     k.scopes,
     k.repository_ids,
     k.expires_at,
     k.revoked_at,
     k.last_used_at
    FROM api_key k
   WHERE (k.secret_hash = find_api_key.presented_hash);
END;
ALTER FUNCTION find_api_key(bytea) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION find_api_key(bytea) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.find_audit_head()
 RETURNS TABLE(sequence bigint, hash text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT e.sequence,
     e.hash
    FROM audit_entry e
   WHERE (e.org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)
   ORDER BY e.sequence DESC
  LIMIT 1;
END;
ALTER FUNCTION find_audit_head() OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION find_audit_head() TO shipgate_app;

CREATE OR REPLACE FUNCTION public.find_gate_by_key(presented_hash bytea, wanted_owner text, wanted_repository text, wanted_version text)
 RETURNS TABLE(org_id uuid, key_id uuid, scopes text[], repository_ids uuid[], expires_at timestamp with time zone, revoked_at timestamp with time zone, last_used_at timestamp with time zone, owner_matches boolean, repository_id uuid, repository_github_id bigint, release_id uuid, stage text, tests_passing boolean, evidence_approved boolean, candidate_sha text, candidate_shas text[], open_until timestamp with time zone, valid_until timestamp with time zone, reason text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
        #variable_conflict use_column
        declare
          tenant text;
          same_name bigint;
        begin
          select k.org_id, k.id, k.scopes, k.repository_ids, k.expires_at, k.revoked_at, k.last_used_at,
            wanted_owner is null or lower(o.login) = lower(wanted_owner)
          into org_id, key_id, scopes, repository_ids, expires_at, revoked_at, last_used_at, owner_matches
          from public.api_key k join public.organization o on o.org_id = k.org_id
          where k.secret_hash = presented_hash;
          if not found then return; end if;

  tenant := set_config('app.org_id', find_gate_by_key.org_id::text, true);
  select r.id, r.github_id, count(*) over (), l.id, l.stage, l.tests_passing, l.evidence_approved, l.candidate_sha,
    l.candidate_shas, l.open_until, l.valid_until, case when l.open_until is null then l.blockers -> 0 ->> 'code' end
  into repository_id, repository_github_id, same_name, release_id, stage, tests_passing, evidence_approved, candidate_sha,
    candidate_shas, open_until, valid_until, reason
  from public.repository r
  left join public.release l on l.org_id = r.org_id and l.repository_id = r.id and l.version = wanted_version
    and l.deleted_at is null
  where r.org_id = find_gate_by_key.org_id and r.lower_name = lower(wanted_repository) and r.removed_at is null;
  -- During a rename two repositories may have one name. Then it names neither.
  if same_name > 1 then
    repository_id := null; repository_github_id := null; release_id := null; stage := null; tests_passing := null;
    evidence_approved := null; candidate_sha := null; candidate_shas := null; open_until := null; valid_until := null;
    reason := null;
  end if;
  return next;
        end $function$;
ALTER FUNCTION find_gate_by_key(bytea,text,text,text) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION find_gate_by_key(bytea,text,text,text) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.find_gate_by_owner(owner_github_id bigint, wanted_owner text, wanted_repository text, wanted_version text)
 RETURNS TABLE(org_id uuid, owner_matches boolean, repository_id uuid, repository_github_id bigint, release_id uuid, stage text, tests_passing boolean, evidence_approved boolean, candidate_sha text, candidate_shas text[], open_until timestamp with time zone, valid_until timestamp with time zone, reason text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
        #variable_conflict use_column
        declare
          tenant text;
          same_name bigint;
        begin
          select o.org_id, wanted_owner is null or lower(o.login) = lower(wanted_owner)
          into org_id, owner_matches
          from public.organization o where o.github_id = owner_github_id;
          if not found then return; end if;

  tenant := set_config('app.org_id', find_gate_by_owner.org_id::text, true);
  select r.id, r.github_id, count(*) over (), l.id, l.stage, l.tests_passing, l.evidence_approved, l.candidate_sha,
    l.candidate_shas, l.open_until, l.valid_until, case when l.open_until is null then l.blockers -> 0 ->> 'code' end
  into repository_id, repository_github_id, same_name, release_id, stage, tests_passing, evidence_approved, candidate_sha,
    candidate_shas, open_until, valid_until, reason
  from public.repository r
  left join public.release l on l.org_id = r.org_id and l.repository_id = r.id and l.version = wanted_version
    and l.deleted_at is null
  where r.org_id = find_gate_by_owner.org_id and r.lower_name = lower(wanted_repository) and r.removed_at is null;
  -- During a rename two repositories may have one name. Then it names neither.
  if same_name > 1 then
    repository_id := null; repository_github_id := null; release_id := null; stage := null; tests_passing := null;
    evidence_approved := null; candidate_sha := null; candidate_shas := null; open_until := null; valid_until := null;
    reason := null;
  end if;
  return next;
        end $function$;
ALTER FUNCTION find_gate_by_owner(bigint,text,text,text) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION find_gate_by_owner(bigint,text,text,text) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.find_gate_of_digest_by_key(presented_hash bytea, wanted_owner text, wanted_repository text, wanted_version text, wanted_digest text)
 RETURNS TABLE(org_id uuid, key_id uuid, scopes text[], repository_ids uuid[], expires_at timestamp with time zone, revoked_at timestamp with time zone, last_used_at timestamp with time zone, owner_matches boolean, repository_id uuid, repository_github_id bigint, release_id uuid, stage text, tests_passing boolean, evidence_approved boolean, candidate_sha text, candidate_shas text[], open_until timestamp with time zone, valid_until timestamp with time zone, reason text, version text, accepted boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
      #variable_conflict use_column
      declare
        tenant text;
        same_name bigint;
      begin
        select k.org_id, k.id, k.scopes, k.repository_ids, k.expires_at, k.revoked_at, k.last_used_at,
          wanted_owner is null or lower(o.login) = lower(wanted_owner)
        into org_id, key_id, scopes, repository_ids, expires_at, revoked_at, last_used_at, owner_matches
        from public.api_key k join public.organization o on o.org_id = k.org_id
        where k.secret_hash = presented_hash;
        if not found then return; end if;

  tenant := set_config('app.org_id', find_gate_of_digest_by_key.org_id::text, true);
  select r.id, r.github_id, count(*) over (), l.id, l.stage, l.tests_passing, l.evidence_approved, l.candidate_sha, l.candidate_shas, l.open_until, l.valid_until,
    case when l.open_until is null then l.blockers -> 0 ->> 'code' end, l.version, wanted_digest = any(l.accepted_digests)
  into repository_id, repository_github_id, same_name, release_id, stage, tests_passing, evidence_approved, candidate_sha, candidate_shas, open_until, valid_until, reason,
    version, accepted
  from public.repository r
  left join public.release l on l.org_id = r.org_id and l.repository_id = r.id and l.version = wanted_version
    and l.deleted_at is null
  where r.org_id = find_gate_of_digest_by_key.org_id and r.lower_name = lower(wanted_repository) and r.removed_at is null;
  -- During a rename two repositories may have one name. Then it names neither.
  if same_name > 1 then
    repository_id := null; repository_github_id := null; release_id := null; stage := null; tests_passing := null;
    evidence_approved := null; candidate_sha := null; candidate_shas := null; open_until := null; valid_until := null;
    reason := null; version := null; accepted := null;
  end if;
  if wanted_version is null and repository_id is not null then
    select l.id, l.stage, l.tests_passing, l.evidence_approved, l.candidate_sha, l.candidate_shas, l.open_until, l.valid_until,
    case when l.open_until is null then l.blockers -> 0 ->> 'code' end, l.version, wanted_digest = any(l.accepted_digests)
    into release_id, stage, tests_passing, evidence_approved, candidate_sha, candidate_shas, open_until, valid_until, reason,
    version, accepted
    from public.release l
    where l.org_id = find_gate_of_digest_by_key.org_id and l.repository_id = find_gate_of_digest_by_key.repository_id
      -- Qualified, because a bare name would be the column, and each release would be compared with the digest of its own repository.
      and l.id = public.find_release_of_digest(find_gate_of_digest_by_key.org_id, find_gate_of_digest_by_key.repository_id, null, wanted_digest);
  end if;
  return next;
      end $function$;
ALTER FUNCTION find_gate_of_digest_by_key(bytea,text,text,text,text) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION find_gate_of_digest_by_key(bytea,text,text,text,text) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.find_gate_of_digest_by_owner(owner_github_id bigint, wanted_owner text, wanted_repository text, wanted_version text, wanted_digest text)
 RETURNS TABLE(org_id uuid, owner_matches boolean, repository_id uuid, repository_github_id bigint, release_id uuid, stage text, tests_passing boolean, evidence_approved boolean, candidate_sha text, candidate_shas text[], open_until timestamp with time zone, valid_until timestamp with time zone, reason text, version text, accepted boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
      #variable_conflict use_column
      declare
        tenant text;
        same_name bigint;
      begin
        select o.org_id, wanted_owner is null or lower(o.login) = lower(wanted_owner) into org_id, owner_matches
        from public.organization o where o.github_id = owner_github_id;
        if not found then return; end if;

  tenant := set_config('app.org_id', find_gate_of_digest_by_owner.org_id::text, true);
  select r.id, r.github_id, count(*) over (), l.id, l.stage, l.tests_passing, l.evidence_approved, l.candidate_sha, l.candidate_shas, l.open_until, l.valid_until,
    case when l.open_until is null then l.blockers -> 0 ->> 'code' end, l.version, wanted_digest = any(l.accepted_digests)
  into repository_id, repository_github_id, same_name, release_id, stage, tests_passing, evidence_approved, candidate_sha, candidate_shas, open_until, valid_until, reason,
    version, accepted
  from public.repository r
  left join public.release l on l.org_id = r.org_id and l.repository_id = r.id and l.version = wanted_version
    and l.deleted_at is null
  where r.org_id = find_gate_of_digest_by_owner.org_id and r.lower_name = lower(wanted_repository) and r.removed_at is null;
  -- During a rename two repositories may have one name. Then it names neither.
  if same_name > 1 then
    repository_id := null; repository_github_id := null; release_id := null; stage := null; tests_passing := null;
    evidence_approved := null; candidate_sha := null; candidate_shas := null; open_until := null; valid_until := null;
    reason := null; version := null; accepted := null;
  end if;
  if wanted_version is null and repository_id is not null then
    select l.id, l.stage, l.tests_passing, l.evidence_approved, l.candidate_sha, l.candidate_shas, l.open_until, l.valid_until,
    case when l.open_until is null then l.blockers -> 0 ->> 'code' end, l.version, wanted_digest = any(l.accepted_digests)
    into release_id, stage, tests_passing, evidence_approved, candidate_sha, candidate_shas, open_until, valid_until, reason,
    version, accepted
    from public.release l
    where l.org_id = find_gate_of_digest_by_owner.org_id and l.repository_id = find_gate_of_digest_by_owner.repository_id
      -- Qualified, because a bare name would be the column, and each release would be compared with the digest of its own repository.
      and l.id = public.find_release_of_digest(find_gate_of_digest_by_owner.org_id, find_gate_of_digest_by_owner.repository_id, null, wanted_digest);
  end if;
  return next;
      end $function$;
ALTER FUNCTION find_gate_of_digest_by_owner(bigint,text,text,text,text) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION find_gate_of_digest_by_owner(bigint,text,text,text,text) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.find_organization_by_installation(installation_github_id bigint)
 RETURNS TABLE(org_id uuid, login text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT o.org_id,
     o.login
    FROM organization o
   WHERE (o.installation_id = find_organization_by_installation.installation_github_id);
END;
ALTER FUNCTION find_organization_by_installation(bigint) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION find_organization_by_installation(bigint) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.find_organization_by_owner(owner_github_id bigint)
 RETURNS TABLE(org_id uuid, login text, installation_id bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT o.org_id,
     o.login,
     o.installation_id
    FROM organization o
   WHERE (o.github_id = find_organization_by_owner.owner_github_id);
END;
ALTER FUNCTION find_organization_by_owner(bigint) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION find_organization_by_owner(bigint) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.find_organizations_by_login(wanted text)
 RETURNS TABLE(org_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT o.org_id
    FROM organization o
   WHERE ((lower(o.login) = lower(find_organizations_by_login.wanted)) AND ((o.installation_id IS NOT NULL) OR (NOT (EXISTS ( SELECT
            FROM organization other
           WHERE ((lower(other.login) = lower(find_organizations_by_login.wanted)) AND (other.installation_id IS NOT NULL)))))));
END;
ALTER FUNCTION find_organizations_by_login(text) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION find_organizations_by_login(text) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.find_organizations_by_owners(owner_github_ids bigint[])
 RETURNS TABLE(org_id uuid, github_id bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT o.org_id,
     o.github_id
    FROM organization o
   WHERE (o.github_id = ANY (find_organizations_by_owners.owner_github_ids));
END;
ALTER FUNCTION find_organizations_by_owners(bigint[]) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION find_organizations_by_owners(bigint[]) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.find_personal_key(presented_hash bytea)
 RETURNS TABLE(org_id uuid, id uuid, scope text, expires_at timestamp with time zone, revoked_at timestamp with time zone, last_used_at timestamp with time zone, person bigint, login text, name text, avatar_url text, org_login text, installed boolean, role text, confirmed_at timestamp with time zone, access_observed_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT k.org_id,
     k.id,
     k.scope,
     k.expires_at,
     k.revoked_at,
     k.last_used_at,
     k.person,
     p.login,
     p.name,
     p.avatar_url,
     o.login,
     (o.installation_id IS NOT NULL),
     m.role,
     m.confirmed_at,
     m.access_observed_at
    FROM (((personal_key k
      JOIN organization o ON ((o.org_id = k.org_id)))
      JOIN user_account p ON ((p.github_id = k.person)))
      LEFT JOIN member m ON (((m.org_id = k.org_id) AND (m.person = k.person))))
   WHERE (k.secret_hash = find_personal_key.presented_hash);
END;
ALTER FUNCTION find_personal_key(bytea) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION find_personal_key(bytea) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.find_published_workflow(wanted_path text, wanted_blob_sha text)
 RETURNS TABLE(revision text, published_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT p.revision,
     p.published_at
    FROM published_workflow p
   WHERE ((p.path = find_published_workflow.wanted_path) AND (p.blob_sha = find_published_workflow.wanted_blob_sha));
END;
ALTER FUNCTION find_published_workflow(text,text) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION find_published_workflow(text,text) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.find_release_of_digest(tenant uuid, wanted_repository uuid, wanted_version text, wanted_digest text)
 RETURNS uuid
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (count(*) FILTER (WHERE (found.shipped_at IS NULL)) > 1) THEN NULL::uuid
             ELSE (array_agg(found.id ORDER BY found.shipped_at DESC))[1]
         END AS array_agg
    FROM ( SELECT l.id,
             l.shipped_at
            FROM release l
           WHERE ((l.org_id = find_release_of_digest.tenant) AND (l.repository_id = find_release_of_digest.wanted_repository) AND (l.deleted_at IS NULL) AND (l.version = find_release_of_digest.wanted_version))
         UNION
          SELECT l.id,
             l.shipped_at
            FROM (artifact a
              JOIN release l ON (((l.org_id = a.org_id) AND (l.id = a.release_id))))
           WHERE ((find_release_of_digest.wanted_version IS NULL) AND (a.org_id = find_release_of_digest.tenant) AND (a.repository_id = find_release_of_digest.wanted_repository) AND (a.digest = find_release_of_digest.wanted_digest) AND (a.binding <> 'none'::text) AND (l.deleted_at IS NULL))) found;
END;
GRANT EXECUTE ON FUNCTION find_release_of_digest(uuid,uuid,text,text) TO shipgate_app;
GRANT EXECUTE ON FUNCTION find_release_of_digest(uuid,uuid,text,text) TO shipgate_lookup;

CREATE OR REPLACE FUNCTION public.find_signing_key()
 RETURNS TABLE(key_id text, public_key text, sealed_private_key text, made_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT k.key_id,
     k.public_key,
     k.encrypted_private_key AS sealed_private_key,
     k.created_at AS made_at
    FROM signing_key k
   WHERE (k.retired_at IS NULL);
END;
ALTER FUNCTION find_signing_key() OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION find_signing_key() TO shipgate_app;

CREATE OR REPLACE FUNCTION public.find_untrusted_forwarder()
 RETURNS TABLE(address text, seen_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT held.address,
     held.seen_at
    FROM untrusted_forwarder held;
END;
ALTER FUNCTION find_untrusted_forwarder() OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION find_untrusted_forwarder() TO shipgate_app;

CREATE OR REPLACE FUNCTION public.find_workspace_by_invite(invite_id uuid)
 RETURNS TABLE(org_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT i.org_id
    FROM invite i
   WHERE (i.id = find_workspace_by_invite.invite_id);
END;
ALTER FUNCTION find_workspace_by_invite(uuid) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION find_workspace_by_invite(uuid) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.find_workspace_by_upgrade_request(request_id uuid)
 RETURNS TABLE(org_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT u.org_id
    FROM upgrade_request u
   WHERE (u.id = find_workspace_by_upgrade_request.request_id);
END;
ALTER FUNCTION find_workspace_by_upgrade_request(uuid) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION find_workspace_by_upgrade_request(uuid) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.get_app_configuration()
 RETURNS TABLE(encrypted_credentials text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT c.encrypted_credentials
    FROM app_configuration c;
END;
ALTER FUNCTION get_app_configuration() OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION get_app_configuration() TO shipgate_app;

CREATE OR REPLACE FUNCTION public.get_delivery(delivery_guid text)
 RETURNS TABLE(event text, installation_id bigint, repository_github_id bigint, body text, status text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT d.event,
     d.installation_id,
     d.repository_github_id,
     d.body,
     d.status
    FROM webhook_delivery d
   WHERE (d.guid = get_delivery.delivery_guid);
END;
ALTER FUNCTION get_delivery(text) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION get_delivery(text) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.get_delivery_scan_position()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT w.scanned_until AS looked_until
    FROM delivery_scan w;
END;
ALTER FUNCTION get_delivery_scan_position() OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION get_delivery_scan_position() TO shipgate_app;

CREATE OR REPLACE FUNCTION public.get_last_workspace(holder bigint)
 RETURNS TABLE(workspace_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT u.last_workspace_id
    FROM user_account u
   WHERE ((u.github_id = get_last_workspace.holder) AND (u.last_workspace_id IS NOT NULL));
END;
ALTER FUNCTION get_last_workspace(bigint) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION get_last_workspace(bigint) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.get_session(session_hash bytea, used_after timestamp with time zone, created_after timestamp with time zone, ahead timestamp with time zone)
 RETURNS TABLE(user_id bigint, login text, name text, avatar_url text, last_seen_at timestamp with time zone, org_id uuid, org_login text, role text, confirmed_at timestamp with time zone, access_observed_at timestamp with time zone, auditor boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT s.user_id,
     u.login,
     u.name,
     u.avatar_url,
     s.last_seen_at,
     m.org_id,
     o.login,
     m.role,
     m.confirmed_at,
     m.access_observed_at,
     m.auditor
    FROM (((session s
      JOIN user_account u ON ((u.github_id = s.user_id)))
      LEFT JOIN member m ON (((m.org_id = s.workspace_id) AND (m.person = s.user_id))))
      LEFT JOIN organization o ON ((o.org_id = m.org_id)))
   WHERE ((s.id_hash = get_session.session_hash) AND (s.ended_at IS NULL) AND is_session_active(s.created_at, s.last_seen_at, get_session.created_after, get_session.used_after, get_session.ahead));
END;
ALTER FUNCTION get_session(bytea,timestamp with time zone,timestamp with time zone,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION get_session(bytea,timestamp with time zone,timestamp with time zone,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.get_user_tokens(person bigint)
 RETURNS TABLE(access_token text, access_expires_at timestamp with time zone, refresh_token text, refresh_expires_at timestamp with time zone, tokens_version integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT p.access_token,
     p.access_expires_at,
     p.refresh_token,
     p.refresh_expires_at,
     p.tokens_version
    FROM user_account p
   WHERE (p.github_id = get_user_tokens.person);
END;
ALTER FUNCTION get_user_tokens(bigint) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION get_user_tokens(bigint) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.insert_deliveries(guids text[], events text[], installations bigint[], repositories bigint[], moments timestamp with time zone[], bodies text[], most_waiting integer)
 RETURNS TABLE(kept_guid text, kept_later boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
        declare
          crowded bigint[] := '{}';
          asked bigint;
        begin
          -- One installation after the other: the same asked of all in one statement takes a third longer.
          for asked in select distinct arrived.installation from unnest(installations) as arrived (installation)
              where arrived.installation is not null loop
            perform from public.webhook_delivery d
              where d.installation_id = asked and d.later and d.status = 'pending' limit 1;
            if not found then
              perform from public.webhook_delivery d
                where d.installation_id = asked and d.status = 'pending' offset most_waiting - 1 limit 1;
            end if;
            if found then
              crowded := crowded || asked;
            end if;
          end loop;
          return query
            with kept as (
              insert into public.webhook_delivery as delivery
                (guid, event, installation_id, repository_github_id, received_at, body, status, later)
              select arrived.*, case when arrived.body is null then 'ignored' else 'pending' end,
                coalesce(arrived.installation = any (crowded), false)
              from unnest(guids, events, installations, repositories, moments, bodies)
                as arrived (guid, event, installation, repository, received_at, body)
              order by arrived.guid
              on conflict (guid) do update
                set status = 'pending', attempts = 0, last_error = null, finished_at = null, later = excluded.later
                where delivery.status in ('dead', 'pending')
              returning delivery.guid, delivery.later, delivery.body is not null as is_read)
            select kept.guid, kept.later from kept where kept.is_read;
        end $function$;
ALTER FUNCTION insert_deliveries(text[],text[],bigint[],bigint[],timestamp with time zone[],text[],integer) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION insert_deliveries(text[],text[],bigint[],bigint[],timestamp with time zone[],text[],integer) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.insert_missed_deliveries(guids text[], delivery_ids bigint[], at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO missed_delivery (guid, delivery_id, next_redelivery_at, detected_at)  SELECT listed.guid,
             max(listed.delivery_id) AS max,
             insert_missed_deliveries.at AS at,
             insert_missed_deliveries.at AS at
            FROM UNNEST(insert_missed_deliveries.guids, insert_missed_deliveries.delivery_ids) listed(guid, delivery_id)
           WHERE (NOT (EXISTS ( SELECT
                    FROM webhook_delivery d
                   WHERE (d.guid = listed.guid))))
           GROUP BY listed.guid ON CONFLICT(guid) DO UPDATE SET delivery_id = GREATEST(missed_delivery.delivery_id, excluded.delivery_id);
END;
ALTER FUNCTION insert_missed_deliveries(text[],bigint[],timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION insert_missed_deliveries(text[],bigint[],timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.is_session_active(began timestamp with time zone, used timestamp with time zone, began_after timestamp with time zone, used_after timestamp with time zone, ahead timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT ((began > began_after) AND (began < ahead) AND (
         CASE
             WHEN (used < ahead) THEN used
             ELSE began
         END > used_after));
END;
ALTER FUNCTION is_session_active(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION is_session_active(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.lease_missed_delivery(at timestamp with time zone, asked_at_most integer, first_pause interval)
 RETURNS TABLE(guid text, delivery_id bigint)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 UPDATE missed_delivery m SET redelivery_count = (m.redelivery_count + 1), next_redelivery_at = (lease_missed_delivery.at + (lease_missed_delivery.first_pause * power((2)::double precision, (m.redelivery_count)::double precision)))
   WHERE (m.guid = ( SELECT next.guid
            FROM missed_delivery next
           WHERE ((next.next_redelivery_at <= lease_missed_delivery.at) AND (next.redelivery_count < lease_missed_delivery.asked_at_most))
           ORDER BY next.next_redelivery_at, next.delivery_id
          LIMIT 1
          FOR UPDATE OF next SKIP LOCKED))
   RETURNING m.guid,
     m.delivery_id;
END;
ALTER FUNCTION lease_missed_delivery(timestamp with time zone,integer,interval) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION lease_missed_delivery(timestamp with time zone,integer,interval) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.lease_rate_limit_tokens(subject text, quota integer, window_seconds integer, wanted integer)
 RETURNS TABLE(granted integer, used integer, resets_in_ms integer)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO rate_limit_window AS held (key, window_start, used, granted)
   VALUES (lease_rate_limit_tokens.subject, to_timestamp(((floor((EXTRACT(epoch FROM clock_timestamp()) / (lease_rate_limit_tokens.window_seconds)::numeric)) * (lease_rate_limit_tokens.window_seconds)::numeric))::double precision), LEAST(lease_rate_limit_tokens.wanted, lease_rate_limit_tokens.quota), LEAST(lease_rate_limit_tokens.wanted, lease_rate_limit_tokens.quota)) ON CONFLICT(key) DO UPDATE SET window_start = GREATEST(held.window_start, excluded.window_start), granted =
         CASE
             WHEN (held.window_start >= excluded.window_start) THEN GREATEST(0, LEAST(lease_rate_limit_tokens.wanted, (lease_rate_limit_tokens.quota - held.used)))
             ELSE excluded.granted
         END, used =
         CASE
             WHEN (held.window_start >= excluded.window_start) THEN GREATEST(held.used, LEAST((held.used + lease_rate_limit_tokens.wanted), lease_rate_limit_tokens.quota))
             ELSE excluded.used
         END
   RETURNING held.granted,
     held.used,
     (GREATEST((1)::numeric, ceil(((1000)::numeric * EXTRACT(epoch FROM ((held.window_start + make_interval(secs => (lease_rate_limit_tokens.window_seconds)::double precision)) - clock_timestamp()))))))::integer AS "greatest";
END;
ALTER FUNCTION lease_rate_limit_tokens(text,integer,integer,integer) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION lease_rate_limit_tokens(text,integer,integer,integer) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.lease_token_refresh(holder bigint, seen_version integer, at timestamp with time zone, until timestamp with time zone, ahead timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
    begin
      update public.user_account set refresh_leased_until = until
      where github_id = holder and tokens_version = seen_version and (refresh_leased_until <= at or refresh_leased_until >= ahead);
      return found;
    end $function$;
ALTER FUNCTION lease_token_refresh(bigint,integer,timestamp with time zone,timestamp with time zone,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION lease_token_refresh(bigint,integer,timestamp with time zone,timestamp with time zone,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.list_audit_links(first bigint, last bigint)
 RETURNS TABLE(sequence bigint, previous_hash text, hash text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT e.sequence,
     e.previous_hash,
     e.hash
    FROM audit_entry e
   WHERE ((e.org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid) AND ((e.sequence >= list_audit_links.first) AND (e.sequence <= list_audit_links.last)));
END;
ALTER FUNCTION list_audit_links(bigint,bigint) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION list_audit_links(bigint,bigint) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.list_encryption_key_ids()
 RETURNS TABLE(key_id text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT split_part(c.encrypted_credentials, '.'::text, 2) AS split_part
    FROM app_configuration c
 UNION
  SELECT split_part(p.access_token, '.'::text, 2) AS split_part
    FROM user_account p
   WHERE (p.access_token IS NOT NULL)
 UNION
  SELECT split_part(p.refresh_token, '.'::text, 2) AS split_part
    FROM user_account p
   WHERE (p.refresh_token IS NOT NULL)
 UNION
  SELECT split_part(k.encrypted_private_key, '.'::text, 2) AS split_part
    FROM signing_key k
   WHERE (k.encrypted_private_key IS NOT NULL);
END;
ALTER FUNCTION list_encryption_key_ids() OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION list_encryption_key_ids() TO shipgate_app;

CREATE OR REPLACE FUNCTION public.list_installed_organizations()
 RETURNS TABLE(org_id uuid, login text, installation_id bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT o.org_id,
     o.login,
     o.installation_id
    FROM organization o
   WHERE ((o.installation_id IS NOT NULL) AND (o.suspended_at IS NULL));
END;
ALTER FUNCTION list_installed_organizations() OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION list_installed_organizations() TO shipgate_app;

CREATE OR REPLACE FUNCTION public.list_named_users(ids bigint[], logins text[])
 RETURNS TABLE(github_id bigint, login text, avatar_url text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT p.github_id,
     p.login,
     p.avatar_url
    FROM (user_account p
      JOIN member m ON ((m.person = p.github_id)))
   WHERE ((m.org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid) AND ((p.github_id = ANY (list_named_users.ids)) OR (lower(p.login) = ANY (list_named_users.logins))))
   ORDER BY p.updated_at;
END;
ALTER FUNCTION list_named_users(bigint[],text[]) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION list_named_users(bigint[],text[]) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.list_organizations()
 RETURNS TABLE(org_id uuid, login text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT o.org_id,
     o.login
    FROM organization o
   ORDER BY o.login, o.org_id;
END;
ALTER FUNCTION list_organizations() OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION list_organizations() TO shipgate_app;

CREATE OR REPLACE FUNCTION public.list_public_keys()
 RETURNS TABLE(key_id text, public_key text, made_at timestamp with time zone, retired_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT k.key_id,
     k.public_key,
     k.created_at AS made_at,
     k.retired_at
    FROM signing_key k;
END;
ALTER FUNCTION list_public_keys() OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION list_public_keys() TO shipgate_app;

CREATE OR REPLACE FUNCTION public.list_secrets_of_other_keys(current_key text, wanted integer)
 RETURNS TABLE(kind text, owner text, ciphertext text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT secret.kind,
     secret.owner,
     secret.ciphertext
    FROM ( SELECT 'app_credentials'::text AS kind,
             ''::text AS owner,
             c.encrypted_credentials AS ciphertext
            FROM app_configuration c
         UNION ALL
          SELECT 'signing_key'::text AS text,
             k.key_id,
             k.encrypted_private_key
            FROM signing_key k
           WHERE (k.encrypted_private_key IS NOT NULL)
         UNION ALL
          SELECT 'access_token'::text AS text,
             (u.github_id)::text AS github_id,
             u.access_token
            FROM user_account u
           WHERE (u.access_token IS NOT NULL)
         UNION ALL
          SELECT 'refresh_token'::text AS text,
             (u.github_id)::text AS github_id,
             u.refresh_token
            FROM user_account u
           WHERE (u.refresh_token IS NOT NULL)) secret
   WHERE (split_part(secret.ciphertext, '.'::text, 2) <> list_secrets_of_other_keys.current_key)
  LIMIT list_secrets_of_other_keys.wanted;
END;
ALTER FUNCTION list_secrets_of_other_keys(text,integer) OWNER TO shipgate_lookup;

CREATE OR REPLACE FUNCTION public.list_signed_in_users(used_after timestamp with time zone, created_after timestamp with time zone, ahead timestamp with time zone)
 RETURNS TABLE(github_id bigint, login text, name text, avatar_url text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT p.github_id,
     p.login,
     p.name,
     p.avatar_url
    FROM user_account p
   WHERE (EXISTS ( SELECT
            FROM session s
           WHERE ((s.user_id = p.github_id) AND (s.ended_at IS NULL) AND is_session_active(s.created_at, s.last_seen_at, list_signed_in_users.created_after, list_signed_in_users.used_after, list_signed_in_users.ahead))))
   ORDER BY p.github_id;
END;
ALTER FUNCTION list_signed_in_users(timestamp with time zone,timestamp with time zone,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION list_signed_in_users(timestamp with time zone,timestamp with time zone,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.list_upgrade_requests(wanted_status text, after_time timestamp with time zone, after_id uuid, at_most integer, skipped bigint)
 RETURNS TABLE(login text, id uuid, status text, note text, requested_by bigint, requested_at timestamp with time zone, decided_at timestamp with time zone, payment_reference text, reason text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT o.login,
     u.id,
     u.status,
     u.note,
     u.requested_by,
     u.requested_at,
     u.decided_at,
     u.payment_reference,
     u.reason
    FROM (upgrade_request u
      JOIN organization o ON ((o.org_id = u.org_id)))
   WHERE (((list_upgrade_requests.wanted_status IS NULL) OR (u.status = list_upgrade_requests.wanted_status)) AND ((list_upgrade_requests.after_time IS NULL) OR (u.requested_at < list_upgrade_requests.after_time) OR ((u.requested_at = list_upgrade_requests.after_time) AND (u.id > list_upgrade_requests.after_id))))
   ORDER BY u.requested_at DESC, u.id
  OFFSET list_upgrade_requests.skipped
  LIMIT list_upgrade_requests.at_most;
END;
ALTER FUNCTION list_upgrade_requests(text,timestamp with time zone,uuid,integer,bigint) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION list_upgrade_requests(text,timestamp with time zone,uuid,integer,bigint) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.list_users(wanted bigint[])
 RETURNS TABLE(github_id bigint, login text, name text, avatar_url text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT p.github_id,
     p.login,
     p.name,
     p.avatar_url
    FROM user_account p
   WHERE (p.github_id = ANY (list_users.wanted));
END;
ALTER FUNCTION list_users(bigint[]) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION list_users(bigint[]) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.list_users_with_active_session(user_ids bigint[], used_after timestamp with time zone, created_after timestamp with time zone, ahead timestamp with time zone)
 RETURNS TABLE(user_id bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT DISTINCT s.user_id
    FROM session s
   WHERE ((s.user_id = ANY (list_users_with_active_session.user_ids)) AND (s.ended_at IS NULL) AND is_session_active(s.created_at, s.last_seen_at, list_users_with_active_session.created_after, list_users_with_active_session.used_after, list_users_with_active_session.ahead));
END;
ALTER FUNCTION list_users_with_active_session(bigint[],timestamp with time zone,timestamp with time zone,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION list_users_with_active_session(bigint[],timestamp with time zone,timestamp with time zone,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.list_workspaces_by_user(holder bigint)
 RETURNS TABLE(org_id uuid, login text, role text, installed boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT m.org_id,
     o.login,
     m.role,
     ((o.installation_id IS NOT NULL) AND (o.suspended_at IS NULL))
    FROM (member m
      JOIN organization o ON ((o.org_id = m.org_id)))
   WHERE (m.person = list_workspaces_by_user.holder)
   ORDER BY (lower(o.login)), m.org_id;
END;
ALTER FUNCTION list_workspaces_by_user(bigint) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION list_workspaces_by_user(bigint) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.list_workspaces_with_tokens(received timestamp with time zone)
 RETURNS TABLE(org_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT DISTINCT t.org_id
    FROM repository_token t
   WHERE (t.received_at <= list_workspaces_with_tokens.received);
END;
ALTER FUNCTION list_workspaces_with_tokens(timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION list_workspaces_with_tokens(timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.measure_storage(free_quota double precision, pro_quota double precision)
 RETURNS TABLE(used_bytes double precision, nearly_full bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT COALESCE(sum(stored.bytes), (0)::double precision) AS "coalesce",
     count(*) FILTER (WHERE (stored.bytes > ((0.9)::double precision *
         CASE o.plan
             WHEN 'pro'::text THEN measure_storage.pro_quota
             ELSE measure_storage.free_quota
         END))) AS count
    FROM (organization o
      CROSS JOIN LATERAL ( SELECT (sum(c.bytes))::double precision AS bytes
            FROM storage_usage_change c
           WHERE (c.org_id = o.org_id)) stored);
END;
ALTER FUNCTION measure_storage(double precision,double precision) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION measure_storage(double precision,double precision) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.measure_syncs(moment timestamp with time zone, overdue_seconds double precision)
 RETURNS TABLE(workspaces bigint, oldest_seconds double precision, overdue bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT count(*) AS count,
     (EXTRACT(epoch FROM (measure_syncs.moment - min(synced.at))))::double precision AS "extract",
     count(*) FILTER (WHERE ((EXTRACT(epoch FROM (measure_syncs.moment - synced.at)))::double precision > measure_syncs.overdue_seconds)) AS count
    FROM (organization o
      CROSS JOIN LATERAL ( SELECT COALESCE(max(s.finished_at) FILTER (WHERE (s.failure IS NULL)), min(s.begun_at)) AS at
            FROM sync_run s
           WHERE (s.org_id = o.org_id)) synced)
   WHERE ((o.installation_id IS NOT NULL) AND (o.suspended_at IS NULL));
END;
ALTER FUNCTION measure_syncs(timestamp with time zone,double precision) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION measure_syncs(timestamp with time zone,double precision) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.note_untrusted_forwarder(forwarder text, seen timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO untrusted_forwarder AS held (address, seen_at)
   VALUES (note_untrusted_forwarder.forwarder, note_untrusted_forwarder.seen) ON CONFLICT(only_row) DO UPDATE SET address = excluded.address, seen_at = excluded.seen_at
   WHERE (held.seen_at < excluded.seen_at);
END;
ALTER FUNCTION note_untrusted_forwarder(text,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION note_untrusted_forwarder(text,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.notify_member_removal()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
        begin
          perform pg_notify('shipgate_events', 'member ' || old.org_id || ' ' || old.person);
          return null;
        end $function$;

CREATE OR REPLACE FUNCTION public.notify_session_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
        begin
          perform pg_notify('shipgate_events', 'session ' || encode(new.id_hash, 'hex'));
          return null;
        end $function$;

CREATE OR REPLACE FUNCTION public.probe_write(needs_space boolean)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO write_probe AS held (probed_at, filler)
   VALUES (clock_timestamp(),
         CASE
             WHEN probe_write.needs_space THEN repeat('x'::text, 131072)
             ELSE NULL::text
         END) ON CONFLICT(only_row) DO UPDATE SET probed_at = excluded.probed_at, filler = excluded.filler;
END;
ALTER FUNCTION probe_write(boolean) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION probe_write(boolean) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.publish_workflows(paths text[], blob_shas text[], revision text, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO published_workflow (path, blob_sha, revision, published_at)  SELECT file.path,
             file.blob_sha,
             publish_workflows.revision AS revision,
             publish_workflows.at AS at
            FROM UNNEST(publish_workflows.paths, publish_workflows.blob_shas) file(path, blob_sha) ON CONFLICT(path, blob_sha) DO NOTHING;
END;
ALTER FUNCTION publish_workflows(text[],text[],text,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION publish_workflows(text[],text[],text,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.replace_encrypted_secret(kind text, owner text, former text, successor text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
        begin
          case kind
            when 'app_credentials' then
              update public.app_configuration set encrypted_credentials = successor where encrypted_credentials = former;
            when 'signing_key' then
              update public.signing_key set encrypted_private_key = successor
              where key_id = owner and encrypted_private_key = former;
            when 'access_token' then
              update public.user_account set access_token = successor
              where github_id = owner::bigint and access_token = former;
            when 'refresh_token' then
              update public.user_account set refresh_token = successor
              where github_id = owner::bigint and refresh_token = former;
          end case;
          return found;
        end $function$;
ALTER FUNCTION replace_encrypted_secret(text,text,text,text) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION replace_encrypted_secret(text,text,text,text) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.replace_signing_key(old_id text, new_id text, new_public_key text, sealed text, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
    begin
      update public.signing_key k set retired_at = at, encrypted_private_key = null
      where k.key_id = old_id and k.retired_at is null;
      if not found then return false; end if;
      insert into public.signing_key (key_id, public_key, encrypted_private_key, created_at)
      values (new_id, new_public_key, sealed, at);
      return true;
    end $function$;
ALTER FUNCTION replace_signing_key(text,text,text,text,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION replace_signing_key(text,text,text,text,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.restore_report_content(digest text, content bytea, object text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
      declare
        tenant constant uuid := nullif(current_setting('app.org_id', true), '')::uuid;
        gone timestamptz;
      begin
        select removed_at into gone from report_content where org_id = tenant and sha256 = digest;
        if gone is null then
          select removed_at into gone from report_content where org_id = tenant and sha256 = digest for share;
          -- It was deleted while this waited. Two uploads that share the row could not both change it.
          if gone is not null then
            raise exception 'The content is deleted at this moment.' using errcode = 'lock_not_available';
          end if;
          return false;
        end if;
        update report_content set bytes = content, location = object, removed_at = null
        where org_id = tenant and sha256 = digest and removed_at is not null;
        return found;
      end $function$;
GRANT EXECUTE ON FUNCTION restore_report_content(text,bytea,text) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.select_workspace(session_hash bytea, selected uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 UPDATE user_account SET last_workspace_id = select_workspace.selected
   WHERE (user_account.github_id = ( SELECT s.user_id AS person
            FROM session s
           WHERE ((s.id_hash = select_workspace.session_hash) AND (s.ended_at IS NULL))));
 UPDATE session SET workspace_id = select_workspace.selected
   WHERE ((session.id_hash = select_workspace.session_hash) AND (session.ended_at IS NULL));
END;
ALTER FUNCTION select_workspace(bytea,uuid) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION select_workspace(bytea,uuid) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.set_delivery_scan_position(until timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO delivery_scan (scanned_until)
   VALUES (set_delivery_scan_position.until) ON CONFLICT(only_one) DO UPDATE SET scanned_until = GREATEST(delivery_scan.scanned_until, excluded.scanned_until);
END;
ALTER FUNCTION set_delivery_scan_position(timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION set_delivery_scan_position(timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.take_scheduled_interval(job_name text, every_seconds integer)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
          with taken as (
            insert into public.scheduled_job as job (name, due_at)
            values (job_name, to_timestamp(floor(extract(epoch from now()) / every_seconds) * every_seconds))
            on conflict (name) do update set due_at = excluded.due_at
              where job.due_at < excluded.due_at or job.due_at > now() + interval '1 minute'
            returning 1)
          select exists (select from taken)
        $function$;
ALTER FUNCTION take_scheduled_interval(text,integer) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION take_scheduled_interval(text,integer) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.touch_session(session_hash bytea, at timestamp with time zone, ahead timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 UPDATE session SET last_seen_at =
         CASE
             WHEN (session.last_seen_at < touch_session.ahead) THEN GREATEST(session.last_seen_at, touch_session.at)
             ELSE touch_session.at
         END
   WHERE ((session.id_hash = touch_session.session_hash) AND (session.ended_at IS NULL));
END;
ALTER FUNCTION touch_session(bytea,timestamp with time zone,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION touch_session(bytea,timestamp with time zone,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.update_user_tokens(holder bigint, seen_version integer, sealed_access text, access_until timestamp with time zone, sealed_refresh text, refresh_until timestamp with time zone, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
    begin
      update public.user_account set access_token = sealed_access, access_expires_at = access_until,
        refresh_token = sealed_refresh, refresh_expires_at = refresh_until, tokens_version = seen_version + 1,
        refresh_leased_until = '-infinity', updated_at = at
      where github_id = holder and tokens_version = seen_version;
      return found;
    end $function$;
ALTER FUNCTION update_user_tokens(bigint,integer,text,timestamp with time zone,text,timestamp with time zone,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION update_user_tokens(bigint,integer,text,timestamp with time zone,text,timestamp with time zone,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.upsert_user(person bigint, person_login text, person_name text, person_avatar text, sealed_access text, access_until timestamp with time zone, sealed_refresh text, refresh_until timestamp with time zone, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO user_account AS known (github_id, login, name, avatar_url, access_token, access_expires_at, refresh_token, refresh_expires_at, tokens_version, created_at, updated_at)
   VALUES (upsert_user.person, upsert_user.person_login, upsert_user.person_name, upsert_user.person_avatar, upsert_user.sealed_access, upsert_user.access_until, upsert_user.sealed_refresh, upsert_user.refresh_until, 1, upsert_user.at, upsert_user.at) ON CONFLICT(github_id) DO UPDATE SET login = excluded.login, name = excluded.name, avatar_url = excluded.avatar_url, access_token = excluded.access_token, access_expires_at = excluded.access_expires_at, refresh_token = excluded.refresh_token, refresh_expires_at = excluded.refresh_expires_at, tokens_version = (known.tokens_version + 1), updated_at = excluded.updated_at;
END;
ALTER FUNCTION upsert_user(bigint,text,text,text,text,timestamp with time zone,text,timestamp with time zone,timestamp with time zone) OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION upsert_user(bigint,text,text,text,text,timestamp with time zone,text,timestamp with time zone,timestamp with time zone) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.version_order(version text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT version_sort_key.version_sort_key
    FROM version_sort_key(version_order.version) version_sort_key(version_sort_key);
END;
GRANT EXECUTE ON FUNCTION version_order(text) TO shipgate_app;

CREATE OR REPLACE FUNCTION public.version_sort_key(version text)
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
GRANT EXECUTE ON FUNCTION version_sort_key(text) TO shipgate_app;
