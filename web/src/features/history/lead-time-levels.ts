const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];

/** The steps between two marks, in seconds. Beyond them a step has one digit that is not zero, in days. */
const STEPS = [1, 5, 10, 30, MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR];
const DIGITS = [1, 2.5, 5, 10];

/** Returns zero and two round durations in seconds, of which the last is not shorter than the longest lead time. */
export function leadTimeLevels(longest: number): readonly number[] {
  const half = longest / 2;
  const step = STEPS.find((length) => length >= half) ?? roundDays(half / DAY) * DAY;
  return [0, step, 2 * step];
}

function roundDays(days: number): number {
  const power = 10 ** Math.floor(Math.log10(days));
  return power * (DIGITS.find((digit) => digit * power >= days) ?? 10);
}
