import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { FlakyTestsDto, TestChangeDto } from '../quality.dto.js';

/** The result of a comparison by name. */
export interface ComparedTests {
  /** Null if not all test names of both releases are known, or there is no predecessor. */
  readonly change: TestChangeDto | null;
  /** Null if no test names are known. */
  readonly flaky: FlakyTestsDto | null;
}

export interface StoredComparison {
  readonly releaseId: string;
  /** The key of the compared inputs. */
  readonly basis: string;
  readonly result: ComparedTests;
}

/** Stores the comparisons of tests. */
@Injectable()
export class TestComparisonsRepository {
  async list(tx: TenantTransaction, releaseIds: readonly string[]): Promise<readonly StoredComparison[]> {
    if (releaseIds.length === 0) return [];
    return tx.queryPrepared<StoredComparison>(
      'list_test_comparisons',
      `select release_id as "releaseId", basis, result from test_comparison where release_id = any($1::uuid[])`,
      [releaseIds],
    );
  }

  async write(tx: TenantTransaction, repositoryId: string, comparison: StoredComparison, now: Date): Promise<void> {
    const { releaseId, basis, result } = comparison;
    await tx.query(
      `insert into test_comparison (org_id, release_id, repository_id, basis, result, compared_at)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (org_id, release_id) do update
       set basis = excluded.basis, result = excluded.result, compared_at = excluded.compared_at`,
      [tx.orgId, releaseId, repositoryId, basis, JSON.stringify(result), now],
    );
  }
}
