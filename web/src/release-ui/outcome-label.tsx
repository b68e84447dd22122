import {
  AlertIcon,
  CheckCircleFillIcon,
  CommentDiscussionIcon,
  DotFillIcon,
  HistoryIcon,
  QuestionIcon,
} from '@primer/octicons-react';
import { Label, type LabelProps } from '@primer/react';
import type { ComponentType } from 'react';
import type { Schema } from '../api/client.js';
import { words } from '../words/en.js';
import classes from './outcome-label.module.css';

type Release = Schema<'Release'>;
type Outcome = NonNullable<Release['outcome']>;

const LOOKS: Readonly<Record<Outcome, readonly [NonNullable<LabelProps['variant']>, ComponentType<{ size: number }>]>> =
  {
    blocked: ['danger', AlertIcon],
    needs_approval: ['attention', CommentDiscussionIcon],
    ready_to_deploy: ['success', CheckCircleFillIcon],
    in_progress: ['accent', DotFillIcon],
  };

/**
 * The outcome of a release as icon and word. A release whose facts are unknown, too old or being evaluated says so instead: only facts
 * that are confirmed and fresh look good.
 */
export function OutcomeLabel({ outcome, readiness }: Pick<Release, 'outcome' | 'readiness'>) {
  if (outcome === null) return null;
  const note = words.releases.notVerified[readiness.status];
  if (note !== undefined) {
    const Icon = readiness.status === 'unknown' ? QuestionIcon : HistoryIcon;
    return (
      <span className={classes['pair']}>
        <Label variant={readiness.status === 'unknown' ? 'severe' : 'secondary'} className={classes['label']}>
          <Icon size={12} /> {note}
        </Label>
        <span className={classes['before']}>{words.releases.outcomes[outcome]}</span>
      </span>
    );
  }
  const [variant, Icon] = LOOKS[outcome];
  return (
    <Label variant={variant} className={classes['label']}>
      <Icon size={12} /> {words.releases.outcomes[outcome]}
    </Label>
  );
}
