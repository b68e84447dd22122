import type { Schema } from '../../api/client.js';
import { StackedBar, type ChartTone } from '../../ui/charts.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/projects.js';

type Outcome = NonNullable<Schema<'Project'>['outcome']>;

/** From worst to best. */
const TONES: readonly (readonly [Outcome, ChartTone])[] = [
  ['blocked', 'danger'],
  ['needs_approval', 'attention'],
  ['in_progress', 'accent'],
  ['ready_to_deploy', 'success'],
];

/** The active releases of a project by outcome: one bar, and the numbers below it. */
export function ProjectCounts({ counts }: Pick<Schema<'Project'>, 'counts'>) {
  return (
    <>
      {counts.all > 0 && (
        <StackedBar
          title={text.releasesTitle(counts)}
          parts={TONES.map(([outcome, tone]) => ({ name: common.outcomes[outcome], count: counts[outcome], tone }))}
        />
      )}
      <div className="quiet">{text.releases(counts)}</div>
    </>
  );
}
