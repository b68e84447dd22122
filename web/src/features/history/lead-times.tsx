import { useId } from 'react';
import type { Schema } from '../../api/client.js';
import { DotChart } from '../../ui/charts.js';
import { formatDay, formatDuration } from '../../ui/format-time.js';
import { text } from '../../texts/en/history.js';
import classes from './history.module.css';
import { leadTimeLevels } from './lead-time-levels.js';

/** The lead times of the deployments of this page over time. The table has the same values. Nothing if nothing was shipped. */
export function LeadTimes({ records }: { readonly records: readonly Schema<'DeploymentRecord'>[] }) {
  const heading = useId();
  const dots = records.flatMap(({ id, repo, version, kind, deployedAt, leadTimeSeconds: value }) => {
    if (value === null) return [];
    const label = text.leadTimeOf(`${repo} ${version ?? text.noRelease}`, formatDuration(value));
    const shape = kind === 'hotfix' ? ('square' as const) : ('circle' as const);
    return [{ id, time: Date.parse(deployedAt), value, label, shape }];
  });
  if (dots.length === 0) return null;
  return (
    <section aria-labelledby={heading} className={classes['leadTimes']}>
      <h2 id={heading}>{text.leadTimes}</h2>
      <p className="quiet">{text.leadTimesOrder}</p>
      <DotChart
        title={text.leadTimesTitle(dots.length)}
        dots={dots}
        levels={leadTimeLevels(Math.max(...dots.map(({ value }) => value)))}
        formatValue={formatDuration}
        formatTime={formatDay}
      />
    </section>
  );
}
