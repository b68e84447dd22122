import type { MigrationInterface, QueryRunner } from 'typeorm';
import { FUNCTION_ACCESS, TABLE_ACCESS } from './create-schema/access.js';
import { DELIVERY_FUNCTIONS } from './create-schema/delivery-functions.sql.js';
import { EVIDENCE_TABLES } from './create-schema/evidence-tables.sql.js';
import { LOOKUP_FUNCTIONS } from './create-schema/lookup-functions.sql.js';
import { RELEASE_TABLES, VERSION_FUNCTIONS } from './create-schema/release-tables.sql.js';
import { REPOSITORY_TABLES, SEQUENCES } from './create-schema/repository-tables.sql.js';
import { SERVICE_FUNCTIONS } from './create-schema/service-functions.sql.js';
import { SERVICE_TABLES } from './create-schema/service-tables.sql.js';
import { TRIGGER_FUNCTIONS, TRIGGERS } from './create-schema/trigger-functions.sql.js';
import { USER_FUNCTIONS } from './create-schema/user-functions.sql.js';
import { WORKSPACE_TABLES } from './create-schema/workspace-tables.sql.js';

/** Creates the schema of version 0.1.0, the first one that was released. */
export class CreateSchema1796000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A table follows the tables that it references. A SQL function follows everything that it uses.
    await runner.query(VERSION_FUNCTIONS);
    await runner.query(SEQUENCES);
    await runner.query(WORKSPACE_TABLES);
    await runner.query(REPOSITORY_TABLES);
    await runner.query(RELEASE_TABLES);
    await runner.query(EVIDENCE_TABLES);
    await runner.query(SERVICE_TABLES);
    await runner.query(TRIGGER_FUNCTIONS);
    await runner.query(TRIGGERS);
    await runner.query(USER_FUNCTIONS);
    await runner.query(DELIVERY_FUNCTIONS);
    await runner.query(LOOKUP_FUNCTIONS);
    await runner.query(SERVICE_FUNCTIONS);
    await runner.query(TABLE_ACCESS);
    await runner.query(FUNCTION_ACCESS);
  }

  /** Drops everything in the schema but the table of the migrations. The later migrations are reverted before. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      do $$ declare made record; begin
        for made in select oid::regclass as name from pg_class
            where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migration' loop
          execute format('drop table %s cascade', made.name);
        end loop;
        for made in select oid::regprocedure as name from pg_proc where pronamespace = 'public'::regnamespace loop
          execute format('drop function if exists %s cascade', made.name);
        end loop;
        drop sequence fact_number;
      end $$`);
  }
}
