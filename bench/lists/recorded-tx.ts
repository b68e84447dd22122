import type { TenantTx } from '../../src/database/database.js';

export interface RecordedStatement {
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly ms: number;
}

/** A transaction that keeps what it was asked, and how long each answer took. */
export function recorded(tx: TenantTx): { readonly tx: TenantTx; readonly statements: readonly RecordedStatement[] } {
  const statements: RecordedStatement[] = [];
  const timed = async (sql: string, params: readonly unknown[], ask: () => Promise<object[]>): Promise<object[]> => {
    const asked = performance.now();
    const rows = await ask();
    statements.push({ sql, params, ms: performance.now() - asked });
    return rows;
  };
  const asking = {
    query: (sql: string, params: readonly unknown[] = []) => timed(sql, params, () => tx.query(sql, params)),
    prepared: (name: string, sql: string, params: readonly unknown[]) =>
      timed(sql, params, () => tx.prepared(name, sql, params)),
  };
  // Its members are private to the class, so what is not asked has to go to the transaction itself.
  const recording = new Proxy(tx, {
    get: (of, name) => (name === 'query' || name === 'prepared' ? asking[name] : Reflect.get(of, name, of)),
  });
  return { tx: recording, statements };
}

/** The scans of a statement's plan as it is carried out for whoever opened the transaction, without its times. */
export async function scansOf(tx: TenantTx, { sql, params }: RecordedStatement): Promise<readonly string[]> {
  const plan = await tx.query<{ readonly 'QUERY PLAN': string }>(
    `explain (analyze, costs off, timing off, summary off, buffers off) ${sql}`,
    params,
  );
  return plan
    .map(({ 'QUERY PLAN': node }) => node)
    .filter((node) => / Scan |Heap Fetches|Sort|Join|Nested/.test(node) && !/never executed/.test(node))
    .map((node) => node.replace(/\s+\(actual rows=(\d+)(?:\.\d+)? loops=(\d+)\)/, ' [$1 rows × $2]'));
}
