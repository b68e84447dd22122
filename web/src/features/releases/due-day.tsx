import type { Schema } from '../../api/client.js';
import { formatDays } from '../../release-ui/freeze-days.js';
import { StatusLabel } from '../../release-ui/status-label.js';
import { formatDay } from '../../ui/format-time.js';
import { text } from '../../texts/en/releases.js';

type DueDayProps = Readonly<Pick<Schema<'Release'>, 'dueOn' | 'isOverdue' | 'dueFreeze'>>;

/** The day on which a release is due, and whether it is over or lies in a freeze. Nothing if the milestone has none. */
export function DueDay({ dueOn, isOverdue, dueFreeze }: DueDayProps) {
  if (dueOn === null) return null;
  return (
    <>
      <time dateTime={dueOn}>{formatDay(Date.parse(dueOn))}</time>{' '}
      {isOverdue && <StatusLabel kind="blocked">{text.overdue}</StatusLabel>}
      {dueFreeze !== null && (
        <>
          <StatusLabel kind="closed">{text.dueInFreeze}</StatusLabel>
          <div className="quiet">
            {formatDays(dueFreeze)}: {dueFreeze.reason}
          </div>
        </>
      )}
    </>
  );
}
