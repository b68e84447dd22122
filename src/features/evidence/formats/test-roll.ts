import type { TestOutcome } from '../../../domain/evidence/test-outcome.js';
import { type PackedRoll, TESTS_OF_A_PART } from '../../../domain/quality/packed-roll.js';
import { nameMark, RollMarks } from './roll-marks.js';
import { RollNames } from './roll-names.js';
import { TestNaming } from './test-naming.js';

export interface RollLimits {
  readonly tests: number;
  /** Of all names together, in UTF-16 code units: a long suite may be in the name of each of its tests. */
  readonly characters: number;
}

const ROLL_LIMITS: RollLimits = { tests: 250_000, characters: 32_000_000 };

/** The tests of one report by name, each once however often it was tried; packed as they come. */
export class TestRoll {
  private readonly naming = new TestNaming();
  private readonly marks = new RollMarks();
  private readonly names = new RollNames();
  private characters = 0;
  private isCut = false;

  constructor(private readonly limits: RollLimits = ROLL_LIMITS) {}

  /** `steps` lead from the outermost suite to the test. */
  add(steps: readonly string[], outcome: TestOutcome['outcome']): void {
    // Of those that it does not hold only a failure may still say something of one that it does.
    if (this.isCut && outcome !== 'failed') return;
    const name = this.naming.nameOf(steps);
    const mark = nameMark(name);
    const place = this.marks.placeOf(mark);
    if (place !== -1) return this.marks.worsen(place, outcome);
    if (this.marks.length >= this.limits.tests || this.characters + name.length > this.limits.characters) {
      this.isCut = true;
      return;
    }
    this.characters += name.length;
    this.marks.append(mark, outcome);
    this.names.add(name);
  }

  /** A sentence for the notes of the report where the roll does not hold all of its tests. */
  get notes(): readonly string[] {
    return this.isCut ? [`only the first ${this.marks.length} tests are kept by name; all are counted`] : [];
  }

  /** All that was added, as it is kept; what is as long as may be has perhaps lost its end. Nothing is added afterwards. */
  packed(): PackedRoll {
    const parts = this.names.end().map((packed, part) => {
      const from = part * TESTS_OF_A_PART;
      const to = Math.min(from + TESTS_OF_A_PART, this.marks.length);
      return { tests: to - from, marks: this.marks.bytes(from, to), names: packed };
    });
    return { complete: !this.isCut && this.marks.length < this.limits.tests, parts };
  }
}
