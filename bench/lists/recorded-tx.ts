import type { TenantTransaction } from '../../src/database/database.js';

export interface RecordedStatement {
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly ms: number;
}

/** Wraps a transaction and records each statement with its duration. */
export function recorded(tx: TenantTransaction): {
  readonly tx: TenantTransaction;
  readonly statements: readonly RecordedStatement[];
} {
  const statements: RecordedStatement[] = [];
  const timed = async (sql: string, params: readonly unknown[], run: () => Promise<object[]>): Promise<object[]> => {
    const sentAt = performance.now();
    const rows = await run();
    statements.push({ sql, params, ms: performance.now() - sentAt });
    return rows;
  };
  const timedMethods = {
    query: (sql: string, params: readonly unknown[] = []) => timed(sql, params, () => tx.query(sql, params)),
    queryPrepared: (name: string, sql: string, params: readonly unknown[]) =>
      timed(sql, params, () => tx.queryPrepared(name, sql, params)),
  };
  // The class has private members, so all other calls go to the transaction itself.
  const recording = new Proxy(tx, {
    get: (of, name) => (name === 'query' || name === 'queryPrepared' ? timedMethods[name] : Reflect.get(of, name, of)),
  });
  return { tx: recording, statements };
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Parent Relationship'?: string;
  readonly 'Actual Total Time': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

/** Returns the milliseconds for the page of a statement that also counts all matches, or null if the plan has no page. */
export async function measurePageTime(
  tx: TenantTransaction,
  { sql, params }: RecordedStatement,
): Promise<number | null> {
  const [explained] = await tx.query<{ readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
    `explain (analyze, format json) ${sql}`,
    params,
  );
  const isPage = (node: PlanNode): boolean =>
    node['Node Type'] === 'Limit' && node['Parent Relationship'] === 'InitPlan' && node['Actual Loops'] > 0;
  const flattenPlan = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flattenPlan)];
  const page = explained && flattenPlan(explained['QUERY PLAN'][0].Plan).find(isPage);
  return page?.['Actual Total Time'] ?? null;
}

/** Returns the scans in the plan of a statement, executed for the user of the transaction, without times. */
export async function findScans(tx: TenantTransaction, { sql, params }: RecordedStatement): Promise<readonly string[]> {
  const plan = await tx.query<{ readonly 'QUERY PLAN': string }>(
    `explain (analyze, costs off, timing off, summary off, buffers off) ${sql}`,
    params,
  );
  return plan
    .map(({ 'QUERY PLAN': node }) => node)
    .filter((node) => / Scan |Heap Fetches|Sort|Join|Nested/.test(node) && !/never executed/.test(node))
    .map((node) => node.replace(/\s+\(actual rows=(\d+)(?:\.\d+)? loops=(\d+)\)/, ' [$1 rows × $2]'));
}
