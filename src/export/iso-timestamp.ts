const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const TWO_DIGITS = digitsTo(60, 2);
const THREE_DIGITS = digitsTo(1_000, 3);

/** The last formatted day, because consecutive rows mostly have the same day. */
let day = Number.NaN;
/** The part of the text that is the same for the whole day. */
let beginning = '';

/** Returns the same as `toISOString` in a fifth of the time. An export formats it for each of 100,000 results. */
export function isoMoment(at: Date): string {
  const time = at.getTime();
  const dayOfTime = Math.floor(time / DAY);
  if (dayOfTime !== day) {
    const whole = at.toISOString();
    beginning = whole.slice(0, whole.indexOf('T') + 1);
    day = dayOfTime;
  }
  const since = time - day * DAY;
  const hours = TWO_DIGITS[Math.floor(since / HOUR)];
  const minutes = TWO_DIGITS[Math.floor((since % HOUR) / MINUTE)];
  const seconds = TWO_DIGITS[Math.floor((since % MINUTE) / SECOND)];
  return `${beginning}${hours}:${minutes}:${seconds}.${THREE_DIGITS[since % SECOND]}Z`;
}

/** Lists the numbers below `count` with leading zeros. */
function digitsTo(count: number, length: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => String(number).padStart(length, '0'));
}
