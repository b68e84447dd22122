import Sequencer from '@jest/test-sequencer';

/** Test files that take minutes of processor time. Jest starts large files first if it knows no times, and these are small. */
const SLOW = /\/(?:merge-policies\.effect(?:\.long)?|dashboard)\.(?:e2e-)?spec\.ts$/;

/** Starts the slowest test files first, so that the run does not wait for one of them at its end. */
// oxlint-disable-next-line import/no-default-export -- the one export that Jest takes
export default class SlowFirstSequencer extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isSlow = ({ path }) => SLOW.test(path);
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
  }
}
