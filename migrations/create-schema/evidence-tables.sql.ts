/** The tables of evidence, its reports and its test results. */
export const EVIDENCE_TABLES = String.raw`
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
  CONSTRAINT evidence_commit_source_check CHECK (commit_source = ANY (ARRAY['token'::text, 'stated'::text, 'candidate'::text, 'branch_head'::text])),
  CONSTRAINT evidence_job_group CHECK ((job_group IS NULL) = (job_total IS NULL)),
  CONSTRAINT evidence_job_total_check CHECK (job_total >= 1 AND job_total <= 256),
  CONSTRAINT evidence_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT evidence_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
);
CREATE INDEX evidence_by_release ON evidence USING btree (org_id, release_id, sequence);
CREATE UNIQUE INDEX evidence_once_a_job ON evidence USING btree (org_id, release_id, md5(run_id), run_attempt, md5(job), COALESCE(check_run_id, 0::bigint), md5(pipeline), sha256) WHERE run_id IS NOT NULL;

CREATE TABLE evidence_coverage (
  org_id uuid NOT NULL,
  evidence_id uuid NOT NULL,
  files bytea NOT NULL,
  CONSTRAINT evidence_coverage_pkey PRIMARY KEY (org_id, evidence_id),
  CONSTRAINT evidence_coverage_org_id_evidence_id_fkey FOREIGN KEY (org_id, evidence_id) REFERENCES evidence(org_id, id)
);

CREATE TABLE evidence_facet (
  org_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  release_id uuid NOT NULL,
  kind text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  CONSTRAINT evidence_facet_pkey PRIMARY KEY (org_id, repository_id, release_id, kind, environment),
  CONSTRAINT evidence_facet_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT evidence_facet_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
) WITH (autovacuum_vacuum_insert_scale_factor=0.02);
CREATE INDEX evidence_facet_by_environment ON evidence_facet USING btree (org_id, environment, release_id) INCLUDE (repository_id);
CREATE INDEX evidence_facet_by_kind ON evidence_facet USING btree (org_id, kind, environment, release_id) INCLUDE (repository_id);

CREATE TABLE report_content (
  org_id uuid NOT NULL,
  sha256 text NOT NULL,
  bytes bytea STORAGE EXTERNAL NOT NULL,
  location text,
  removed_at timestamp with time zone,
  CONSTRAINT report_content_pkey PRIMARY KEY (org_id, sha256),
  CONSTRAINT report_content_in_one_place CHECK (location IS NULL OR bytes = '\x'::bytea),
  CONSTRAINT report_content_org_id_fkey FOREIGN KEY (org_id) REFERENCES organization(org_id)
);
CREATE INDEX report_content_removed ON report_content USING btree (org_id, removed_at) WHERE removed_at IS NOT NULL AND location IS NOT NULL;

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

CREATE TABLE identity_token_use (
  org_id uuid NOT NULL,
  jti text NOT NULL,
  body_sha256 text NOT NULL,
  evidence_id uuid NOT NULL,
  used_at timestamp with time zone NOT NULL,
  CONSTRAINT identity_token_use_pkey PRIMARY KEY (org_id, jti, body_sha256),
  CONSTRAINT identity_token_use_org_id_evidence_id_fkey FOREIGN KEY (org_id, evidence_id) REFERENCES evidence(org_id, id)
);

CREATE TABLE report_content_block (
  org_id uuid NOT NULL,
  sha256 text NOT NULL,
  "position" integer NOT NULL,
  deflated bytea STORAGE EXTERNAL NOT NULL,
  CONSTRAINT report_content_block_pkey PRIMARY KEY (org_id, sha256, "position"),
  CONSTRAINT report_content_block_position_check CHECK ("position" > 0),
  CONSTRAINT report_content_block_org_id_sha256_fkey FOREIGN KEY (org_id, sha256) REFERENCES report_content(org_id, sha256)
);

CREATE TABLE run_coverage (
  org_id uuid NOT NULL,
  release_id uuid NOT NULL,
  digest text NOT NULL,
  evidence_ids uuid[] NOT NULL,
  covered bigint,
  total bigint,
  files bytea,
  CONSTRAINT run_coverage_pkey PRIMARY KEY (org_id, release_id, digest),
  CONSTRAINT run_coverage_counts CHECK ((covered IS NULL) = (total IS NULL)),
  CONSTRAINT run_coverage_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
);

CREATE TABLE test_comparison (
  org_id uuid NOT NULL,
  release_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  basis text NOT NULL,
  result jsonb NOT NULL,
  compared_at timestamp with time zone NOT NULL,
  CONSTRAINT test_comparison_pkey PRIMARY KEY (org_id, release_id),
  CONSTRAINT test_comparison_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT test_comparison_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
);

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
`;
