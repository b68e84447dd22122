/** The tables of the service, of its users, and of webhook deliveries. They have no tenant, and only the look-up role has access to them. */
export const SERVICE_TABLES = `
CREATE TABLE app_configuration (
  only_one boolean DEFAULT true NOT NULL,
  encrypted_credentials text NOT NULL,
  configured_at timestamp with time zone NOT NULL,
  CONSTRAINT app_configuration_pkey PRIMARY KEY (only_one),
  CONSTRAINT app_configuration_only_one_check CHECK (only_one)
);

CREATE TABLE delivery_scan (
  only_one boolean DEFAULT true NOT NULL,
  scanned_until timestamp with time zone NOT NULL,
  CONSTRAINT delivery_scan_pkey PRIMARY KEY (only_one),
  CONSTRAINT delivery_scan_only_one_check CHECK (only_one)
);

CREATE TABLE login_attempt (
  secret_hash bytea NOT NULL,
  return_to text NOT NULL,
  started_at timestamp with time zone NOT NULL,
  CONSTRAINT login_attempt_pkey PRIMARY KEY (secret_hash)
);
CREATE INDEX login_attempt_by_time ON login_attempt USING btree (started_at);

CREATE TABLE missed_delivery (
  guid text NOT NULL,
  delivery_id bigint NOT NULL,
  redelivery_count integer DEFAULT 0 NOT NULL,
  next_redelivery_at timestamp with time zone NOT NULL,
  detected_at timestamp with time zone NOT NULL,
  CONSTRAINT missed_delivery_pkey PRIMARY KEY (guid)
);
CREATE INDEX missed_delivery_by_turn ON missed_delivery USING btree (next_redelivery_at);

CREATE TABLE published_workflow (
  path text NOT NULL,
  blob_sha text NOT NULL,
  revision text NOT NULL,
  published_at timestamp with time zone NOT NULL,
  CONSTRAINT published_workflow_pkey PRIMARY KEY (path, blob_sha),
  CONSTRAINT published_workflow_blob_sha_check CHECK (blob_sha ~ '^[0-9a-f]{40}$'::text)
);

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

CREATE TABLE scheduled_job (
  name text NOT NULL,
  due_at timestamp with time zone NOT NULL,
  CONSTRAINT scheduled_job_pkey PRIMARY KEY (name)
);

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

CREATE TABLE setup_code (
  code_hash bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT setup_code_pkey PRIMARY KEY (code_hash)
);

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

CREATE TABLE untrusted_forwarder (
  only_row boolean DEFAULT true NOT NULL,
  address text NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  CONSTRAINT untrusted_forwarder_pkey PRIMARY KEY (only_row),
  CONSTRAINT untrusted_forwarder_address_check CHECK (length(address) <= 64),
  CONSTRAINT untrusted_forwarder_only_row_check CHECK (only_row)
);

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

CREATE TABLE write_probe (
  only_row boolean DEFAULT true NOT NULL,
  probed_at timestamp with time zone NOT NULL,
  filler text STORAGE EXTERNAL,
  CONSTRAINT write_probe_pkey PRIMARY KEY (only_row),
  CONSTRAINT write_probe_only_row_check CHECK (only_row)
) WITH (fillfactor=50);
`;
