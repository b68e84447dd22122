import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { evidenceItemId, TEST_KINDS, type TestKind } from '../../../domain/evidence/evidence.js';
import { groupBy } from '../../../domain/group-by.js';
import {
  diffTests,
  detectFlakyTests,
  sampleFlakyTests,
  type TestSample,
  type TestEntries,
  mergeToWorstOutcome,
} from '../../../domain/quality/test-results.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { type ReportTestResults, TestResultsRepository } from '../../evidence/test-results.repository.js';
import { QualityReleasesQueries, parseRelease } from '../quality-releases.queries.js';
import { evaluateQuality, type ReleaseQuality } from '../release-quality.js';
import type { FlakyTestsDto, TestSampleDto, TestChangeDto } from '../quality.dto.js';
import {
  comparisonKey,
  candidateTests,
  effectiveTests,
  type TestEvidenceItem,
  groupAttempts,
} from './test-attempts.js';
import { TestComparisonsRepository } from './test-comparisons.repository.js';
import { JobHandler } from '../../../jobs/job-handlers.js';
import type { JobPayload } from '../../../jobs/job.js';

/** The maximum number of tests that are compared for one release, over all its uploads. They need 16 MB. */
const MOST_TESTS = 2_000_000;

/** The test results of one comparison. */
export class TestResultsCache {
  private readonly reports: ReadonlyMap<string, readonly ReportTestResults[]>;

  constructor(
    private readonly tx: TenantTransaction,
    private readonly testResults: TestResultsRepository,
    reports: readonly ReportTestResults[],
  ) {
    this.reports = groupBy(reports, ({ evidenceId, kind }) => evidenceItemId(evidenceId, kind));
  }

  /** Whether the names of all tests of every item are known and the tests are not too many. */
  holdsAll(items: readonly TestEvidenceItem[]): boolean {
    const counts = items.map((item) => this.count(item));
    return counts.every((count) => count !== null) && sumCounts(counts) <= MOST_TESTS;
  }

  /** Selects the newest items with complete test names, up to the maximum number of tests, in the given order. */
  newestWithin(items: readonly TestEvidenceItem[]): readonly TestEvidenceItem[] {
    let left = MOST_TESTS;
    return items
      .toReversed()
      .filter((item) => {
        const count = this.count(item);
        if (count === null) return false;
        left -= count;
        return left >= 0;
      })
      .toReversed();
  }

  async marks(items: readonly TestEvidenceItem[]): Promise<readonly TestEntries[]> {
    const marks: TestEntries[] = [];
    for (const sha256 of this.digests(items)) marks.push(await this.testResults.readEntries(this.tx, sha256));
    return marks;
  }

  /** Reads the names of tests from the items. */
  async names(items: readonly TestEvidenceItem[], tests: readonly bigint[]): Promise<readonly string[]> {
    const names = new Set<string>();
    for (const sha256 of this.digests(items)) {
      for (const name of await this.testResults.listNames(this.tx, sha256, tests)) names.add(name);
      if (names.size >= tests.length) break;
    }
    return [...names];
  }

  /** Returns the number of tests of the item; null if not all names are known. */
  private count({ id }: TestEvidenceItem): number | null {
    const counts = (this.reports.get(id) ?? [{ tests: null }]).map(({ tests }) => tests);
    return counts.every((count) => count !== null) ? sumCounts(counts) : null;
  }

  private digests(items: readonly TestEvidenceItem[]): ReadonlySet<string> {
    return new Set(items.flatMap(({ id }) => (this.reports.get(id) ?? []).map(({ sha256 }) => sha256)));
  }
}

const sumCounts = (counts: readonly (number | null)[]): number =>
  counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);

/** The maximum number of test names in a result. */
const NAMED = 20;

/** Compares the tests of releases by name, with those of the predecessor and between attempts at the same commit. */
@Injectable()
export class TestComparisonsService {
  constructor(
    private readonly database: Database,
    private readonly releases: QualityReleasesQueries,
    private readonly testResults: TestResultsRepository,
    private readonly comparisons: TestComparisonsRepository,
    private readonly events: EventsRepository,
    private readonly clock: Clock,
  ) {}

  /** Compares the tests of the releases of a page, one release after the other. */
  @JobHandler('compare-tests')
  async compareAll({ orgId, releaseIds }: JobPayload<'compare-tests'>): Promise<void> {
    for (const releaseId of releaseIds) await this.compare(orgId, releaseId);
  }

