/**
 * Renames for migrations that run while processes of the version before still work (ADR 0022). A new name is the real one, and the
 * former name goes on: as a view of a table, as a function that calls the renamed one.
 *
 * TO DROP in the release after the one that has the migrations 1790709000000 to 1790709000600: every view of the schema, the functions
 * that these migrations pass to `renameFunctions` by their former name, and the functions `read_session`, `read_last_workspace`,
 * `list_people_in_session`, `read_app_configuration`, `receive_webhook` and `receive_webhooks`. The rows of `scheduled_job` under former
 * names (`FORMER_JOB_NAMES`) can be deleted then.
 */

interface TableNames {
  readonly former: string;
  readonly name: string;
  /** The renamed columns: former name and new name. */
  readonly columns?: Readonly<Record<string, string>>;
  readonly access: 'read-write' | 'append-only';
}

/** Renames what is named after the table: constraints, indexes, and the sequence of an identity column. */
const renameParts = (former: string, name: string): string => `
  do $rename$ declare part record; begin
    for part in select conname as former from pg_constraint
        where conrelid = 'public.${name}'::regclass and starts_with(conname, '${former}_') loop
      execute format('alter table public.${name} rename constraint %I to %I',
        part.former, '${name}' || substr(part.former, ${former.length + 1}));
    end loop;
    for part in select distinct c.relname as former from pg_class c
        join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_class'::regclass
        where d.refobjid = 'public.${name}'::regclass and c.relkind in ('i', 'S') and starts_with(c.relname, '${former}_') loop
      execute format('alter table public.%I rename to %I', part.former, '${name}' || substr(part.former, ${former.length + 1}));
    end loop;
  end $rename$;`;

/**
 * Renames a tenant table. A view has the former names. It reads and writes as its caller, so that the policies of the table apply to
 * it, and has the grants of the table.
 */
export const renameTenantTable = ({ former, name, columns = {}, access }: TableNames): string => `
  ${renameTable(former, name, columns)}
  do $view$ begin
    execute (select format('create view public.${former} with (security_invoker = true) as select %s from public.${name}',
      string_agg(case when '${JSON.stringify(toFormerNames(columns))}'::jsonb ? attname
        then format('%I as %I', attname, '${JSON.stringify(toFormerNames(columns))}'::jsonb ->> attname)
        else quote_ident(attname) end, ', ' order by attnum))
      from pg_attribute where attrelid = 'public.${name}'::regclass and attnum > 0 and not attisdropped);
  end $view$;
  grant select, insert${access === 'read-write' ? ', update, delete' : ''} on ${former} to shipgate_app;`;

/** Undoes `renameTenantTable`. */
export const restoreTenantTable = ({ former, name, columns = {} }: TableNames): string => `
  drop view ${former};
  ${renameTable(name, former, toFormerNames(columns))}`;

/** Renames a table that only definer functions read, which follow it. Those in PL/pgSQL must be replaced. */
export const renameTable = (former: string, name: string, columns: Readonly<Record<string, string>> = {}): string => `
  alter table ${former} rename to ${name};
  ${renameParts(former, name)}
  ${renameColumns(name, columns)}`;

export const renameColumns = (table: string, columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([from, to]) => `alter table ${table} rename column ${from} to ${to};`)
    .join(' ');

/**
 * Renames functions; each has one signature. The former name calls the new one with the rights of its caller, which may call both.
 */
export const renameFunctions = (names: Readonly<Record<string, string>>): string =>
  Object.entries(names)
    .map(
      ([former, name]) => `
  do $rename$ declare f record; begin
    select p.oid::regprocedure as signature, pg_get_function_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result,
      case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end as volatility,
      (select string_agg('$' || n, ', ' order by n) from generate_series(1, p.pronargs) n) as parameters
    into strict f from pg_proc p where p.pronamespace = 'public'::regnamespace and p.proname = '${former}';
    execute format('alter function %s rename to ${name}', f.signature);
    execute format('create function public.${former}(%s) returns %s language sql %s set search_path = pg_catalog, public
      begin atomic select * from public.${name}(%s); end', f.arguments, f.result, f.volatility, f.parameters);
    execute format('revoke all on function %s from public', replace(f.signature::text, '${name}', '${former}'));
    execute format('grant execute on function %s to shipgate_app', replace(f.signature::text, '${name}', '${former}'));
  end $rename$;`,
    )
    .join('');

/** Undoes `renameFunctions`. */
export const restoreFunctions = (names: Readonly<Record<string, string>>): string =>
  Object.entries(names)
    .map(
      ([former, name]) => `
  do $rename$ begin
    execute (select format('drop function %s', oid::regprocedure) from pg_proc where pronamespace = 'public'::regnamespace and proname = '${former}');
    execute (select format('alter function %s rename to ${former}', oid::regprocedure) from pg_proc where pronamespace = 'public'::regnamespace and proname = '${name}');
  end $rename$;`,
    )
    .join('');

const toFormerNames = (columns: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(columns).map(([from, to]) => [to, from]));
