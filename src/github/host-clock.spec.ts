import { describe, expect, it } from '@jest/globals';
import { HostClock } from './host-clock.js';

const NOON = Date.parse('2026-03-02T12:00:00Z');
const at = (milliseconds: number): Date => new Date(NOON + milliseconds);
const header = (milliseconds: number): string => at(milliseconds).toUTCString();

describe('the clock of the host', () => {
  it('says nothing before the host has shown its time', () => {
    expect(new HostClock().earliestOwn(at(0))).toEqual(new Date(0));
    expect(new HostClock().latestOwn(at(0))).toEqual(new Date(8_640_000_000_000_000));
  });

  it('tells the latest moment too, to the step in which it is shown', () => {
    const clock = new HostClock();
    clock.learn(header(300_000), at(200), at(250));
    const [earliest, latest] = [clock.earliestOwn(at(300_000)), clock.latestOwn(at(300_000))];
    expect(latest).toEqual(at(250));
    expect(latest.getTime() - earliest.getTime()).toBe(1_050);
  });

  it('takes a host that is five minutes ahead back by as much', () => {
    const clock = new HostClock();
    clock.learn(header(300_000), at(200), at(250));
    const earliest = clock.earliestOwn(at(300_000)).getTime() - NOON;
    expect(earliest).toBeLessThanOrEqual(0);
    expect(earliest).toBeGreaterThan(-1_000);
  });

  it('takes a host that is an hour behind forward by as much', () => {
    const clock = new HostClock();
    clock.learn(header(-3_600_000), at(0), at(50));
    const earliest = clock.earliestOwn(at(-3_600_000)).getTime() - NOON;
    expect(earliest).toBe(-1_000);
  });

  it('narrows its answer with each of the host’s, never past the truth', () => {
    const clock = new HostClock();
    for (let moment = 0; moment < 3_000; moment += 130) {
      clock.learn(header(Math.floor(moment / 1_000) * 1_000), at(moment - 10), at(moment + 10));
    }
    const earliest = clock.earliestOwn(at(5_000)).getTime() - NOON;
    expect(earliest).toBeLessThanOrEqual(5_000);
    expect(earliest).toBeGreaterThan(4_800);
  });

  it('begins anew when a clock was set, and after ten minutes', () => {
    const clock = new HostClock();
    clock.learn(header(0), at(990), at(995));
    clock.learn(header(600_000), at(1_000), at(1_010));
    expect(clock.earliestOwn(at(600_000)).getTime() - NOON).toBe(0);
    clock.learn(header(1_201_000), at(601_500), at(601_510));
    expect(clock.earliestOwn(at(1_201_000)).getTime() - NOON).toBe(600_500);
  });

  it.each([null, '', 'yesterday'])('learns nothing of the date %p', (date) => {
    const clock = new HostClock();
    clock.learn(date, at(0), at(1));
    expect(clock.earliestOwn(at(0))).toEqual(new Date(0));
  });
});
