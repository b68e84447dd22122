import type { Schema } from '../../api/client.js';
import { toDay, formatDays, placeOnLine } from '../../release-ui/freeze-days.js';
import { formatDay } from '../../ui/format-time.js';
import { useNow } from '../../ui/relative-time.js';
import { text } from '../../texts/en/freezes.js';
import classes from './freeze-line.module.css';

const DAYS = 90;
const DAY_MS = 86_400_000;
/** The days that the line names, counted from today. */
const MARKS = [30, 60, 90];

/** The next 90 days as a line, with the freezes on it. A table must show the same days. */
export function FreezeLine({ freezes }: { readonly freezes: readonly Schema<'Freeze'>[] }) {
  const now = useNow();
  const bars = freezes.flatMap((freeze) => {
    const place = placeOnLine(freeze, now, DAYS);
    return place ? [{ freeze, place }] : [];
  });
  return (
    <figure className={classes['figure']}>
      <figcaption className="quiet">
        {text.line(DAYS)}
        <span className="sr-only">: {text.lineOf(bars.length)}</span>
      </figcaption>
      <svg aria-hidden="true" viewBox={`0 0 ${DAYS} 2`} preserveAspectRatio="none" className={classes['line']}>
        <rect width={DAYS} height="2" className={classes['days']} />
        {bars.map(({ freeze, place }) => (
          <rect key={freeze.id} x={place.start} width={place.length} height="2" className={classes['freeze']}>
            <title>{`${formatDays(freeze)}: ${freeze.reason}`}</title>
          </rect>
        ))}
      </svg>
      <ol className={classes['marks']} aria-hidden="true">
        <li>{text.today}</li>
        {MARKS.map((days) => (
          <li key={days}>{formatDay(toDay(now + days * DAY_MS))}</li>
        ))}
      </ol>
    </figure>
  );
}
