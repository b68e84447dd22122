import {
  enableTenantIsolation,
  grantLookup,
  grantToApp,
  restrictToReleaseViewer,
  restrictToViewer,
} from '../tenancy-sql.js';

/** The tables with an `org_id`. */
const TENANT_TABLES = [
  'api_key',
  'audit_entry',
  'break_glass_request',
  'decision',
  'deployment',
  'deployment_freeze',
  'deployment_hold',
  'deployment_record',
  'event',
  'event_sequence',
  'evidence',
  'evidence_coverage',
  'evidence_facet',
  'evidence_pull_request',
  'evidence_report',
  'fact_hint',
  'gate_confirmation',
  'identity_token_use',
  'ignored_milestone',
  'invite',
  'member',
  'observation',
  'organization',
  'personal_key',
  'project',
  'project_repository',
  'promotion',
  'protection_rule',
  'published_evidence',
  'release',
  'report_content',
  'report_content_block',
  'repository',
  'repository_access',
  'repository_count_change',
  'repository_protection',
  'repository_setup',
  'repository_sync',
  'repository_token',
  'run_coverage',
  'scope_lock',
  'stage_transition',
  'storage_usage_change',
  'sync_follow_up',
  'sync_run',
  'tampered_file',
  'tampering_issue',
  'test_comparison',
  'test_results',
  'upgrade_request',
  'upload_idempotency_key',
  'waiver',
  'watched_branch',
  'watched_file',
  'workflow_installation',
  'workflow_job',
  'workflow_update',
];

/** The tenant tables that look-ups read in all workspaces. */
const READ_BY_LOOKUPS = [
  'api_key',
  'audit_entry',
  'invite',
  'member',
  'organization',
  'personal_key',
  'repository_token',
  'storage_usage_change',
  'sync_run',
  'upgrade_request',
];

/** The tables whose rows a viewer reads with the repository. */
const OF_REPOSITORY = [
  'deployment',
  'deployment_hold',
  'ignored_milestone',
  'project_repository',
  'protection_rule',
  'repository_protection',
  'repository_setup',
  'repository_sync',
  'tampered_file',
  'tampering_issue',
  'watched_branch',
  'watched_file',
  'workflow_installation',
  'workflow_job',
  'workflow_update',
];

/** The same for long lists: the viewer is read once in a statement, not once in a row. */
const LISTED_OF_REPOSITORY = [
  'deployment_record',
  'evidence',
  'evidence_facet',
  'evidence_pull_request',
  'observation',
  'release',
  'repository_count_change',
  'test_comparison',
];

/** The tables whose rows a viewer reads with the release. */
const OF_RELEASE = [
  'break_glass_request',
  'decision',
  'gate_confirmation',
  'promotion',
  'published_evidence',
  'run_coverage',
  'stage_transition',
  'waiver',
];

/** The tables that the runtime role reads and writes. */
const READ_WRITE = [
  'api_key',
  'break_glass_request',
  'deployment',
  'deployment_freeze',
  'deployment_hold',
  'event',
  'event_sequence',
  'evidence_coverage',
  'evidence_pull_request',
  'fact_hint',
  'identity_token_use',
  'ignored_milestone',
  'invite',
  'member',
  'observation',
  'organization',
  'personal_key',
  'project',
  'project_repository',
  'promotion',
  'protection_rule',
  'release',
  'repository',
  'repository_access',
  'repository_count_change',
  'repository_protection',
  'repository_setup',
  'repository_sync',
  'repository_token',
  'run_coverage',
  'scope_lock',
  'storage_usage_change',
  'sync_follow_up',
  'sync_run',
  'tampered_file',
  'tampering_issue',
  'test_comparison',
  'upgrade_request',
  'upload_idempotency_key',
  'waiver',
  'watched_branch',
  'watched_file',
  'workflow_installation',
  'workflow_update',
];

/** The tables that the runtime role only reads and adds to. */
const APPEND_ONLY = [
  'audit_entry',
  'decision',
  'deployment_record',
  'evidence',
  'evidence_facet',
  'evidence_report',
  'gate_confirmation',
  'published_evidence',
  'report_content',
  'report_content_block',
  'stage_transition',
  'test_results',
  'workflow_job',
];

