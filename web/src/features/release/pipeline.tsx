import { CheckIcon, ChevronDownIcon, ChevronRightIcon, CircleIcon, DotFillIcon } from '@primer/octicons-react';
import { useState } from 'react';
import type { Schema } from '../../api/client.js';
import { ConditionList } from '../../release-ui/condition-list.js';
import { useReadinessStatus } from '../../release-ui/outcome-label.js';
import { StatusLabel } from '../../release-ui/status-label.js';
import { withKeys } from '../../ui/list-keys.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/release.js';
import classes from './pipeline.module.css';
import { useRelease } from './release.query.js';

type Stage = Schema<'StageDetails'>;

const STAGE_STATUS = { passed: CheckIcon, current: DotFillIcon, ahead: CircleIcon } as const;

/** The six stages in their order. One is open: the current one, until the user opens another. */
export function Pipeline() {
  const { release, stages } = useRelease();
  const isOld = useReadinessStatus(release.readiness) === 'expired' && release.deployedAt === null;
  const [chosen, setChosen] = useState<Stage['stage'] | 'none' | null>(null);
  const open = chosen ?? stages.find(({ standing }) => standing === 'current')?.stage;
  return (
    <section aria-labelledby="pipeline">
      <h2 id="pipeline">{text.pipeline.title}</h2>
      <ol className={classes['stages']}>
        {stages.map((stage) => (
          <StageItem
            key={stage.stage}
            stage={stage}
            isOpen={stage.stage === open}
            isOld={isOld}
            isBlocked={release.outcome === 'blocked'}
            onToggle={() => setChosen(stage.stage === open ? 'none' : stage.stage)}
          />
        ))}
      </ol>
    </section>
  );
}

interface StageItemProps {
  readonly stage: Stage;
  readonly isOpen: boolean;
  /** Whether the facts are too old to prove anything. */
  readonly isOld: boolean;
  readonly isBlocked: boolean;
  readonly onToggle: () => void;
}

function StageItem({ stage, isOpen, isOld, isBlocked, onToggle }: StageItemProps) {
  const { stage: name, standing, met, unmet, unknown } = stage;
  const [Icon, Chevron] = [STAGE_STATUS[standing], isOpen ? ChevronDownIcon : ChevronRightIcon];
  const panel = `stage-${name}`;
  return (
    <li className={classes['stage']} {...(standing === 'current' && { 'aria-current': 'step' as const })}>
      <button type="button" className={classes['head']} aria-expanded={isOpen} aria-controls={panel} onClick={onToggle}>
        <span className={classes['name']}>
          <Icon /> {common.stages[name]} <Chevron className={classes['chevron'] ?? ''} />
        </span>
        <span className="quiet">{text.pipeline.standing[standing]}</span>
        <Counts stage={stage} />
      </button>
      <div id={panel} className={classes['panel']} hidden={!isOpen}>
        <h3 className={classes['title']}>{common.stages[name]}</h3>
        <ConditionList
          conditions={unmet}
          kind={standing === 'ahead' ? 'neutral' : isBlocked ? 'failed' : 'waiting'}
          label={text.pipeline.unmet}
          hasActors
        />
        <ConditionList conditions={unknown} kind="unknown" label={text.pipeline.unknown} hasActors />
        <ul className={classes['met']}>
          {withKeys(met, ({ code }) => code).map(([key, { detail }]) => (
            <li key={key}>
              <StatusLabel kind={isOld ? 'stale' : 'good'}>{text.pipeline.met}</StatusLabel>
              <span lang="en">{detail}</span>
            </li>
          ))}
        </ul>
        {met.length + unmet.length + unknown.length === 0 && <p className="quiet">{text.pipeline.nothing}</p>}
      </div>
    </li>
  );
}

function Counts({ stage: { met, unmet, unknown } }: { readonly stage: Stage }) {
  const { pipeline } = text;
  const counts = [
    met.length > 0 && pipeline.metCount(met.length),
    unmet.length > 0 && pipeline.unmetCount(unmet.length),
    unknown.length > 0 && pipeline.unknownCount(unknown.length),
  ].filter((count) => count !== false);
  return <span className="quiet">{counts.length > 0 ? counts.join(' · ') : pipeline.noConditions}</span>;
}
