import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTx } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { pieceId, TEST_KINDS, type TestKind } from '../../../domain/evidence/evidence.js';
import { groupBy } from '../../../domain/evidence/latest-run.js';
import {
  changeOfTests,
  flakinessOf,
  flakyAmong,
  type MarkedTests,
  type TestMarks,
  worstOf,
} from '../../../domain/quality/test-results.js';
import { EventsRecorder } from '../../../events/events.repository.js';
import { type ReportRoll, TestRollsReader } from '../../evidence/test-results.repository.js';
import { QualityReleases, unpacked } from '../quality-releases.queries.js';
import { type FlakyTests, judged, type JudgedRelease, type NamedTests, type TestChange } from '../release-quality.js';
import { basisOf, candidateTests, decidingTests, type TestPiece, triesOf } from './test-attempts.js';
import { TestComparisonsRepository } from './test-comparisons.repository.js';

/** How many tests are looked at for one release, those of all its uploads together: 16 megabytes of marks. */
const MOST_TESTS = 2_000_000;

/** The rolls of one comparison. */
export class RollShelf {
  private readonly reports: ReadonlyMap<string, readonly ReportRoll[]>;

  constructor(
    private readonly tx: TenantTx,
    private readonly rolls: TestRollsReader,
    reports: readonly ReportRoll[],
  ) {
    this.reports = groupBy(reports, ({ evidenceId, kind }) => pieceId(evidenceId, kind));
  }

  /** Whether the tests of every piece are known by name, all of them, and are not too many. */
  holdsAll(pieces: readonly TestPiece[]): boolean {
    const counts = pieces.map((piece) => this.count(piece));
    return counts.every((count) => count !== null) && sumOf(counts) <= MOST_TESTS;
  }

  /** Those of which all names are known, the newest as many as are looked at, in the order in which they were given. */
  newestWithin(pieces: readonly TestPiece[]): readonly TestPiece[] {
    let left = MOST_TESTS;
    return pieces
      .toReversed()
      .filter((piece) => {
        const count = this.count(piece);
        if (count === null) return false;
        left -= count;
        return left >= 0;
      })
      .toReversed();
  }

  async marks(pieces: readonly TestPiece[]): Promise<readonly TestMarks[]> {
    const marks: TestMarks[] = [];
    for (const sha256 of this.digests(pieces)) marks.push(await this.rolls.marks(this.tx, sha256));
    return marks;
  }

  /** The names of tests that one of the pieces told of. */
  async names(pieces: readonly TestPiece[], tests: readonly bigint[]): Promise<readonly string[]> {
    const names = new Set<string>();
    for (const sha256 of this.digests(pieces)) {
      for (const name of await this.rolls.names(this.tx, sha256, tests)) names.add(name);
      if (names.size >= tests.length) break;
    }
    return [...names];
  }

  /** How many tests the piece tells of; null where they are not all known by name. */
  private count({ id }: TestPiece): number | null {
    const counts = (this.reports.get(id) ?? [{ tests: null }]).map(({ tests }) => tests);
    return counts.every((count) => count !== null) ? sumOf(counts) : null;
  }

  private digests(pieces: readonly TestPiece[]): ReadonlySet<string> {
    return new Set(pieces.flatMap(({ id }) => (this.reports.get(id) ?? []).map(({ sha256 }) => sha256)));
  }
}

const sumOf = (counts: readonly (number | null)[]): number =>
  counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);

/** How many tests are named. */
const NAMED = 20;

/** Compares the tests of releases by name: with those of the release that was shipped before, and each with itself. */
@Injectable()
export class TestComparisons {
  constructor(
    private readonly database: Database,
    private readonly releases: QualityReleases,
    private readonly rolls: TestRollsReader,
    private readonly comparisons: TestComparisonsRepository,
    private readonly events: EventsRecorder,
    private readonly clock: Clock,
  ) {}

