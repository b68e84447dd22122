import { CheckCircleFillIcon, CircleIcon, DotFillIcon, XCircleFillIcon } from '@primer/octicons-react';
import { text } from '../../texts/en/repositories.js';
import classes from './setup-steps-list.module.css';
import { readSteps, type StepState } from './setup-steps.js';
import type { SetupState } from './repositories.search.js';

const ICONS = {
  done: CheckCircleFillIcon,
  current: DotFillIcon,
  failed: XCircleFillIcon,
  todo: CircleIcon,
} as const satisfies Record<StepState, unknown>;

/** The steps of the set-up in their order, each with its state. */
export function SetupStepsList({ state }: { readonly state: SetupState }) {
  const steps = readSteps(state);
  if (steps === null) return null;
  return (
    <ol className={classes['steps']}>
      {steps.map(([step, is]) => {
        const Icon = ICONS[is];
        return (
          <li key={step} className={classes[is]} {...(is === 'current' && { 'aria-current': 'step' as const })}>
            <Icon /> {text.steps[step]} <span className="quiet">{text.stepStates[is]}</span>
          </li>
        );
      })}
    </ol>
  );
}
