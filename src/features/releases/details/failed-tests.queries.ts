import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { EffectiveEvidenceSet } from '../../../domain/evidence/effective-evidence-set.js';
import { type EvidenceItem, type FailedTest, uploadIdFromItemId } from '../../../domain/evidence/evidence.js';
import { getTestMetrics } from '../../../domain/evidence/evidence-status.js';
import { failedTests, failingItemsByCondition } from '../../../domain/quality/failure-subjects.js';
import type { FailedTestDto, FailedTestsDto } from './release-details.dto.js';

/** The maximum number of tests of an item that are listed. The history of as many is known. */
const MAX_TESTS = 3;
/** The maximum number of failing items whose messages are read. A screen shows fewer of them. */
const MAX_ITEMS = 20;

/** Where the runs of the evidence are shown. */
interface RunAddresses {
  /** The page of the repository on GitHub. */
  readonly repoUrl: string;
  /** The URLs of runs by the id of the evidence item, for uploads that state it. */
  readonly runUrls: ReadonlyMap<string, string>;
}

/** Lists the failed tests of the evidence that a verdict uses, with the reason that their reports state. */
@Injectable()
export class FailedTestsQueries {
  /** Maps the key of each condition about failed tests to them. Other failing evidence is left out. */
  async list(
    tx: TenantTransaction,
    evidenceSet: EffectiveEvidenceSet,
    { repoUrl, runUrls }: RunAddresses,
  ): Promise<ReadonlyMap<string, FailedTestsDto>> {
    const failing = [...failingItemsByCondition(evidenceSet)].filter(([, item]) => countFailed(item) > 0);
    const messages = await this.listMessages(
      tx,
      failing.slice(0, MAX_ITEMS).map(([, item]) => item),
    );
    return new Map(
      failing.map(([key, item]) => {
        const evidenceId = uploadIdFromItemId(item);
        const tests = failedTests(item)
          .slice(0, MAX_TESTS)
          .map((test) => toDto(test, messages.get(`${evidenceId} ${test.id}`) ?? null, repoUrl));
        const runUrl = runUrls.get(item.id) ?? toRunUrl(item.run?.id ?? null, repoUrl);
        return [key, { evidenceId, count: countFailed(item), tests, runUrl }];
      }),
    );
  }

  /** Returns the messages by upload and test. Tests without one are left out. */
  private async listMessages(
    tx: TenantTransaction,
    items: readonly EvidenceItem[],
  ): Promise<ReadonlyMap<string, string>> {
    const tests = items.flatMap((item) => failedTests(item).slice(0, MAX_TESTS));
    if (tests.length === 0) return new Map();
    const rows = await tx.queryPrepared<{
      readonly evidenceId: string;
      readonly testId: string;
      readonly text: string;
    }>(
      'list_messages_of_failed_tests',
      `select f.evidence_id as "evidenceId", failed ->> 'testId' as "testId", failed ->> 'message' as text
       from evidence_report f cross join lateral jsonb_array_elements(f.summary -> 'details') failed
       where f.evidence_id = any($1::uuid[]) and failed ->> 'testId' = any($2::text[]) and failed ->> 'message' <> ''`,
      [[...new Set(items.map(uploadIdFromItemId))], tests.map(({ id }) => id)],
    );
    return new Map(rows.map(({ evidenceId, testId, text }) => [`${evidenceId} ${testId}`, text]));
  }
}

const countFailed = (item: EvidenceItem): number => getTestMetrics(item)?.failed ?? 0;

function toDto({ name, history }: FailedTest, message: string | null, repoUrl: string): FailedTestDto {
  if (!history) return { name, message, history: null };
  const { failingSince, lastPassedIn } = history;
  return {
    name,
    message,
    history: {
      failingSince: failingSince && { day: failingSince.at, runUrl: toRunUrl(failingSince.run, repoUrl) },
      lastPassedIn,
    },
  };
}

/** A run that a token proved has the id of GitHub. Another one has the URL that the upload states. */
const toRunUrl = (run: string | null, repoUrl: string): string | null =>
  run !== null && /^\d+$/.test(run) ? `${repoUrl}/actions/runs/${run}` : run;
