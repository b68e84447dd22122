import { randomUUID } from 'node:crypto';
import type { EvidenceKind, EvidenceMetrics } from '../../src/domain/evidence/evidence.js';
import { EvidenceRepository } from '../../src/features/evidence/evidence.repository.js';
import type { ReportContentsRepository } from '../../src/features/evidence/storage/report-contents.repository.js';
import { TestResultsRepository } from '../../src/features/evidence/test-results.repository.js';
import type { WorkspaceRows } from './workspace-rows.js';

/** The fields of evidence that the list of quality uses. */
export interface GivenEvidence {
  readonly repositoryId: string;
  readonly releaseId: string;
  readonly kind: EvidenceKind;
  readonly environment: string;
  /** Becomes the candidate of the release, unless it has one. */
  readonly commitSha?: string;
  readonly receivedAt?: string;
  /** The number of uploads. */
  readonly times?: number;
}

const METRICS: EvidenceMetrics = {
  unit_tests: { total: 3, passed: 3, failed: 0, skipped: 0 },
  coverage: { line_percent: 91.5, branch_percent: null },
  sast_scan: { critical: 0, high: 0, medium: 0, low: 0 },
  security: { critical: 0, high: 0, medium: 0, low: 0 },
};

/** Saves passing evidence, as after an upload of a CI run. */
export async function givenQualityEvidence(rows: WorkspaceRows, given: GivenEvidence): Promise<void> {
  const { repositoryId, releaseId, kind, environment, commitSha = 'c'.repeat(40), times = 1 } = given;
  const receivedAt = new Date(given.receivedAt ?? '2026-02-01T00:00:00Z');
  const items = [{ kind, metrics: { [kind]: METRICS[kind as keyof EvidenceMetrics] }, failures: [] }];
  await rows.write(
    `update release set candidate_sha = $2, candidate_shas = array[$2] where id = $1 and candidate_sha is null`,
    [releaseId, commitSha],
  );
  await rows.write(
    `insert into evidence (org_id, id, release_id, repository_id, pipeline, environment, job, run_id, commit_sha,
       commit_source, uploaded_by, items, metrics, reports, flags, sha256, received_at)
     select $1, gen_random_uuid(), $2, $3, 'ci', $4, '', $5 || n, $6, 'stated', '{}', $7, '{}', '[]', '[]', $8, $9
     from generate_series(1, $10::int) n`,
    [
      rows.orgId,
      releaseId,
      repositoryId,
      environment,
      randomUUID(),
      commitSha,
      JSON.stringify(items),
      randomUUID(),
      receivedAt,
      times,
    ],
  );
  await rows.within((tx) =>
    new EvidenceRepository({} as ReportContentsRepository, new TestResultsRepository()).addFacets(tx, {
      releaseId,
      repositoryId,
      environment,
      items,
      receivedAt,
      reports: [],
    }),
  );
}
