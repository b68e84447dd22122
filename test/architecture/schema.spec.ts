import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { dumpSchema } from '../support/schema-dump.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('migrations/schema.sql equals the schema that the migrations create (`npm run generate -- schema` writes it)', async () => {
  expect(await dumpSchema(database.superuserUrl)).toBe(readFileSync('migrations/schema.sql', 'utf8'));
});

it('the dump contains every part of a table, a sequence, a view and a function', async () => {
  await withDedicatedClient(database.superuserUrl, (client) =>
    client.query(`
      create sequence aa_number;
      grant usage on aa_number to shipgate_app;
      create unlogged table aa_sample (
        id bigint generated always as identity primary key,
        name text collate "C" not null default 'none',
        lower_name text generated always as (lower(name)) stored,
        bytes bytea storage external,
        parent bigint references aa_sample,
        unique (name, parent),
        constraint named check (name <> '')
      ) with (fillfactor = 50);
      create index aa_index on aa_sample (lower_name) where parent is null;
      create statistics aa_statistics (dependencies) on name, parent from aa_sample;
      alter table aa_sample enable row level security;
      alter table aa_sample force row level security;
      create policy aa_policy on aa_sample as restrictive for update to shipgate_app, shipgate_lookup
        using (true) with check (id > 0);
      create view aa_view with (security_invoker = true) as select id as number from aa_sample;
      grant select on aa_view to shipgate_app;
      create function aa_trigger() returns trigger language plpgsql as 'begin return new; end';
      create trigger aa_trigger before insert on aa_sample for each row execute function aa_trigger();
      alter function aa_trigger() owner to shipgate_lookup;
      grant update, select on aa_sample to shipgate_app;
      grant select (id, name) on aa_sample to public`),
  );
  const dump = await dumpSchema(database.superuserUrl);
  const parts = dump.split(/\n\n|\n$/).filter((part) => part.includes('aa_'));
  expect(parts).toEqual([
    `CREATE UNLOGGED TABLE aa_sample (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text COLLATE "C" DEFAULT 'none'::text NOT NULL,
  lower_name text GENERATED ALWAYS AS (lower(name)) STORED,
  bytes bytea STORAGE EXTERNAL,
  parent bigint,
  CONSTRAINT aa_sample_pkey PRIMARY KEY (id),
  CONSTRAINT aa_sample_name_parent_key UNIQUE (name, parent),
  CONSTRAINT aa_sample_parent_fkey FOREIGN KEY (parent) REFERENCES aa_sample(id),
  CONSTRAINT named CHECK (name <> ''::text)
) WITH (fillfactor=50);
CREATE INDEX aa_index ON aa_sample USING btree (lower_name) WHERE parent IS NULL;
CREATE STATISTICS public.aa_statistics (dependencies) ON name, parent FROM aa_sample;
ALTER TABLE aa_sample ENABLE ROW LEVEL SECURITY;
ALTER TABLE aa_sample FORCE ROW LEVEL SECURITY;
CREATE POLICY aa_policy ON aa_sample AS RESTRICTIVE FOR UPDATE TO shipgate_app, shipgate_lookup
  USING (true)
  WITH CHECK (id > 0);
CREATE TRIGGER aa_trigger BEFORE INSERT ON aa_sample FOR EACH ROW EXECUTE FUNCTION aa_trigger();
ALTER TABLE aa_sample OWNER TO postgres;
GRANT SELECT, UPDATE ON aa_sample TO shipgate_app;
GRANT SELECT (id, name) ON aa_sample TO PUBLIC;`,
    `CREATE SEQUENCE aa_number AS bigint START 1 INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;
ALTER SEQUENCE aa_number OWNER TO postgres;
GRANT USAGE ON SEQUENCE aa_number TO shipgate_app;`,
    `CREATE VIEW aa_view WITH (security_invoker=true) AS
 SELECT id AS number
   FROM aa_sample;
ALTER VIEW aa_view OWNER TO postgres;
GRANT SELECT ON aa_view TO shipgate_app;`,
    `CREATE OR REPLACE FUNCTION public.aa_trigger()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin return new; end$function$;
ALTER FUNCTION aa_trigger() OWNER TO shipgate_lookup;
GRANT EXECUTE ON FUNCTION aa_trigger() TO PUBLIC;`,
  ]);
});