  /** Compares the current test results and saves the result, unless it is stored already. */
  async compare(orgId: OrgId, releaseId: string): Promise<void> {
    await this.database.inTenant(orgId, async (tx) => {
      const release = await this.find(tx, releaseId);
      const basis = release && comparisonKey(release);
      if (!release || basis === null) return;
      const [known] = await this.comparisons.list(tx, [releaseId]);
      if (known?.basis === basis) return;
      const { repositoryId, predecessor } = release.release;
      const before = predecessor && (await this.find(tx, predecessor.id));
      const items = [...candidateTests(release), ...(before ? effectiveTests(before) : [])];
      const cache = new TestResultsCache(
        tx,
        this.testResults,
        await this.testResults.listReports(tx, [...new Set(items.map(getId))]),
      );
      const change = before && (await this.compareTests(cache, effectiveTests(release), effectiveTests(before)));
      const flaky = await this.findFlaky(cache, candidateTests(release));
      await this.comparisons.write(tx, repositoryId, { releaseId, basis, result: { change, flaky } }, this.clock.now());
      await this.events.append(tx, { type: 'release.updated', repositoryId, milestoneId: releaseId });
    });
  }

  private async find(tx: TenantTransaction, releaseId: string): Promise<ReleaseQuality | null> {
    const [release] = await this.releases.list(tx, [releaseId]);
    return release ? evaluateQuality(parseRelease(release)) : null;
  }

  /**
   * Returns null if not all names of both releases are known. If a kind of tests does not exist any more, all its tests are lost.
   */
  private async compareTests(
    cache: TestResultsCache,
    now: readonly TestEvidenceItem[],
    before: readonly TestEvidenceItem[],
  ): Promise<TestChangeDto | null> {
    if (now.length === 0 || before.length === 0 || !cache.holdsAll([...now, ...before])) return null;
    const found = { newFailures: new Namelist(), fixedTests: new Namelist(), lostTests: new Namelist() };
    for (const kind of TEST_KINDS) {
      const [ofNow, ofBefore] = [ofKind(now, kind), ofKind(before, kind)];
      const { newFailures, fixedTests, lostTests } = diffTests(
        mergeToWorstOutcome(await cache.marks(ofNow)),
        mergeToWorstOutcome(await cache.marks(ofBefore)),
        NAMED,
      );
      await found.newFailures.add(newFailures, cache, ofNow);
      await found.fixedTests.add(fixedTests, cache, ofNow);
      await found.lostTests.add(lostTests, cache, ofBefore);
    }
    return {
      newFailures: found.newFailures.named(),
      fixedTests: found.fixedTests.named(),
      lostTests: found.lostTests.named(),
    };
  }

  /** Uses the newest uploads with known names, up to the maximum number of tests; null if there are none. */
  private async findFlaky(cache: TestResultsCache, all: readonly TestEvidenceItem[]): Promise<FlakyTestsDto | null> {
    const known = cache.newestWithin(all);
    if (known.length === 0) return null;
    const flaky = new Namelist();
    let ran = 0;
    for (const kind of TEST_KINDS) {
      const items = ofKind(known, kind);
      const jobs: TestEntries[] = [];
      for (const tries of groupAttempts(items)) {
        const each: TestEntries[] = [];
        for (const one of tries) each.push(mergeToWorstOutcome(await cache.marks(one)));
        jobs.push(detectFlakyTests(each));
      }
      const tests = mergeToWorstOutcome(jobs);
      ran += tests.length;
      await flaky.add(sampleFlakyTests(tests, NAMED), cache, items);
    }
    const { count, names } = flaky.named();
    return { count, names, rate: ran === 0 ? null : count / ran };
  }
}

const ofKind = (items: readonly TestEvidenceItem[], kindName: TestKind): readonly TestEvidenceItem[] =>
  items.filter(({ kind }) => kind === kindName);

const getId = ({ evidenceId }: TestEvidenceItem): string => evidenceId;

/** Counts tests of several kinds and collects the first names. */
class Namelist {
  count = 0;
  private readonly names = new Set<string>();

  async add({ count, some }: TestSample, cache: TestResultsCache, items: readonly TestEvidenceItem[]): Promise<void> {
    this.count += count;
    if (count === 0 || this.names.size >= NAMED) return;
    for (const name of await cache.names(items, some)) this.names.add(name);
  }

  named(): TestSampleDto {
    return { count: this.count, names: [...this.names].toSorted().slice(0, NAMED) };
  }
}