/** The definer functions that the runtime role may execute. */
const LOOKUPS = [
  'add_setup_code(bytea, timestamptz)',
  'add_signing_key(text, text, text, timestamptz)',
  'check_setup_code(bytea)',
  'complete_delivery(text, text, text, timestamptz)',
  'complete_setup(bytea, text, timestamptz)',
  'consume_login_attempt(bytea, timestamptz)',
  'count_dead_letters(bigint)',
  'count_deliveries_by_status()',
  'count_missed_deliveries()',
  'count_personal_keys(bigint, timestamptz)',
  'count_upgrade_requests(text)',
  'create_login_attempt(bytea, text, timestamptz)',
  'create_session(bytea, bigint, uuid, timestamptz)',
  'delete_missed_deliveries(timestamptz)',
  'delete_missed_delivery(text)',
  'delete_old_deliveries(timestamptz)',
  'delete_old_rate_limit_windows(timestamptz)',
  'delete_old_sessions(timestamptz, timestamptz)',
  'delete_unused_accounts(timestamptz, integer)',
  'end_session(bytea, timestamptz)',
  'enter_first_workspace(bigint, uuid)',
  'find_api_key(bytea)',
  'find_audit_head()',
  'find_gate_by_key(bytea, text, text, text)',
  'find_gate_by_owner(bigint, text, text, text)',
  'find_organization_by_installation(bigint)',
  'find_organization_by_owner(bigint)',
  'find_organizations_by_login(text)',
  'find_organizations_by_owners(bigint[])',
  'find_personal_key(bytea)',
  'find_published_workflow(text, text)',
  'find_signing_key()',
  'find_untrusted_forwarder()',
  'find_workspace_by_invite(uuid)',
  'find_workspace_by_upgrade_request(uuid)',
  'get_app_configuration()',
  'get_delivery(text)',
  'get_delivery_scan_position()',
  'get_last_workspace(bigint)',
  'get_session(bytea, timestamptz, timestamptz, timestamptz)',
  'get_user_tokens(bigint)',
  'insert_deliveries(text[], text[], bigint[], bigint[], timestamptz[], text[], integer)',
  'insert_missed_deliveries(text[], bigint[], timestamptz)',
  'is_session_active(timestamptz, timestamptz, timestamptz, timestamptz, timestamptz)',
  'lease_missed_delivery(timestamptz, integer, interval)',
  'lease_rate_limit_tokens(text, integer, integer, integer)',
  'lease_token_refresh(bigint, integer, timestamptz, timestamptz, timestamptz)',
  'list_audit_links(bigint, bigint)',
  'list_encryption_key_ids()',
  'list_installed_organizations()',
  'list_named_users(bigint[], text[])',
  'list_organizations()',
  'list_public_keys()',
  'list_signed_in_users(timestamptz, timestamptz, timestamptz)',
  'list_upgrade_requests(text, timestamptz, uuid, integer, bigint)',
  'list_users(bigint[])',
  'list_users_with_active_session(bigint[], timestamptz, timestamptz, timestamptz)',
  'list_workspaces_by_user(bigint)',
  'list_workspaces_with_tokens(timestamptz)',
  'measure_storage(double precision, double precision)',
  'measure_syncs(timestamptz, double precision)',
  'note_untrusted_forwarder(text, timestamptz)',
  'probe_write(boolean)',
  'publish_workflows(text[], text[], text, timestamptz)',
  'replace_encrypted_secret(text, text, text, text)',
  'replace_signing_key(text, text, text, text, timestamptz)',
  'select_workspace(bytea, uuid)',
  'set_delivery_scan_position(timestamptz)',
  'take_scheduled_interval(text, integer)',
  'touch_session(bytea, timestamptz, timestamptz)',
  'update_user_tokens(bigint, integer, text, timestamptz, text, timestamptz, timestamptz)',
  'upsert_user(bigint, text, text, text, text, timestamptz, text, timestamptz, timestamptz)',
];

/** The functions that the runtime role executes with its own rights. */
const APP_FUNCTIONS = [
  'archive_unshipped_releases(timestamptz, integer)',
  'assert_job_lease(integer, bigint, text, timestamptz)',
  'clear_removed_location(text)',
  'restore_report_content(text, bytea, text)',
  'version_order(text)',
  'version_sort_key(text)',
];

/** The definer functions that only other functions execute. */
const INTERNAL_LOOKUPS = ['list_secrets_of_other_keys(text, integer)'];

/** The functions of triggers. */
const INTERNAL_FUNCTIONS = [
  'assign_event_sequence()',
  'count_record_change()',
  'count_release_change()',
  'notify_member_removal()',
  'notify_session_change()',
];

const OTHER_VIEWERS = `
CREATE POLICY viewer ON audit_entry AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (( SELECT NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL) OR NOT (EXISTS ( SELECT
   FROM unnest(audit_entry.repository_ids) concerned(id)
  WHERE concerned.id IS NULL OR NOT (concerned.id IN ( SELECT r.id
           FROM repository r)))));
CREATE POLICY viewer ON event AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR repository_id IS NULL OR (repository_id IN ( SELECT r.id
   FROM repository r)));
CREATE POLICY viewer ON evidence_coverage AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (EXISTS ( SELECT
   FROM evidence e
  WHERE e.org_id = evidence_coverage.org_id AND e.id = evidence_coverage.evidence_id)));
CREATE POLICY viewer ON evidence_report AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL OR (EXISTS ( SELECT
   FROM evidence e
  WHERE e.org_id = evidence_report.org_id AND e.id = evidence_report.evidence_id)));
CREATE POLICY viewer ON repository AS RESTRICTIVE FOR SELECT TO shipgate_app
  USING (( SELECT NULLIF(current_setting('app.viewer'::text, true), ''::text) IS NULL) OR NOT private OR (github_id IN ( SELECT a.repository_github_id
   FROM repository_access a
  WHERE a.person = NULLIF(current_setting('app.viewer'::text, true), ''::text)::bigint)));
`;

