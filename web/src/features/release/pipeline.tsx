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

/** The six stages in their order, as a strip. One is open: the current one, until the user opens another. */
export function Pipeline() {
  const { release, stages } = useRelease();
  const isOld = useReadinessStatus(release.readiness) === 'expired' && release.deployedAt === null;
  const [chosen, setChosen] = useState<Stage['stage'] | 'none' | null>(null);
  const open = chosen ?? stages.find(({ standing }) => standing === 'current')?.stage;
  return (
    <section aria-labelledby="pipeline">
      <h2 id="pipeline" className="sr-only">
        {text.pipeline.title}
      </h2>
      <ol className={classes['stages']}>
        {stages.map((stage) => (
          <StageItem
            key={stage.stage}
            stage={stage}
            isOpen={stage.stage === open}
            isOld={isOld}
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
  readonly onToggle: () => void;
}

function StageItem({ stage, isOpen, isOld, onToggle }: StageItemProps) {
  const { stage: name, standing, met } = stage;
  const { closing, todo, unknown } = divide(stage);
  const [Icon, Chevron] = [STAGE_STATUS[standing], isOpen ? ChevronDownIcon : ChevronRightIcon];
  const panel = `stage-${name}`;
  return (
    <li className={classes['stage']} {...(standing === 'current' && { 'aria-current': 'step' as const })}>
      <button type="button" className={classes['head']} aria-expanded={isOpen} aria-controls={panel} onClick={onToggle}>
        <span className={classes['name']}>
          <Icon /> {common.stages[name]} <Chevron className={classes['chevron'] ?? ''} />
        </span>
        <span className="quiet">{describe(stage)}</span>
      </button>
      <div id={panel} className={classes['panel']} hidden={!isOpen}>
        <h3 className="sr-only">{common.stages[name]}</h3>
        {closing.length > 0 && <p className="quiet">{text.pipeline.above(closing.length)}</p>}
        <ConditionList conditions={todo} kind="neutral" label={text.pipeline.todo} />
        <ConditionList conditions={unknown} kind="unknown" label={text.pipeline.unknown} />
        <ul className={classes['met']}>
          {withKeys(met, ({ code }) => code).map(([key, { detail }]) => (
            <li key={key}>
              <StatusLabel kind={isOld ? 'stale' : 'good'}>{text.pipeline.met}</StatusLabel>
              <span lang="en">{detail}</span>
            </li>
          ))}
        </ul>
        {met.length + closing.length + todo.length + unknown.length === 0 && (
          <p className="quiet">{text.pipeline.nothing}</p>
        )}
      </div>
    </li>
  );
}

/** Divides the conditions of a stage. Those that close the gate are listed above the stages already. */
function divide({ unmet, unknown }: Stage) {
  return {
    closing: [...unmet, ...unknown].filter(({ closesGate }) => closesGate),
    todo: unmet.filter(({ closesGate }) => !closesGate),
    unknown: unknown.filter(({ closesGate }) => !closesGate),
  };
}

function describe(stage: Stage): string {
  const { pipeline } = text;
  const { todo } = divide(stage);
  const unmet = stage.unmet.length - todo.length;
  const parts = [
    pipeline.standing[stage.standing],
    stage.met.length > 0 && pipeline.metCount(stage.met.length),
    unmet > 0 && pipeline.unmetCount(unmet),
    todo.length > 0 && pipeline.todoCount(todo.length),
    stage.unknown.length > 0 && pipeline.unknownCount(stage.unknown.length),
  ];
  return parts.filter((part) => part !== false).join(' · ');
}
