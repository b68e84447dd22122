import type { MigrationInterface, QueryRunner } from 'typeorm';
import { archiveFunction } from './create-reported-deployments/archive-function.sql.js';
import { enableTenantIsolation, grantToApp, restrictToViewer } from './tenancy-sql.js';

const KEY_SCOPES = `
ALTER TABLE api_key DROP CONSTRAINT api_key_scopes_check;
ALTER TABLE api_key ADD CONSTRAINT api_key_scopes_check
  CHECK (scopes <@ ARRAY['evidence:write'::text, 'gate:read'::text, 'deployment:write'::text] AND cardinality(scopes) > 0);
`;

const EVENTS = `
ALTER TABLE event DROP CONSTRAINT event_type_check;
ALTER TABLE event ADD CONSTRAINT event_type_check CHECK (type = ANY (ARRAY['sync.started'::text, 'sync.progress'::text, 'sync.completed'::text, 'sync.failed'::text, 'release.updated'::text, 'review.updated'::text, 'repo.updated'::text, 'evidence.received'::text, 'workspace.updated'::text, 'deployment.updated'::text]));
`;

const TABLES = `
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
  CONSTRAINT reported_deployment_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id),
  CONSTRAINT reported_deployment_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id)
);
CREATE UNIQUE INDEX reported_deployment_by_reported_id ON reported_deployment USING btree (org_id, repository_id, lower(environment), reported_id);
CREATE INDEX reported_deployment_by_time ON reported_deployment USING btree (org_id, created_at DESC, id) INCLUDE (repository_id);
CREATE INDEX reported_deployment_of_release ON reported_deployment USING btree (org_id, release_id, created_at DESC, id) WHERE release_id IS NOT NULL;
CREATE INDEX reported_deployment_of_repository ON reported_deployment USING btree (org_id, repository_id, created_at DESC, id);

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
  CONSTRAINT deployment_report_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT deployment_report_status_check CHECK (status = ANY (ARRAY['started'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'unknown'::text])),
  CONSTRAINT deployment_report_start_check CHECK ((status = 'started'::text OR can_deploy IS NULL) AND (can_deploy IS NULL) = (at_target IS NULL) AND (can_deploy IS NULL) = (reasons IS NULL)),
  CONSTRAINT deployment_report_open_check CHECK (can_deploy IS NOT TRUE OR release_id IS NOT NULL AND decision_id IS NOT NULL),
  CONSTRAINT deployment_report_source_check CHECK (status <> 'unknown'::text OR reported_by IS NULL),
  CONSTRAINT deployment_report_org_id_decision_id_fkey FOREIGN KEY (org_id, decision_id) REFERENCES decision(org_id, id),
  CONSTRAINT deployment_report_org_id_deployment_id_fkey FOREIGN KEY (org_id, deployment_id) REFERENCES reported_deployment(org_id, id),
  CONSTRAINT deployment_report_org_id_release_id_fkey FOREIGN KEY (org_id, release_id) REFERENCES release(org_id, id),
  CONSTRAINT deployment_report_org_id_repository_id_fkey FOREIGN KEY (org_id, repository_id) REFERENCES repository(org_id, id)
);
-- One start, one end, and one time after which the end does not count.
CREATE UNIQUE INDEX deployment_report_once ON deployment_report USING btree (org_id, deployment_id, (CASE status WHEN 'started'::text THEN 1 WHEN 'unknown'::text THEN 2 ELSE 3 END));
CREATE INDEX deployment_report_of_decision ON deployment_report USING btree (org_id, decision_id) WHERE decision_id IS NOT NULL;
CREATE INDEX deployment_report_of_run ON deployment_report USING btree (org_id, repository_id, run_id) WHERE run_id IS NOT NULL;
CREATE INDEX deployment_report_of_token ON deployment_report USING btree (org_id, (reported_by ->> 'jti'::text)) WHERE (reported_by ->> 'jti'::text) IS NOT NULL;
CREATE INDEX deployment_report_started ON deployment_report USING btree (org_id, repository_id, received_at) WHERE status = 'started'::text;
CREATE INDEX deployment_report_succeeded ON deployment_report USING btree (org_id, repository_id, received_at DESC) WHERE status = 'succeeded'::text;

ALTER TABLE deployment ADD COLUMN run_id bigint;
CREATE INDEX deployment_of_run ON deployment USING btree (org_id, repository_id, run_id) WHERE run_id IS NOT NULL;

ALTER TABLE deployment_record ADD COLUMN reported_deployment_id uuid;
ALTER TABLE deployment_record ADD CONSTRAINT deployment_record_org_id_reported_deployment_id_fkey
  FOREIGN KEY (org_id, reported_deployment_id) REFERENCES reported_deployment(org_id, id);
CREATE UNIQUE INDEX deployment_record_of_report ON deployment_record USING btree (org_id, reported_deployment_id) WHERE reported_deployment_id IS NOT NULL;
`;

/** The tables that refer to decisions before this migration, and keep them from being archived. */
const REFERRING = ['gate_confirmation', 'deployment_hold'];

/**
 * Creates the tables of deployments that CI systems report: the deployment, and its reports, which never change. A record of the history
 * names the reported deployment behind it.
 */
export class CreateReportedDeployments1797000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(KEY_SCOPES);
    await runner.query(EVENTS);
    await runner.query(TABLES);
    await runner.query(archiveFunction([...REFERRING, 'deployment_report']));
    for (const table of ['reported_deployment', 'deployment_report']) {
      await runner.query(enableTenantIsolation(table));
      await runner.query(restrictToViewer(table));
      await runner.query(grantToApp(table, 'append-only'));
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(archiveFunction(REFERRING));
    await runner.query(`
      alter table deployment_record drop column reported_deployment_id;
      alter table deployment drop column run_id;
      drop table deployment_report;
      drop table reported_deployment;
      delete from event where type = 'deployment.updated';
      alter table event drop constraint event_type_check;
      alter table event add constraint event_type_check CHECK (type = ANY (ARRAY['sync.started'::text, 'sync.progress'::text, 'sync.completed'::text, 'sync.failed'::text, 'release.updated'::text, 'review.updated'::text, 'repo.updated'::text, 'evidence.received'::text, 'workspace.updated'::text]));
      delete from api_key where scopes = array['deployment:write'];
      update api_key set scopes = array_remove(scopes, 'deployment:write') where 'deployment:write' = any(scopes);
      alter table api_key drop constraint api_key_scopes_check;
      alter table api_key add constraint api_key_scopes_check
        CHECK (scopes <@ ARRAY['evidence:write'::text, 'gate:read'::text] AND cardinality(scopes) > 0);
    `);
  }
}
