import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTx } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { TEST_KINDS, type TestKind } from '../../../domain/evidence/evidence.js';
import {
  changeOfTests,
  flakinessOf,
  flakyAmong,
  type MarkedTests,
  type TestMarks,
  worstOf,
} from '../../../domain/quality/test-marks.js';
import { EventsRecorder } from '../../../events/events.recorder.js';
import { TestRollsReader } from '../../evidence/test-rolls.reader.js';
import { judged, type JudgedRelease } from '../judged-release.js';
import { QualityReleases, unpacked } from '../quality-releases.reader.js';
import type { FlakyTests, NamedTests, TestChange } from '../release-group.js';
import { RollShelf } from './roll-shelf.js';
import { basisOf, candidateTests, decidingTests, triesOf, type TestPiece } from './test-attempts.js';
import { TestComparisonsRepository } from './test-comparisons.repository.js';

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
