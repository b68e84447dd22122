import { describe, expect, it } from '@jest/globals';
import { GitHubClock } from './github-clock.js';

const NOON = Date.parse('2026-03-02T12:00:00Z');
const at = (milliseconds: number): Date => new Date(NOON + milliseconds);
const header = (milliseconds: number): string => at(milliseconds).toUTCString();

describe('GitHubClock', () => {
  it('returns an unbounded range before GitHub has returned its time', () => {
    expect(new GitHubClock().toLocalRange(at(0))).toEqual({
      earliest: new Date(0),
      latest: new Date(8_640_000_000_000_000),
    });
  });

  it('returns a range up to the end of the stated second', () => {
    const clock = new GitHubClock();
    clock.update(header(300_000), at(200), at(250));
    const { earliest, latest } = clock.toLocalRange(at(300_000));
    expect(latest).toEqual(at(1_250));
    expect(latest.getTime() - earliest.getTime()).toBe(2_050);
  });

  it('corrects a clock of GitHub that is five minutes ahead', () => {
    const clock = new GitHubClock();
    clock.update(header(300_000), at(200), at(250));
    const earliest = clock.toLocalRange(at(300_000)).earliest.getTime() - NOON;
    expect(earliest).toBeLessThanOrEqual(0);
    expect(earliest).toBeGreaterThan(-1_000);
  });

  it('corrects a clock of GitHub that is an hour behind', () => {
    const clock = new GitHubClock();
    clock.update(header(-3_600_000), at(0), at(50));
    const earliest = clock.toLocalRange(at(-3_600_000)).earliest.getTime() - NOON;
    expect(earliest).toBe(-1_000);
  });

  it('narrows the range with each response of GitHub, and always includes the true time', () => {
    const clock = new GitHubClock();
    for (let moment = 0; moment < 3_000; moment += 130) {
      clock.update(header(Math.floor(moment / 1_000) * 1_000), at(moment - 10), at(moment + 10));
    }
    const earliest = clock.toLocalRange(at(5_000)).earliest.getTime() - NOON;
    expect(earliest).toBeLessThanOrEqual(5_000);
    expect(earliest).toBeGreaterThan(4_800);
  });

  it('includes every time within the stated second', () => {
    const [ahead, clock] = [3_600_000, new GitHubClock()];
    for (let moment = 0; moment < 3_000; moment += 130) {
      clock.update(header(Math.floor((moment + ahead) / 1_000) * 1_000), at(moment - 10), at(moment + 10));
    }
    for (let truth = 5_000; truth < 7_000; truth += 1) {
      const { earliest, latest } = clock.toLocalRange(at(Math.floor((truth + ahead) / 1_000) * 1_000));
      expect([earliest <= at(truth), at(truth) < latest]).toEqual([true, true]);
      expect(latest.getTime() - earliest.getTime()).toBeLessThan(1_400);
    }
  });

  it('starts a new measurement when a clock was set, and after ten minutes', () => {
    const clock = new GitHubClock();
    clock.update(header(0), at(990), at(995));
    clock.update(header(600_000), at(1_000), at(1_010));
    expect(clock.toLocalRange(at(600_000)).earliest.getTime() - NOON).toBe(0);
    clock.update(header(1_201_000), at(601_500), at(601_510));
    expect(clock.toLocalRange(at(1_201_000)).earliest.getTime() - NOON).toBe(600_500);
  });

  it.each([null, '', 'yesterday'])('ignores the date %p', (date) => {
    const clock = new GitHubClock();
    clock.update(date, at(0), at(1));
    expect(clock.toLocalRange(at(0)).earliest).toEqual(new Date(0));
  });
});