  /** Compares what there is now, and keeps what was found, unless that is known already. */
  async compare(orgId: OrgId, releaseId: string): Promise<void> {
    await this.database.inTenant(orgId, async (tx) => {
      const release = await this.find(tx, releaseId);
      const basis = release && basisOf(release);
      if (!release || basis === null) return;
      const [known] = await this.comparisons.list(tx, [releaseId]);
      if (known?.basis === basis) return;
      const { repositoryId, predecessor } = release.release;
      const before = predecessor && (await this.find(tx, predecessor.id));
      const pieces = [...candidateTests(release), ...(before ? decidingTests(before) : [])];
      const shelf = new RollShelf(tx, this.rolls, await this.rolls.list(tx, [...new Set(pieces.map(idOf))]));
      const change = before && (await this.changeOf(shelf, decidingTests(release), decidingTests(before)));
      const flaky = await this.flakyOf(shelf, candidateTests(release));
      await this.comparisons.write(tx, repositoryId, { releaseId, basis, result: { change, flaky } }, this.clock.now());
      await this.events.emit(tx, { type: 'release.updated', repositoryId, milestoneId: releaseId });
    });
  }

  private async find(tx: TenantTx, releaseId: string): Promise<JudgedRelease | null> {
    const [release] = await this.releases.list(tx, [releaseId]);
    return release ? judged(unpacked(release)) : null;
  }

  /** Null where not all names of both sides are known. A kind of tests that is not there any more lost all of them. */
  private async changeOf(
    shelf: RollShelf,
    now: readonly TestPiece[],
    before: readonly TestPiece[],
  ): Promise<TestChange | null> {
    if (now.length === 0 || before.length === 0 || !shelf.holdsAll([...now, ...before])) return null;
    const found = { newFailures: new Namelist(), lostTests: new Namelist() };
    for (const kind of TEST_KINDS) {
      const [ofNow, ofBefore] = [ofKind(now, kind), ofKind(before, kind)];
      const { newFailures, lostTests } = changeOfTests(
        worstOf(await shelf.marks(ofNow)),
        worstOf(await shelf.marks(ofBefore)),
        NAMED,
      );
      await found.newFailures.add(newFailures, shelf, ofNow);
      await found.lostTests.add(lostTests, shelf, ofBefore);
    }
    return { newFailures: found.newFailures.named(), lostTests: found.lostTests.named() };
  }

  /** By the uploads whose names are known, as many of the newest as are looked at; null where there are none. */
  private async flakyOf(shelf: RollShelf, all: readonly TestPiece[]): Promise<FlakyTests | null> {
    const known = shelf.newestWithin(all);
    if (known.length === 0) return null;
    const flaky = new Namelist();
    let ran = 0;
    for (const kind of TEST_KINDS) {
      const pieces = ofKind(known, kind);
      const jobs: TestMarks[] = [];
      for (const tries of triesOf(pieces)) {
        const each: TestMarks[] = [];
        for (const one of tries) each.push(worstOf(await shelf.marks(one)));
        jobs.push(flakinessOf(each));
      }
      const tests = worstOf(jobs);
      ran += tests.length;
      await flaky.add(flakyAmong(tests, NAMED), shelf, pieces);
    }
    return { ...flaky.named(), rate: ran === 0 ? null : flaky.count / ran };
  }
}

const ofKind = (pieces: readonly TestPiece[], wanted: TestKind): readonly TestPiece[] =>
  pieces.filter(({ kind }) => kind === wanted);

const idOf = ({ evidenceId }: TestPiece): string => evidenceId;

/** Counts tests of several kinds, and names the first of them. */
class Namelist {
  count = 0;
  private readonly names = new Set<string>();

  async add({ count, some }: MarkedTests, shelf: RollShelf, pieces: readonly TestPiece[]): Promise<void> {
    this.count += count;
    if (count === 0 || this.names.size >= NAMED) return;
    for (const name of await shelf.names(pieces, some)) this.names.add(name);
  }

  named(): NamedTests {
    return { count: this.count, names: [...this.names].toSorted().slice(0, NAMED) };
  }
}
