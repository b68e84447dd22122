-- Creates the roles of the service with the given passwords, and their rights in the database. A superuser runs it in the database of the
-- service before the service starts. It may run again.
do $$
declare
  name text;
begin
  foreach name in array array['shipgate_owner', 'shipgate_lookup', 'shipgate_migrator', 'shipgate_app'] loop
    if to_regrole(name) is null then
      execute format('create role %I', name);
    end if;
    execute format('alter role %I nosuperuser nobypassrls nocreatedb nocreaterole noreplication', name);
  end loop;
  execute format('alter role shipgate_migrator login password %L', current_setting('shipgate.migrator_password'));
  execute format('alter role shipgate_app login password %L', current_setting('shipgate.app_password'));
  execute format('revoke all on database %I from public', current_database());
  execute format('grant create on database %I to shipgate_owner', current_database());
  execute format('grant connect on database %I to shipgate_migrator, shipgate_app', current_database());
end $$;
alter role shipgate_app set jit = off;
grant shipgate_owner to shipgate_migrator;
grant shipgate_lookup to shipgate_owner;
alter schema public owner to shipgate_owner;
revoke all on schema public from public;
grant usage on schema public to shipgate_app, shipgate_lookup;
