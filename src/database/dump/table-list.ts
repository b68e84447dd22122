import type { Client } from 'pg';
import { QUEUE_SCHEMA } from '../migrate.js';
import { MIGRATIONS_TABLE } from '../migration-status.js';

/** A table with the columns whose values are not computed. */
export interface DumpedTable {
  /** The name with its schema, quoted where necessary. */
  readonly name: string;
  /** Quoted where necessary. */
  readonly columns: readonly string[];
  /** Whether its rows belong to workspaces. */
  readonly tenant: boolean;
}

/** Tables that a backup leaves out, each with the reason. */
const LEFT_OUT: ReadonlyMap<string, string> = new Map([
  [`public.${MIGRATIONS_TABLE}`, 'the restore runs the migrations that the backup names'],
  [`${QUEUE_SCHEMA}.migrations`, 'the restore runs the migrations of the job library'],
  ['public.session', 'a session that ended after the backup must not be valid again'],
  ['public.login_attempt', 'sign-ins in progress, which last for minutes'],
  ['public.setup_code', 'codes that are valid for one start'],
  ['public.rate_limit_window', 'counts of the last minutes'],
]);

/** Lists the tables of a backup, each after those that its foreign keys refer to. */
export async function listTables(client: Client): Promise<readonly DumpedTable[]> {
  const { rows } = await client.query<DumpedTable & { readonly refers: readonly string[] }>(
    `select format('%I.%I', n.nspname, c.relname) as name,
       array_agg(quote_ident(a.attname) order by a.attnum) as columns,
       bool_or(a.attname = 'org_id') and n.nspname = 'public' as tenant,
       array(select distinct format('%I.%I', tn.nspname, t.relname) from pg_constraint f
         join pg_class t on t.oid = f.confrelid join pg_namespace tn on tn.oid = t.relnamespace
         where f.contype = 'f' and f.conrelid = c.oid and f.confrelid <> c.oid) as refers
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where n.nspname in ('public', $1) and c.relkind in ('r', 'p') and not c.relispartition
     group by n.nspname, c.relname, c.oid order by 1`,
    [QUEUE_SCHEMA],
  );
  const waiting = new Map(rows.map(({ refers, ...table }) => [table.name, { table, refers }]));
  const ordered: DumpedTable[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter(({ refers }) => !refers.some((name) => waiting.has(name)));
    if (ready.length === 0) throw new Error(`These tables refer to each other: ${[...waiting.keys()].join(', ')}.`);
    for (const { table } of ready) {
      waiting.delete(table.name);
      ordered.push(table);
    }
  }
  return ordered.filter(({ name }) => !LEFT_OUT.has(name));
}