const OTHER_GRANTS = `
GRANT SELECT (org_id, id, secret_hash, scopes, repository_ids, expires_at, revoked_at, last_used_at) ON api_key TO shipgate_lookup;
GRANT INSERT, SELECT ON app_configuration TO shipgate_lookup;
GRANT UPDATE (encrypted_credentials) ON app_configuration TO shipgate_lookup;
GRANT SELECT (org_id, sequence, previous_hash, hash) ON audit_entry TO shipgate_lookup;
GRANT DELETE, INSERT, SELECT, UPDATE ON delivery_scan TO shipgate_lookup;
GRANT USAGE ON SEQUENCE fact_number TO shipgate_app;
GRANT SELECT (org_id, id) ON invite TO shipgate_lookup;
GRANT DELETE, INSERT, SELECT ON login_attempt TO shipgate_lookup;
GRANT SELECT (org_id, person, role, confirmed_at, access_observed_at, auditor) ON member TO shipgate_lookup;
GRANT DELETE, INSERT, SELECT, UPDATE ON missed_delivery TO shipgate_lookup;
GRANT SELECT (org_id, github_id, login, installation_id, suspended_at, plan) ON organization TO shipgate_lookup;
GRANT SELECT (org_id, id, person, secret_hash, scope, expires_at, revoked_at, last_used_at) ON personal_key TO shipgate_lookup;
GRANT INSERT, SELECT ON published_workflow TO shipgate_lookup;
GRANT DELETE, INSERT, SELECT, UPDATE ON rate_limit_window TO shipgate_lookup;
GRANT SELECT ON release TO shipgate_lookup;
GRANT SELECT ON repository TO shipgate_lookup;
GRANT SELECT (org_id, received_at) ON repository_token TO shipgate_lookup;
GRANT INSERT, SELECT, UPDATE ON scheduled_job TO shipgate_lookup;
GRANT DELETE, INSERT, SELECT, UPDATE ON session TO shipgate_lookup;
GRANT DELETE, INSERT, SELECT ON setup_code TO shipgate_lookup;
GRANT INSERT, SELECT, UPDATE ON signing_key TO shipgate_lookup;
GRANT SELECT (org_id, bytes) ON storage_usage_change TO shipgate_lookup;
GRANT SELECT (org_id, begun_at, finished_at, failure) ON sync_run TO shipgate_lookup;
GRANT INSERT, SELECT, UPDATE ON untrusted_forwarder TO shipgate_lookup;
GRANT SELECT ON upgrade_request TO shipgate_lookup;
GRANT DELETE, INSERT, SELECT, UPDATE ON user_account TO shipgate_lookup;
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_delivery TO shipgate_lookup;
GRANT INSERT, SELECT, UPDATE ON write_probe TO shipgate_lookup;
`;

const concat = (names: readonly string[], toSql: (name: string) => string): string => names.map(toSql).join('');

/** What each role may do with each table. */
export const TABLE_ACCESS = [
  concat(TENANT_TABLES, enableTenantIsolation),
  concat(
    READ_BY_LOOKUPS,
    (table) => `
  create policy look_up on ${table} for select to shipgate_lookup using (true);`,
  ),
  concat(OF_REPOSITORY, restrictToViewer),
  concat(
    LISTED_OF_REPOSITORY,
    (table) => `
  create policy viewer on ${table} as restrictive for select to shipgate_app using (
    (select nullif(current_setting('app.viewer', true), '') is null) or repository_id in (select r.id from repository r));`,
  ),
  concat(OF_RELEASE, restrictToReleaseViewer),
  OTHER_VIEWERS,
  concat(READ_WRITE, (table) => grantToApp(table, 'read-write')),
  concat(APPEND_ONLY, (table) => grantToApp(table, 'append-only')),
  OTHER_GRANTS,
].join('\n');

/** Who may execute each function. Nothing is left to PUBLIC. */
export const FUNCTION_ACCESS = [
  concat(
    [...APP_FUNCTIONS, ...INTERNAL_FUNCTIONS],
    (signature) => `
  revoke all on function ${signature} from public;`,
  ),
  concat(
    APP_FUNCTIONS,
    (signature) => `
  grant execute on function ${signature} to shipgate_app;`,
  ),
  concat(
    INTERNAL_LOOKUPS,
    (signature) => `
  alter function ${signature} owner to shipgate_lookup;
  revoke all on function ${signature} from public;`,
  ),
  concat(LOOKUPS, grantLookup),
].join('\n');
