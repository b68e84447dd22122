import type { TenantTransaction } from '../../src/database/database.js';

export interface RecordedStatement {
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly ms: number;
}

/** A transaction that keeps what it was asked, and how long each answer took. */
export function recorded(tx: TenantTransaction): {
  readonly tx: TenantTransaction;
  readonly statements: readonly RecordedStatement[];
} {
  const statements: RecordedStatement[] = [];
  const timed = async (sql: string, params: readonly unknown[], ask: () => Promise<object[]>): Promise<object[]> => {
    const asked = performance.now();
    const rows = await ask();
    statements.push({ sql, params, ms: performance.now() - asked });
    return rows;
  };
  const asking = {
    query: (sql: string, params: readonly unknown[] = []) => timed(sql, params, () => tx.query(sql, params)),
    queryPrepared: (name: string, sql: string, params: readonly unknown[]) =>
      timed(sql, params, () => tx.queryPrepared(name, sql, params)),
  };
  // Its members are private to the class, so what is not asked has to go to the transaction itself.
  const recording = new Proxy(tx, {
    get: (of, name) => (name === 'query' || name === 'queryPrepared' ? asking[name] : Reflect.get(of, name, of)),
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

/** Milliseconds that finding the page took, of a statement which counts all that match besides; null where it finds none. */
export async function pageTimeOf(tx: TenantTransaction, { sql, params }: RecordedStatement): Promise<number | null> {
  const [explained] = await tx.query<{ readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
    `explain (analyze, format json) ${sql}`,
    params,
  );
  const isPage = (node: PlanNode): boolean =>
    node['Node Type'] === 'Limit' && node['Parent Relationship'] === 'InitPlan' && node['Actual Loops'] > 0;
  const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
  const page = explained && nodesOf(explained['QUERY PLAN'][0].Plan).find(isPage);
  return page?.['Actual Total Time'] ?? null;
}

/** The scans of a statement's plan as it is carried out for whoever opened the transaction, without its times. */
export async function scansOf(tx: TenantTransaction, { sql, params }: RecordedStatement): Promise<readonly string[]> {
  const plan = await tx.query<{ readonly 'QUERY PLAN': string }>(
    `explain (analyze, costs off, timing off, summary off, buffers off) ${sql}`,
    params,
  );
  return plan
    .map(({ 'QUERY PLAN': node }) => node)
    .filter((node) => / Scan |Heap Fetches|Sort|Join|Nested/.test(node) && !/never executed/.test(node))
    .map((node) => node.replace(/\s+\(actual rows=(\d+)(?:\.\d+)? loops=(\d+)\)/, ' [$1 rows × $2]'));
}
